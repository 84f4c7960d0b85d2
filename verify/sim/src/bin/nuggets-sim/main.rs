//! `nuggets-sim`: simulates games over a bad network, hosts or clusters, and checks every step.

mod cluster;
mod host;
mod sabotage;
mod seeds;
mod terminal;

use std::fmt;
use std::io::Write as _;
use std::ops::Range;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use clap::{ArgGroup, Parser};
use nuggets_sim::net::Tally;
use nuggets_sim::run::{Run, RunFailure, RunOutcome, RunPlan, RunTotal, play_many};
use serde_json::{Value, json};
use thiserror::Error;

use sabotage::AnySabotage;
use seeds::{failure_json, report_failures};
use terminal::{print, processors, progress_bar, stop_on_signals};

/// Simulate games over a bad network and check every step.
#[derive(Debug, Parser)]
#[command(name = "nuggets-sim", version, after_help = SIM_EXAMPLES, group = ArgGroup::new("which").required(true))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
struct SimArgs {
    /// Play the one game of this seed: the same in every byte, every time
    #[arg(long, value_name = "N", group = "which", value_parser = clap::value_parser!(u64))]
    seed: Option<u64>,

    /// Play the games of all seeds from A up to but not including B
    #[arg(long, value_name = "A..B", group = "which", value_parser = seeds)]
    seeds: Option<Range<u64>>,

    /// Simulate a whole web host instead: lobby, games, connections that drop and come back, a server that
    /// is killed
    #[arg(long, conflicts_with_all = ["trace", "sabotage"])]
    host: bool,

    /// Simulate a cluster instead: nodes and a database that fail, and games that must be taken over
    #[arg(long, conflicts_with_all = ["host", "trace"])]
    cluster: bool,

    /// How many games to play at the same time; one for each processor if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Print every datagram that arrives: -> at the server, <- at a client
    #[arg(long, conflicts_with_all = ["seeds", "json"])]
    trace: bool,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,

    /// Inject a fault into the room, to test that it is found: resends (every message is sent only
    /// once), rules (sprints stop where they should not), idle (players are dropped too early) or linger (the
    /// end is sent for half as long); with --cluster, a rule that is broken, such as lock, lease or proof
    #[arg(long, value_name = "WHAT")]
    sabotage: Option<AnySabotage>,
}

fn seeds(typed: &str) -> Result<Range<u64>, String> {
    let ends = typed.split_once("..");
    let range = ends.and_then(|(start, end)| Some(start.parse().ok()?..end.parse().ok()?));
    let range = range.filter(|range: &Range<u64>| !range.is_empty());
    range.ok_or_else(|| "give two whole numbers, the smaller first, such as 1..2000".to_owned())
}

const SIM_EXAMPLES: &str = "\
Datagrams are lost, duplicated, delayed, reordered, truncated and altered; clients are cut off or vanish; the
server crashes and is restarted from its journal.
After every step the room is compared with a second, separate model of the rules.
Exit code 1: a game failed; its seed, the last events and the command that reproduces it are printed.

Examples:
  nuggets-sim --seeds 1..2001          two thousand games
  nuggets-sim --seed 12345             one game, to reproduce a failure
  nuggets-sim --seed 12345 --trace     with every datagram that arrives
  nuggets-sim --host --seeds 0..2000   two thousand web hosts
  nuggets-sim --cluster --seeds 0..2000  two thousand clusters";

