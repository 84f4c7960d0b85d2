//! The arguments of `nuggets bot`.

use std::ffi::OsString;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use nuggets_bots::BrainKind;
use tracing::level_filters::LevelFilter;

use super::level;

/// Let bots join a game.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BotArgs {
    /// The name or address of the machine where the server runs
    #[arg(value_name = "HOST")]
    pub(crate) hostname: String,

    /// The port that the server announced
    pub(crate) port: String,

    /// What they decide with; several with commas between them take turns
    #[arg(
        long,
        value_name = "BRAIN",
        value_delimiter = ',',
        default_value = "miner",
        value_parser = brain()
    )]
    pub(crate) brain: Vec<BrainKind>,

    /// How many bots, at most 26
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u8).range(1..=26))]
    pub(crate) count: u8,

    /// The name to play under, numbered if there are several bots; their brain's if not given
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<OsString>,

    /// Milliseconds between two keys of a bot; 0 is as fast as the server answers
    #[arg(long, value_name = "MS", default_value_t = 250,
          value_parser = clap::value_parser!(u64).range(0..=3_600_000))]
    pub(crate) pace: u64,

    /// What fixes their chance; without it one is chosen and written to the log
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,

    /// Print what became of them as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// How much to log on stderr
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = level())]
    pub(crate) log: LevelFilter,
}

const EXAMPLES: &str = "\
Examples:
  nuggets bot localhost 9999                          one miner, at a polite pace
  nuggets bot localhost 9999 --count 5 --brain scout  five scouts
  nuggets bot localhost 9999 --count 26 --brain miner,scout --pace 0
                                                      a full table, as fast as it goes";

pub(super) fn brain() -> impl TypedValueParser<Value = BrainKind> {
    let words = BrainKind::ALL.map(|kind| PossibleValue::new(kind.word()).help(kind.about()));
    PossibleValuesParser::new(words).try_map(|word| word.parse::<BrainKind>())
}
