//! `nuggets-sim`: simulates games over a bad network, hosts or clusters, and checks every step.

mod report;
mod terminal;

use std::io::Write as _;
use std::ops::Range;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use clap::{ArgGroup, Parser};
use nuggets_arena::Parallel;
use nuggets_sim::cluster::ClusterRun;
use nuggets_sim::host::HostRun;
use nuggets_sim::kit::{Sabotage, Simulation, play, play_many};
use nuggets_sim::room::RoomRun;
use thiserror::Error;

use terminal::{print, processors, progress_bar, stop_on_signals};

/// Simulate games over a bad network and check every step.
#[derive(Debug, Parser)]
#[command(name = "nuggets-sim", version, after_help = EXAMPLES, group = ArgGroup::new("which").required(true))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
struct SimArgs {
    /// Play the one run of this seed: the same in every byte, every time
    #[arg(long, value_name = "N", group = "which")]
    seed: Option<u64>,

    /// Play the runs of all seeds from A up to but not including B
    #[arg(long, value_name = "A..B", group = "which", value_parser = seeds)]
    seeds: Option<Range<u64>>,

    /// Simulate a whole web host instead: lobby, games, connections that drop and come back, a server that
    /// is killed
    #[arg(long)]
    host: bool,

    /// Simulate a cluster instead: nodes and a database that fail, and games that must be taken over
    #[arg(long, conflicts_with = "host")]
    cluster: bool,

    /// Play this many runs at the same time; one for each processor if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Print every line of the trace: -> arrives at the server, <- at a client
    #[arg(long, conflicts_with_all = ["seeds", "json"])]
    trace: bool,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,

    /// Break a rule, to test that this is found: resends (every message is sent only once), rules (sprints stop
    /// where they should not), idle (players are dropped too early) or linger (the end is sent for half as
    /// long); with --host journals; with --cluster for example lock, lease or proof
    #[arg(long, value_name = "WHAT")]
    sabotage: Option<String>,
}

fn seeds(typed: &str) -> Result<Range<u64>, String> {
    let ends = typed.split_once("..");
    let range = ends.and_then(|(start, end)| Some(start.parse().ok()?..end.parse().ok()?));
    let range = range.filter(|range: &Range<u64>| !range.is_empty());
    range.ok_or_else(|| "give two whole numbers, the smaller first, such as 1..2000".to_owned())
}

const EXAMPLES: &str = "\
Datagrams are lost, duplicated, delayed, reordered, truncated and altered; clients are cut off or vanish; the
server crashes and is restarted from its journal.
After every step the room is compared with a second, separate model of the rules.
Exit code 1: a run failed; its seed, the last events and the command that reproduces it are printed.

Examples, after `cargo run --release --package nuggets-sim --`:
  --seeds 1..2001            two thousand games
  --seed 12345               one game, to reproduce a failure
  --seed 12345 --trace       with every datagram that arrives
  --host --seeds 0..2000     two thousand web hosts
  --cluster --seeds 0..2000  two thousand clusters";

/// A word that names no rule of the simulation.
#[derive(Debug, Error)]
#[error("unknown rule '{word}': choose one of {known}")]
struct UnknownSabotage {
    word: String,
    known: String,
}

fn main() -> ExitCode {
    let args = SimArgs::parse();
    let done = match &args {
        SimArgs { host: true, .. } => simulate::<HostRun>(&args),
        SimArgs { cluster: true, .. } => simulate::<ClusterRun>(&args),
        _ => simulate::<RoomRun>(&args),
    };
    done.unwrap_or_else(|error| {
        // If that fails there is nowhere to report it.
        let _ = writeln!(std::io::stderr(), "error: {error:#}");
        ExitCode::from(if error.is::<UnknownSabotage>() { 2 } else { 1 })
    })
}

fn simulate<S: Simulation>(args: &SimArgs) -> anyhow::Result<ExitCode> {
    let sabotage = args.sabotage.as_deref().map(find::<S>).transpose()?;
    let word = sabotage.map(|it| it.word);
    let draw = |seed| sabotage.map_or_else(|| S::draw(seed), |it| it.broken::<S>(seed));
    let (text, has_passed) = match (args.seed, &args.seeds) {
        (Some(seed), _) if !args.json => {
            let mut run = S::new(draw(seed));
            if args.trace {
                run.log().keep_all_lines();
            }
            let played = play(run);
            (report::one::<S>(&played, word), played.is_ok())
        }
        (seed, seeds) => {
            let one = seed.map(|seed| seed..seed.saturating_add(1));
            let seeds = one.or_else(|| seeds.clone()).unwrap_or_default();
            let stop = stop_on_signals()?;
            let parallel =
                Parallel { jobs: args.jobs.map_or_else(processors, usize::from), stop: &stop };
            let wanted = seeds.end - seeds.start;
            let bar = progress_bar(wanted);
            let total = play_many::<S>(seeds, parallel, draw, |done| bar.set_position(done));
            bar.finish_and_clear();
            let text = if args.json {
                report::json::<S>(&total)
            } else {
                report::many::<S>(&total, wanted, word)
            };
            (text, total.failures.is_empty() && !stop.load(Ordering::Relaxed))
        }
    };
    print(&text)?;
    Ok(if has_passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn find<S: Simulation>(word: &str) -> Result<&'static Sabotage<S::Plan>, UnknownSabotage> {
    let words = || S::SABOTAGES.iter().map(|it| it.word).collect::<Vec<_>>().join(", ");
    let unknown = || UnknownSabotage { word: word.to_owned(), known: words() };
    S::SABOTAGES.iter().find(|it| it.word == word).ok_or_else(unknown)
}
