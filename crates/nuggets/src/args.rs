//! The arguments of every program, as they are typed.

pub(crate) mod arena;
mod bot;
mod care;
pub(crate) mod conform;
mod limits;
pub(crate) mod manual;
pub(crate) mod map;
mod play;
mod records;
pub(crate) mod replay;
pub(crate) mod sim;
mod variants;

use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use nuggets_client::ColorChoice;
use nuggets_protocol::Dialect;
use thiserror::Error;
use tracing::level_filters::LevelFilter;

pub(crate) use bot::BotArgs;
pub(crate) use care::CareArgs;
pub(crate) use limits::LimitArgs;
pub(crate) use play::PlayArgs;
pub(crate) use records::RecordArgs;
pub(crate) use variants::VariantArgs;

/// An argument that only turns out to be wrong when others are known. The text says all.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct BadArgument(pub(crate) String);

/// Host a game for others.
#[derive(Args, Debug)]
#[command(after_help = SERVER_EXAMPLES)]
pub(crate) struct ServerArgs {
    /// The map: a file, the name of a built-in map (main, cross, edges, grand, hall, hole, maze,
    /// narrow, pretty), or `random` for a new one
    pub(crate) map: PathBuf,

    /// What fixes all chance: a positive integer (2019: any integer). Without it one is chosen
    /// and written to the log
    #[arg(allow_negative_numbers = true)]
    pub(crate) seed: Option<String>,

    /// The UDP port; 0 lets the system choose
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,

    /// The address to listen on; all interfaces, IPv4 and IPv6, if not given
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) bind: Option<IpAddr>,

    /// The generation of the protocol to speak
    #[arg(long, value_name = "YEAR", default_value = "2021", value_parser = dialect())]
    pub(crate) dialect: Dialect,

    /// End the game when its last player quits
    #[arg(long)]
    pub(crate) end_when_empty: bool,

    /// A sprint stops on gold and on meeting a player
    #[arg(long)]
    pub(crate) sprint_stops: bool,

    /// Show a move only to those whose picture it changes: fewer messages over slow links. The
    /// documents have it shown to everybody
    #[arg(long)]
    pub(crate) changed_only: bool,

    /// How much to log on stderr
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = level())]
    pub(crate) log: LevelFilter,

    #[command(flatten)]
    pub(crate) records: RecordArgs,

    #[command(flatten)]
    pub(crate) care: CareArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    pub(crate) variants: VariantArgs,
}

/// As `nuggets` has it; the program `server` leaves the first word off.
pub(crate) const SERVER_EXAMPLES: &str = "\
Examples:
  nuggets server main                        host the classic map on a port of the system's choice
  nuggets server main --port 9999            the same on port 9999
  nuggets server my-map.txt 42 2>server.log  a map of your own, seed 42, the log in a file
  nuggets server main --record game.nuggets  write the game down, for nuggets replay
  nuggets server main --journal game.journal the same, and started again it goes on with the game";

/// Join a game.
#[derive(Args, Debug)]
#[command(after_help = PLAYER_EXAMPLES)]
pub(crate) struct PlayerArgs {
    /// The name or address of the machine where the server runs
    pub(crate) hostname: String,

    /// The port that the server announced
    pub(crate) port: String,

    /// The name to play under; without one you join as the spectator. Quote it if it has blanks
    pub(crate) playername: Option<OsString>,

    #[command(flatten)]
    pub(crate) look: LookArgs,
}

/// As `nuggets` has it; the program `player` leaves the first word off.
pub(crate) const PLAYER_EXAMPLES: &str = "\
Examples:
  nuggets player localhost 9999 Ann          play
  nuggets player localhost 9999 'Ann Smith'  play under a name with a blank
  nuggets player localhost 9999              watch
  printf 'llLjQ' | nuggets player localhost 9999 Ann   play from a script";

/// How the player's side looks and feels, and where it logs.
#[derive(Args, Debug)]
pub(crate) struct LookArgs {
    /// Whether to use colours; auto heeds the environment's `NO_COLOR` and TERM
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = color())]
    pub(crate) color: ColorChoice,

    /// No key that explores and no click that walks: the mouse stays the terminal's own
    #[arg(long)]
    pub(crate) no_auto: bool,

    /// How much to log
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = level())]
    pub(crate) log: LevelFilter,

    /// Where to log; without it the log goes to stderr if that is no terminal, else nowhere
    #[arg(long, value_name = "FILE")]
    pub(crate) log_file: Option<PathBuf>,
}

fn dialect() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(["2021", "2019"]).try_map(|year| year.parse::<Dialect>())
}

fn color() -> impl TypedValueParser<Value = ColorChoice> {
    PossibleValuesParser::new(["auto", "always", "never"])
        .try_map(|word| word.parse::<ColorChoice>())
}

fn level() -> impl TypedValueParser<Value = LevelFilter> {
    PossibleValuesParser::new(["off", "error", "warn", "info", "debug", "trace"])
        .try_map(|word| word.parse::<LevelFilter>())
}