/// An argument that clap can't reject alone, because it depends on others. Exit code 2.
#[derive(Debug, Error)]
#[error("{0}")]
struct BadArgument(&'static str);

fn main() -> ExitCode {
    run(&SimArgs::parse()).unwrap_or_else(|error| {
        // If that fails there is nowhere to report it.
        let _ = writeln!(std::io::stderr(), "error: {error:#}");
        ExitCode::from(if error.is::<BadArgument>() { 2 } else { 1 })
    })
}

/// A number of things, such as `1 game` or `2 games`.
fn count(number: u64, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}

fn run(args: &SimArgs) -> anyhow::Result<ExitCode> {
    if args.host {
        return host::run(args);
    }
    if args.cluster {
        return cluster::run(args);
    }
    if args.sabotage.is_some_and(|sabotage| sabotage.of_room().is_none()) {
        return Err(BadArgument("this fault needs --cluster").into());
    }
    match (args.seed, &args.seeds) {
        (Some(seed), _) if !args.json => run_one(seed, args),
        (Some(seed), _) => run_many(seed..seed.saturating_add(1), args),
        (None, Some(seeds)) => run_many(seeds.clone(), args),
        (None, None) => unreachable!("one of them is required"),
    }
}

fn plan(seed: u64, args: &SimArgs) -> RunPlan {
    let plan = RunPlan::draw(seed);
    match args.sabotage.and_then(AnySabotage::of_room) {
        Some(sabotage) => plan.sabotaged(sabotage),
        None => plan,
    }
}

fn run_one(seed: u64, args: &SimArgs) -> anyhow::Result<ExitCode> {
    let run = Run::from_plan(plan(seed, args));
    let played = if args.trace { run.with_full_trace().play() } else { run.play() };
    let (report, code) = match played {
        Ok(outcome) => (outcome_report(&outcome), ExitCode::SUCCESS),
        Err(failure) => (failure_report(&failure, args), ExitCode::FAILURE),
    };
    print(&report)?;
    Ok(code)
}

fn run_many(seeds: Range<u64>, args: &SimArgs) -> anyhow::Result<ExitCode> {
    let stop = stop_on_signals()?;
    let jobs = args.jobs.map_or_else(processors, usize::from);
    let wanted = seeds.end - seeds.start;
    let bar = progress_bar(wanted);
    let total =
        play_many(seeds, jobs, &stop, |seed| plan(seed, args), |done| bar.set_position(done));
    bar.finish_and_clear();
    let report = if args.json { to_json(&total) } else { total_report(&total, wanted, args) };
    print(&report)?;
    let passed = total.failures.is_empty() && !stop.load(Ordering::Relaxed);
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn outcome_report(outcome: &RunOutcome) -> String {
    let end = if outcome.is_over {
        format!("the game ended, {}", known(outcome.informed, outcome.seated))
    } else {
        "the game did not end, and every client has the right picture".to_owned()
    };
    let mut lines = outcome.trace.clone();
    lines.push(format!("seed {}: no fault found", outcome.seed));
    lines.push(format!("  {}", outcome.setting));
    let time = played(outcome.virtual_ms, outcome.crashes);
    lines.push(format!("  {time}, {}", datagrams(outcome.tally)));
    lines.push(format!("  {}; {end}", comparisons(outcome.compared)));
    lines.push(format!("  digest {:016x}\n", outcome.digest));
    lines.join("\n")
}

fn total_report(total: &RunTotal, wanted: u64, args: &SimArgs) -> String {
    let shown = |it: &RunFailure| (it.seed, failure_report(it, args));
    let failures: Vec<(u64, String)> = total.failures.iter().map(shown).collect();
    let is_stopped = total.games < wanted;
    let stopped = if is_stopped { format!(" of {wanted}, then stopped") } else { String::new() };
    let runs = count(total.games, "game") + &stopped;
    let mut lines = vec![report_failures(&failures, &runs)];
    let clients = count(total.clients, "client");
    let time = played(total.virtual_ms, total.crashes);
    lines.push(format!("  {clients}, {time}, {}\n", datagrams(total.tally)));
    let ended = count(total.over, "game");
    let known = known(total.informed, total.seated);
    lines.push(format!("  {}; {ended} ended, {known}\n", comparisons(total.compared)));
    lines.concat()
}

/// What happened, and the command that reproduces it.
fn failure_report(failure: &RunFailure, args: &SimArgs) -> String {
    let sabotage = match args.sabotage {
        Some(AnySabotage::Room(sabotage)) => format!(" --sabotage {}", sabotage.word()),
        _ => String::new(),
    };
    format!("{failure}reproduce it: nuggets-sim --seed {}{sabotage}\n\n", failure.seed)
}

fn played(ms: u64, crashes: u64) -> String {
    let crashes = if crashes == 1 { "1 crash" } else { &format!("{crashes} crashes") };
    format!("{}.{} s of game time, {crashes}", ms / 1_000, ms % 1_000 / 100)
}

fn datagrams(tally: Tally) -> String {
    let Tally { sent, lost, doubled, damaged } = tally;
    format!("{} ({lost} lost, {doubled} duplicated, {damaged} damaged)", count(sent, "datagram"))
}

fn comparisons(compared: u64) -> String {
    format!("compared with the model {}", count(compared, "time"))
}

fn known(informed: impl fmt::Display, seated: impl fmt::Display) -> String {
    format!("{informed} of {seated} clients in it know the result")
}

fn to_json(total: &RunTotal) -> String {
    let failures = total
        .failures
        .iter()
        .map(|it| failure_json(it.seed, &it.setting, (it.at.0, &it.fault.to_string()), &it.trace));
    let report = json!({
        "games": total.games,
        "over": total.over,
        "clients": total.clients,
        "seated": total.seated,
        "informed": total.informed,
        "datagrams": total.tally.sent,
        "lost": total.tally.lost,
        "doubled": total.tally.doubled,
        "damaged": total.tally.damaged,
        "compared": total.compared,
        "crashes": total.crashes,
        "virtual_ms": total.virtual_ms,
        "failures": failures.collect::<Vec<Value>>(),
    });
    format!("{report:#}\n")
}
