//! The options of a server for one game after another, for waiting, and for its operator.

use std::path::PathBuf;

use clap::Args;
use nuggets_server::Stalemate;

use super::number::number;

/// The options for hosting games.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Hosting (see docs/hosting.md)")]
pub(crate) struct HostingArgs {
    /// Host this many games, one after another on the same port, or `forever`. Our clients join the next
    /// by themselves. Files of the finished ones are renamed to FILE.1, FILE.2 and so on
    #[arg(long, value_name = "N", default_value = "1", value_parser = game_count)]
    pub(crate) games: GameCount,

    /// Begin the next game on the same port when all players have left and none can join any more, instead of
    /// ending, even after the last of --games
    #[arg(long)]
    pub(crate) stay: bool,

    /// The maps of the next games, in turn, then MAP again: files, names, or `random`. Without it all games
    /// have the same map
    #[arg(long, value_name = "MAP,…", value_delimiter = ',')]
    pub(crate) rotate: Vec<PathBuf>,

    /// Seconds from the end of a game to the beginning of the next
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = number::<u32>(0..=86_400))]
    pub(crate) pause: u32,

    /// Begin when this many players have joined: no key moves a player before
    #[arg(long, value_name = "N", value_parser = number::<u8>(1..=26))]
    pub(crate) wait_for: Option<u8>,

    /// Begin when you press Enter in the terminal of the server, or with `nuggets ctl SOCKET start`; with
    /// --wait-for, whichever comes first
    #[arg(long)]
    pub(crate) start_key: bool,

    /// End a game although there is gold left: `never`, when the remaining gold is not `reachable` for any
    /// player, or after this many seconds without gold
    #[arg(long, value_name = "WHEN", default_value = "never", value_parser = stalemate)]
    pub(crate) stalemate: Stalemate,

    /// Append the results of all games to this file: rows for FILE.csv, JSON lines for FILE.jsonl
    #[arg(long, value_name = "FILE")]
    pub(crate) results: Option<PathBuf>,

    /// Listen on this local socket for `nuggets ctl`; only your own user can open it
    #[arg(long, value_name = "SOCKET")]
    pub(crate) control: Option<PathBuf>,

    /// Log into this file instead of stderr
    #[arg(long, value_name = "FILE")]
    pub(crate) log_file: Option<PathBuf>,
}

/// The number of games; no limit if `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GameCount(pub(crate) Option<u32>);

impl GameCount {
    /// True if there is a game after the one with this number, counted from 1.
    pub(crate) fn has_more_than(self, number: u32) -> bool {
        self.0.is_none_or(|count| number < count)
    }
}

fn game_count(typed: &str) -> Result<GameCount, &'static str> {
    if typed == "forever" {
        return Ok(GameCount(None));
    }
    let count = typed.parse().ok().filter(|count| *count > 0);
    count.map(|count| GameCount(Some(count))).ok_or("give a whole number from 1 on, or `forever`")
}

/// The value of `--stalemate`.
pub(crate) fn stalemate(typed: &str) -> Result<Stalemate, &'static str> {
    match typed {
        "never" => Ok(Stalemate::Never),
        "reachable" => Ok(Stalemate::OutOfReach),
        _ => {
            let seconds =
                typed.parse::<u64>().ok().filter(|seconds| (1..=86_400).contains(seconds));
            seconds
                .map(|seconds| Stalemate::After(seconds * 1000))
                .ok_or("give `never`, `reachable`, or seconds from 1 to 86400")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_counted_from_one_or_without_end() {
        let three = game_count("3").unwrap();
        assert!(three.has_more_than(2) && !three.has_more_than(3));
        assert!(game_count("forever").unwrap().has_more_than(u32::MAX));
        for typed in ["0", "-1", "x", "", "Forever", "4294967296"] {
            assert!(game_count(typed).is_err(), "{typed}");
        }
    }

    #[test]
    fn a_stalemate_is_a_word_or_seconds() {
        assert_eq!(stalemate("never"), Ok(Stalemate::Never));
        assert_eq!(stalemate("reachable"), Ok(Stalemate::OutOfReach));
        assert_eq!(stalemate("90"), Ok(Stalemate::After(90_000)));
        for typed in ["0", "86401", "-1", "soon", ""] {
            assert!(stalemate(typed).is_err(), "{typed}");
        }
    }
}
