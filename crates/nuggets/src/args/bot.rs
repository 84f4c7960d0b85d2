//! The arguments of `nuggets bot`.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use nuggets_bots::{AnswerLimits, BotProgram, BrainKind, ProgramFailure};
use tracing::level_filters::LevelFilter;

use super::{level, number};

/// Let bots join a game.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
pub(crate) struct BotArgs {
    /// The host name or address of the server; or the link of a game, without a port
    #[arg(value_name = "HOST")]
    pub(crate) hostname: String,

    /// The port that the server announced
    pub(crate) port: Option<OsString>,

    /// The strategy of the bots; several, separated by commas, are assigned in turn
    #[arg(
        long,
        value_name = "BRAIN",
        value_delimiter = ',',
        default_value = "miner",
        value_parser = brain()
    )]
    pub(crate) brain: Vec<BrainKind>,

    /// The number of bots, at most 26; one if not given, or none beside a --bot-cmd
    #[arg(long, value_name = "N", value_parser = number::<u8>(1..=26))]
    pub(crate) count: Option<u8>,

    #[command(flatten)]
    pub(crate) programs: BotCommandArgs,

    /// The name to play under, numbered if there are several bots; the name of the brain or of the
    /// program if not given
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<OsString>,

    /// Milliseconds between two keys of a bot; 0 sends a key as soon as the server has answered
    #[arg(long, value_name = "MS", default_value_t = 250,
          value_parser = number::<u64>(0..=3_600_000))]
    pub(crate) pace: u64,

    /// The seed of their random decisions; without it one is chosen and logged
    #[arg(long, value_name = "SEED", value_parser = number::<u64>(0..=u64::MAX))]
    pub(crate) seed: Option<u64>,

    /// Leave after one game, even if the server announces another one
    #[arg(long)]
    pub(crate) one_game: bool,

    /// Print the results as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// The log level on stderr
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = level())]
    pub(crate) log: LevelFilter,
}

/// Programs that play, in `bot` and `play`.
#[derive(Args, Debug)]
pub(crate) struct BotCommandArgs {
    /// A program that plays as one more bot: it exchanges the messages of the protocol on its standard
    /// input and output, one per line (see docs/bots.md). May be given several times
    #[arg(long, value_name = "COMMAND")]
    pub(crate) bot_cmd: Vec<String>,

    /// Time limit of a program for one key, in milliseconds; after three keys that are late it leaves
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = number::<u64>(1..=3_600_000))]
    pub(crate) bot_time: u64,
}

impl BotCommandArgs {
    /// Starts the programs, in the order given. None is started if `stop` is set.
    pub(crate) fn start(&self, stop: &AtomicBool) -> Result<Vec<BotProgram>, ProgramFailure> {
        let limits = AnswerLimits { turn_ms: self.bot_time, ..AnswerLimits::default() };
        self.bot_cmd.iter().map(|line| BotProgram::start(line, limits, stop)).collect()
    }
}

const USAGE: &str = "\
nuggets bot [OPTIONS] <HOST> <PORT>
       nuggets bot [OPTIONS] <LINK>";

const EXAMPLES: &str = "\
Examples:
  nuggets bot localhost 9999                          one miner, four keys a second
  nuggets bot localhost 9999 --count 5 --brain scout  five scouts
  nuggets bot https://example.org/g/abc               one miner in a game of a web host
  nuggets bot localhost 9999 --count 26 --brain miner,scout --pace 0
                                                      a full game, at full speed
  nuggets bot localhost 9999 --bot-cmd 'python3 docs/arena_bot.py'
                                                      a bot of your own";

pub(super) fn brain() -> impl TypedValueParser<Value = BrainKind> {
    let words = BrainKind::ALL.map(|kind| PossibleValue::new(kind.word()).help(kind.about()));
    PossibleValuesParser::new(words).try_map(|word| word.parse::<BrainKind>())
}
