//! The arguments of every command, as they are typed. This file holds those that several commands share.

pub(crate) mod arena;
mod bot;
pub(crate) mod cluster;
pub(crate) mod conform;
mod ctl;
mod hosting;
mod limits;
pub(crate) mod map;
mod number;
mod play;
pub(crate) mod replay;
mod rules;
mod serve;
mod server;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use nuggets_client::{AppOptions, ClientSettings, GameStart, JoinTarget};
use nuggets_protocol::Dialect;
use nuggets_tui::{ColorChoice, KeyBindings};
use thiserror::Error;
use tracing::level_filters::LevelFilter;

pub(crate) use bot::BotArgs;
pub(crate) use ctl::CtlArgs;
pub(crate) use hosting::{HostingArgs, stalemate};
pub(crate) use limits::LimitArgs;
pub(crate) use number::number;
pub(crate) use play::PlayArgs;
pub(crate) use rules::RuleArgs;
pub(crate) use serve::ServeArgs;
#[cfg(feature = "host")]
pub(crate) use serve::{node_address, node_name};
pub(crate) use server::{RecordArgs, SERVER_EXAMPLES, ServerArgs};

use crate::player::NamedServer;

/// An argument that clap can't reject alone, for example because it depends on others. Exit code 2.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct BadArgument(pub(crate) String);

/// Join a game.
#[derive(Args, Debug)]
#[command(after_help = PLAYER_EXAMPLES, override_usage = PLAYER_USAGE)]
pub(crate) struct PlayerArgs {
    /// The host name or address of the server; or the link of a game, without a port
    pub(crate) hostname: String,

    /// The port that the server announced
    pub(crate) port: Option<OsString>,

    /// The name to play under; without one you join as the spectator. Quote it if it has blanks
    pub(crate) playername: Option<OsString>,

    /// Write every event as a line instead of drawing: for screen readers and braille lines. The key ?
    /// lists the keys
    #[arg(long)]
    pub(crate) lines: bool,

    #[command(flatten)]
    pub(crate) look: LookArgs,
}

/// As `nuggets player`; that of the program `player` leaves out the word `nuggets`.
pub(crate) const PLAYER_USAGE: &str = "\
nuggets player [OPTIONS] <HOSTNAME> <PORT> [PLAYERNAME]
       nuggets player [OPTIONS] <LINK> [PLAYERNAME]";

/// As `nuggets player`; the help of the program `player` leaves out the word `nuggets`.
pub(crate) const PLAYER_EXAMPLES: &str = "\
Examples:
  nuggets player localhost 9999 Ann          play
  nuggets player localhost 9999 'Ann Smith'  play under a name with a blank
  nuggets player localhost 9999              watch
  nuggets player https://example.org/g/abc Ann   play a game of a web host
  nuggets player https://example.org/g/abc       watch it
  printf 'llLjQ' | nuggets player localhost 9999 Ann   play from a script";

/// Colours, keys and log of the terminal client.
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct LookArgs {
    /// Use colours; auto follows the environment variables NO_COLOR and TERM
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = color())]
    pub(crate) color: ColorChoice,

    /// Turn off the key that explores and the click that walks: the mouse selects text as usual
    #[arg(long)]
    pub(crate) no_auto: bool,

    /// Don't ring the bell of the terminal when you are robbed
    #[arg(long)]
    pub(crate) no_bell: bool,

    /// Ring it, whatever the config file says
    #[arg(long, conflicts_with = "no_bell")]
    pub(crate) bell: bool,

    /// Open the side panel where there is room for it: purses, gold left, what happened. The key i
    /// toggles it. Default in `nuggets play`
    #[arg(long)]
    pub(crate) panel: bool,

    /// Keep the side panel closed. Default in `player`
    #[arg(long, conflicts_with = "panel")]
    pub(crate) no_panel: bool,

    /// Ask for a larger window where the map does not fit, whatever the config file says
    #[arg(long, conflicts_with = "scroll")]
    pub(crate) no_scroll: bool,

    /// Scroll a map that does not fit the window, instead of asking for a larger window; `nuggets play`
    /// always does
    #[arg(long)]
    pub(crate) scroll: bool,

    /// The log level
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = level())]
    pub(crate) log: LevelFilter,

    /// The file to log to. Without it the log goes to stderr, unless that is a terminal
    #[arg(long, value_name = "FILE")]
    pub(crate) log_file: Option<PathBuf>,
}

impl LookArgs {
    /// The settings of a client of this server. `usual` decides about panel and scrolling if neither an option nor a
    /// preference does.
    pub(crate) fn settings(
        &self,
        server: NamedServer,
        name: Option<Vec<u8>>,
        keys: &KeyBindings,
        usual: bool,
    ) -> ClientSettings {
        let options = AppOptions {
            auto: !self.no_auto,
            scroll: is_on(self.scroll, self.no_scroll, usual),
            panel: is_on(self.panel, self.no_panel, usual),
            bell: self.bell || !self.no_bell,
            start: GameStart::Server,
        };
        ClientSettings {
            join: JoinTarget { place: server.place, name },
            target: server.target,
            options,
            color: self.color,
            hint: None,
            keys: keys.clone(),
            lines: false,
        }
    }
}

/// Combines two opposite flags. If both are set, a preference has set the one that is not usual, and an option
/// the other, which wins.
fn is_on(on: bool, off: bool, usual: bool) -> bool {
    if on == off { usual } else { on }
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
