//! The arguments of `server`, without its rate limits and house rules.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use nuggets_protocol::Dialect;
use nuggets_server::{OnJournalError, Reliability};
use tracing::level_filters::LevelFilter;

use super::number::{number, server_port};
use super::{HostingArgs, LimitArgs, RuleArgs, dialect, level};

/// Host a game for others.
#[derive(Args, Debug)]
#[command(after_help = SERVER_EXAMPLES)]
pub(crate) struct ServerArgs {
    /// The map: a file, the name of a built-in map (main, cross, edges, grand, hall, hole, maze,
    /// narrow, pretty), or `random` for a new one
    pub(crate) map: PathBuf,

    /// The seed that fixes everything random: a positive integer (2019: any integer). Without it one
    /// is chosen and logged
    #[arg(allow_negative_numbers = true)]
    pub(crate) seed: Option<String>,

    /// The UDP port; 0 lets the system choose
    #[arg(long, value_name = "PORT", default_value_t = 0, value_parser = server_port)]
    pub(crate) port: u16,

    /// The address to listen on; all interfaces, IPv4 and IPv6, if not given
    #[arg(long, value_name = "ADDRESS", value_parser = ip_address)]
    pub(crate) bind: Option<IpAddr>,

    /// The dialect of the protocol
    #[arg(long, value_name = "YEAR", default_value = "2021", value_parser = dialect())]
    pub(crate) dialect: Dialect,

    /// End the game when its last player quits
    #[arg(long)]
    pub(crate) end_when_empty: bool,

    /// A sprint stops on gold and on meeting a player
    #[arg(long)]
    pub(crate) sprint_stops: bool,

    /// Send a picture only to clients whose picture has changed: fewer messages over slow links. The
    /// specification sends it to all clients after every move
    #[arg(long)]
    pub(crate) changed_only: bool,

    /// The log level on stderr
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = level())]
    pub(crate) log: LevelFilter,

    #[command(flatten)]
    pub(crate) hosting: HostingArgs,

    #[command(flatten)]
    pub(crate) records: RecordArgs,

    #[command(flatten)]
    pub(crate) reliability: ReliabilityArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    pub(crate) rules: RuleArgs,
}

/// As `nuggets server`; the help of the program `server` leaves out the word `nuggets`.
pub(crate) const SERVER_EXAMPLES: &str = "\
Examples:
  nuggets server main                        host the classic map on a port that the system chooses
  nuggets server main --port 9999            the same on port 9999
  nuggets server my-map.txt 42 2>server.log  a map of your own, seed 42, the log in a file
  nuggets server main --record game.nuggets  record the game, for nuggets replay
  nuggets server main --journal game.journal keep a journal: a restarted server resumes the game
  nuggets server main --games forever --rotate cross,random --wait-for 2
                                             one game after another, each with two players or more";

/// The files that a game is written into.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Recordings (see docs/reliability.md)")]
pub(crate) struct RecordArgs {
    /// Record the game into this file, for `nuggets replay`; it contains no addresses
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,

    /// Keep a journal in this file: a server that is restarted with it resumes the game
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,

    /// Write every move to the disk before any client is sent it: it then survives a power failure, too
    #[arg(long, requires = "journal")]
    pub(crate) durable: bool,

    /// If the journal can't be written any more, `stop` the game, or `continue` without
    /// a journal, which is then renamed to FILE.stale
    #[arg(
        long,
        value_name = "ACTION",
        default_value = "stop",
        requires = "journal",
        value_parser = on_error()
    )]
    pub(crate) on_journal_error: OnJournalError,
}

fn ip_address(typed: &str) -> Result<IpAddr, &'static str> {
    typed.parse().map_err(|_| "give an IP address of this machine, such as 127.0.0.1 or ::1")
}

/// `go-on` is the former name of `continue`.
fn on_error() -> impl TypedValueParser<Value = OnJournalError> {
    let actions = [PossibleValue::new("stop"), PossibleValue::new("continue").alias("go-on")];
    PossibleValuesParser::new(actions).map(|action| match action.as_str() {
        "stop" => OnJournalError::Stop,
        _ => OnJournalError::Continue,
    })
}

/// The options for bad networks.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Bad networks (see docs/reliability.md)")]
pub(crate) struct ReliabilityArgs {
    /// Remove players that press no key for this many seconds; never, if not given
    #[arg(long, value_name = "SECONDS", value_parser = number::<u32>(1..=u32::MAX))]
    pub(crate) idle_timeout: Option<u32>,

    /// Send every message once only: a last picture that is lost stays lost
    #[arg(long, alias = "no-repeats")]
    pub(crate) no_resends: bool,

    /// Resend the end of the game for this many milliseconds to clients that may not have received it
    #[arg(long, value_name = "MS", default_value_t = 5000, value_parser = number::<u32>(0..=u32::MAX))]
    pub(crate) linger: u32,
}

impl ReliabilityArgs {
    pub(crate) fn reliability(self) -> Reliability {
        Reliability {
            resends: !self.no_resends,
            linger_ms: self.linger.into(),
            idle_timeout_ms: self.idle_timeout.map(|seconds| u64::from(seconds) * 1000),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Typed {
        #[command(flatten)]
        args: ServerArgs,
    }

    #[test]
    fn former_names_of_options_still_work() {
        let read = |line: &str| Typed::try_parse_from(line.split_whitespace()).unwrap().args;
        let old = read("server main --no-repeats --journal j --on-journal-error go-on");
        let new = read("server main --no-resends --journal j --on-journal-error continue");
        for args in [old, new] {
            assert!(args.reliability.no_resends);
            assert_eq!(args.records.on_journal_error, OnJournalError::Continue);
        }
    }
}
