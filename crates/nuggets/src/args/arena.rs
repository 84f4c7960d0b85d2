//! The arguments of `nuggets arena`.

use std::path::PathBuf;

use clap::Args;
use nuggets_arena::Entrant;
use nuggets_protocol::Dialect;

use super::{RuleArgs, dialect, number};

/// Let bots play many games against each other.
#[derive(Args, Debug)]
#[command(after_help = ARENA_EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct ArenaArgs {
    /// The bots: brains (wanderer, scout, miner), each with the number of bots in every game. The
    /// default is two of each, or one of each if there is a --bot-cmd
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) bots: Vec<Entrant>,

    /// A program that plays as one bot: it exchanges the messages of the protocol on its standard
    /// input and output, one per line (see docs/bots.md). May be given several times
    #[arg(long, value_name = "COMMAND")]
    pub(crate) bot_cmd: Vec<String>,

    /// Time limit of a program for one turn, in milliseconds; after it the turn is lost
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = number::<u64>(1..=3_600_000))]
    pub(crate) bot_time: u64,

    /// The number of games
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = number::<u64>(1..=10_000_000))]
    pub(crate) games: u64,

    /// The map: a file, the name of a built-in map, or `random` for a new one in every game. If
    /// given several times, the games take them in turn
    #[arg(long, value_name = "MAP", default_value = "main")]
    pub(crate) map: Vec<PathBuf>,

    /// The number of games to play at the same time; one for each processor if not given
    #[arg(long, value_name = "N", value_parser = number::<u16>(1..=1024))]
    pub(crate) jobs: Option<u16>,

    /// The seed that fixes everything random: a positive integer. The same seed gives the same table
    #[arg(long, value_name = "SEED", allow_negative_numbers = true, default_value = "1")]
    pub(crate) seed: String,

    /// Stop a game after this many rounds; the purses count as they are
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = number::<u32>(1..=1_000_000))]
    pub(crate) max_rounds: u32,

    /// The dialect of the protocol: in 2019 players see along passages
    #[arg(long, value_name = "YEAR", default_value = "2021", value_parser = dialect())]
    pub(crate) dialect: Dialect,

    /// A sprint stops on gold and on meeting a player
    #[arg(long)]
    pub(crate) sprint_stops: bool,

    /// Print the table as JSON
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,

    /// Print the table as CSV
    #[arg(long)]
    pub(crate) csv: bool,

    /// Draw the mean purse over time into this file, one line for each entrant
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// Record games as files that `nuggets replay` shows: into this folder, which is created if there is none;
    /// or only the first N, or the `best` or `worst` one of the first --bot-cmd (without one, of the first of
    /// --bots), into the current folder. May be given twice, for both
    #[arg(long, value_name = "DIR|best|worst|N")]
    pub(crate) record: Vec<PathBuf>,

    /// Overwrite existing files
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) rules: RuleArgs,
}

const ARENA_EXAMPLES: &str = "\
Examples:
  nuggets arena                                            all brains, 100 games
  nuggets arena --bots miner:4,scout:4 --games 1000        two brains, four bots each
  nuggets arena --bots miner:2 --bot-cmd 'python3 docs/arena_bot.py'
                                                           a bot of your own against two miners
  nuggets arena --map random --steal --json                on new maps, with stealing, as JSON
  nuggets arena --bot-cmd ./my_bot --record games --record worst
                                                           keep the game in which it did worst";
