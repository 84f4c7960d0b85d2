//! The arguments of `nuggets sim`.

use std::ops::Range;

use clap::{ArgGroup, Args};
use nuggets_sim::run::Sabotage;

/// Play games over a bad network in memory and check every step of them.
#[derive(Args, Debug)]
#[command(after_help = SIM_EXAMPLES, group = ArgGroup::new("which").required(true))]
pub(crate) struct SimArgs {
    /// The one game of this seed: the same in every byte, every time
    #[arg(long, value_name = "N", group = "which")]
    pub(crate) seed: Option<u64>,

    /// The games of all seeds from A up to but not including B
    #[arg(long, value_name = "A..B", group = "which", value_parser = seeds)]
    pub(crate) seeds: Option<Range<u64>>,

    /// How many games at a time; one for each processor if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,

    /// Print every datagram that arrives: -> at the server, <- at a client
    #[arg(long, conflicts_with_all = ["seeds", "json"])]
    pub(crate) trace: bool,

    /// Print the result for programs
    #[arg(long)]
    pub(crate) json: bool,

    /// Break the room on purpose, to see that it is noticed: repeats (everything is said just once)
    /// or rules (sprints stop where they should not)
    #[arg(long, value_name = "WHAT")]
    pub(crate) sabotage: Option<Sabotage>,
}

fn seeds(typed: &str) -> Result<Range<u64>, String> {
    let ends = typed.split_once("..");
    let range = ends.and_then(|(start, end)| Some(start.parse().ok()?..end.parse().ok()?));
    let range = range.filter(|range: &Range<u64>| !range.is_empty());
    range.ok_or_else(|| "give two whole numbers, the smaller first, such as 1..2000".to_owned())
}

const SIM_EXAMPLES: &str = "\
Datagrams are lost, doubled, delayed, reordered, cut short and altered; clients are cut off or vanish.
After every step the room is held against a second, separate model of the rules.
Exit code 1: a game failed; its seed, the last that happened and the line that repeats it are shown.

Examples:
  nuggets sim --seeds 1..2001          two thousand games
  nuggets sim --seed 12345             one game, to repeat a failure
  nuggets sim --seed 12345 --trace     with every datagram that arrives";
