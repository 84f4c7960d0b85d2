//! The arguments of `nuggets play`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use nuggets_bots::BrainKind;
use nuggets_server::Stalemate;

use super::bot::{BotCommandArgs, brain};
use super::{LookArgs, RuleArgs, number, stalemate};

/// Play on this machine.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PlayArgs {
    /// The name to play under; your user name if not given, or `you` if there is none
    pub(crate) name: Option<OsString>,

    /// The number of bots, at most 25 against you, or 26 with --watch
    #[arg(long, value_name = "N", default_value_t = 3,
          value_parser = number::<u8>(0..=26))]
    pub(crate) bots: u8,

    /// The strategy of the bots; several, separated by commas, are assigned in turn
    #[arg(
        long,
        value_name = "BRAIN",
        value_delimiter = ',',
        default_value = "scout",
        value_parser = brain()
    )]
    pub(crate) brain: Vec<BrainKind>,

    #[command(flatten)]
    pub(crate) programs: BotCommandArgs,

    /// Milliseconds between two keys of a bot: fewer make the game harder
    #[arg(long, value_name = "MS", default_value_t = 1000,
          value_parser = number::<u64>(0..=3_600_000))]
    pub(crate) pace: u64,

    /// Watch the bots instead of playing
    #[arg(long, conflicts_with = "name")]
    pub(crate) watch: bool,

    /// The map: a file, the name of a built-in map (main, cross, edges, grand, hall, hole, maze,
    /// narrow, pretty), or `random` for a new one
    #[arg(long, value_name = "MAP", default_value = "main")]
    pub(crate) map: PathBuf,

    /// The seed that fixes everything random: a positive integer. Without it one is chosen and logged
    #[arg(long, value_name = "SEED", allow_negative_numbers = true)]
    pub(crate) seed: Option<String>,

    /// Let the bots begin at once, not with your first key
    #[arg(long)]
    pub(crate) no_wait: bool,

    /// Let them begin with your first key, whatever the config file says
    #[arg(long, conflicts_with = "no_wait")]
    pub(crate) wait: bool,

    /// End a game although there is gold left: when the remaining gold is not `reachable` for any player, after
    /// this many seconds without gold (a pause does not count), or `never`
    #[arg(long, value_name = "WHEN", default_value = "reachable", value_parser = stalemate)]
    pub(crate) stalemate: Stalemate,

    #[command(flatten)]
    pub(crate) look: LookArgs,

    #[command(flatten)]
    pub(crate) rules: RuleArgs,
}

const EXAMPLES: &str = "\
Examples:
  nuggets play                               play at once, against three bots
  nuggets play Ann --map random              under another name on a new map
  nuggets play --bots 5 --brain miner --pace 300   against five quick bots that plan
  nuggets play --steal --vision 8            with house rules
  nuggets play --watch --brain miner,scout   watch bots play
  nuggets play --bots 1 --bot-cmd 'python3 docs/arena_bot.py'
                                             against a bot of your own and one of ours";
