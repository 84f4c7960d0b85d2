//! The arguments of `nuggets replay`.

use std::path::PathBuf;

use clap::Args;
use nuggets_game::{Letter, Viewer};
use nuggets_tui::ColorChoice;

use super::color;

/// Watch a recorded game again, check it, or measure it.
#[derive(Args, Debug)]
#[command(after_help = REPLAY_EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct ReplayArgs {
    /// The recording that a server wrote; without it, the latest games of `nuggets play` are listed
    pub(crate) file: Option<PathBuf>,

    /// Replay it, compare with every recorded state hash, and report the first bad record
    #[arg(long)]
    pub(crate) verify: bool,

    /// Print statistics as JSON: paths, nuggets over time, explored shares
    #[arg(long, conflicts_with = "verify")]
    pub(crate) json: bool,

    /// Draw the purses over time, and where players walked, into this SVG file
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// Write it into this file as an asciinema recording (version 2)
    #[arg(long, value_name = "FILE")]
    pub(crate) cast: Option<PathBuf>,

    /// Write it as one web page that works from disk, to stdout or with -o into a file
    #[arg(long, conflicts_with_all = ["verify", "json"])]
    pub(crate) html: bool,

    /// The file for the --html page
    #[arg(short, long, value_name = "FILE", requires = "html")]
    pub(crate) output: Option<PathBuf>,

    /// The view to show: a player's letter, or spectator
    #[arg(long, value_name = "LETTER", default_value = "spectator", value_parser = viewer)]
    pub(crate) eyes: Viewer,

    /// Keep every pause in the --cast; otherwise none is longer than a second
    #[arg(long, requires = "cast")]
    pub(crate) no_skip: bool,

    /// Overwrite existing files
    #[arg(long)]
    pub(crate) force: bool,

    /// Use colours; auto follows the environment variables NO_COLOR and TERM
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = color())]
    pub(crate) color: ColorChoice,
}

const REPLAY_EXAMPLES: &str = "\
Without options the game is shown in the terminal: ? lists the keys and q quits. Where there is
no terminal, the last picture and the purses are printed.

Exit code 0; 1 if the recording can't be read, is damaged, or the replay differs from it.

Examples:
  nuggets replay                                 choose one of your latest games
  nuggets replay game.nuggets                    watch it
  nuggets replay game.nuggets --eyes B           see what player B saw
  nuggets replay game.nuggets --verify           check that it is complete and unchanged
  nuggets replay game.nuggets --json | jq '.players[].purse'
  nuggets replay game.nuggets --svg game.svg     purses over time, and where players walked
  nuggets replay game.nuggets --cast game.cast   then: asciinema play game.cast
  nuggets replay --html game.nuggets -o game.html   then open it in any browser";

fn viewer(typed: &str) -> Result<Viewer, &'static str> {
    match typed.as_bytes() {
        b"spectator" => Ok(Viewer::Spectator),
        [letter] => Letter::from_byte(letter.to_ascii_uppercase())
            .map(Viewer::Player)
            .ok_or(EXPECTED_VIEWER),
        _ => Err(EXPECTED_VIEWER),
    }
}

const EXPECTED_VIEWER: &str = "give the letter of a player, A to Z, or spectator";
