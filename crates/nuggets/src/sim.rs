//! `nuggets sim`: games over a bad network in memory, each step checked.

use std::fmt;
use std::io::Write;
use std::ops::Range;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use nuggets_sim::net::Tally;
use nuggets_sim::run::{Failure, Outcome, Plan, Run, Total, play_many};
use serde_json::{Value, json};

use crate::arena::{processors, progress_bar};
use crate::args::sim::SimArgs;
use crate::print;
use crate::signals::stop_on_signals;

/// So many failures are told in full.
const FAILURES_SHOWN: usize = 3;

pub(crate) fn run(args: &SimArgs) -> anyhow::Result<ExitCode> {
    match (args.seed, &args.seeds) {
        (Some(seed), _) if !args.json => run_one(seed, args),
        (Some(seed), _) => run_many(seed..seed.saturating_add(1), args),
        (None, Some(seeds)) => run_many(seeds.clone(), args),
        (None, None) => unreachable!("one of them is required"),
    }
}

fn plan(seed: u64, args: &SimArgs) -> Plan {
    let plan = Plan::draw(seed);
    match args.sabotage {
        Some(sabotage) => plan.sabotaged(sabotage),
        None => plan,
    }
}

fn run_one(seed: u64, args: &SimArgs) -> anyhow::Result<ExitCode> {
    let run = Run::of(plan(seed, args));
    let played = if args.trace { run.traced().play() } else { run.play() };
    let (report, code) = match played {
        Ok(outcome) => (tell_outcome(&outcome), ExitCode::SUCCESS),
        Err(failure) => (tell_failure(&failure, args), ExitCode::FAILURE),
    };
    print::out(|out| out.write_all(report.as_bytes()))?;
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
    let report = if args.json { to_json(&total) } else { tell_total(&total, wanted, args) };
    print::out(|out| out.write_all(report.as_bytes()))?;
    let is_well = total.failures.is_empty() && !stop.load(Ordering::Relaxed);
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn tell_outcome(outcome: &Outcome) -> String {
    let end = if outcome.is_over {
        format!("the game is over, {}", known(outcome.informed, outcome.seated))
    } else {
        "the game goes on, and everybody there has the right picture".to_owned()
    };
    let mut lines = outcome.trace.clone();
    lines.push(format!("seed {}: no fault found", outcome.seed));
    lines.push(format!("  {}", outcome.setting));
    lines.push(format!("  {}, {}", seconds(outcome.virtual_ms), datagrams(outcome.tally)));
    lines.push(format!("  {}; {end}", held(outcome.compared)));
    lines.push(format!("  digest {:016x}\n", outcome.digest));
    lines.join("\n")
}

fn tell_total(total: &Total, wanted: u64, args: &SimArgs) -> String {
    let (shown, rest) = total.failures.split_at(total.failures.len().min(FAILURES_SHOWN));
    let mut lines: Vec<String> = shown.iter().map(|failure| tell_failure(failure, args)).collect();
    if !rest.is_empty() {
        let seeds: Vec<String> = rest.iter().map(|failure| failure.seed.to_string()).collect();
        lines.push(format!("failed as well: {}\n", seeds.join(" ")));
    }
    let is_stopped = total.games < wanted;
    let stopped = if is_stopped { format!(" of {wanted}, then stopped") } else { String::new() };
    let verdict = match total.failures.len() {
        0 => "no fault found".to_owned(),
        failed => format!("{failed} failed"),
    };
    lines.push(format!("{}{stopped}: {verdict}\n", count(total.games, "game")));
    let clients = count(total.clients, "client");
    let (time, datagrams) = (seconds(total.virtual_ms), datagrams(total.tally));
    lines.push(format!("  {clients}, {time}, {datagrams}\n"));
    let (held, known) = (held(total.compared), known(total.informed, total.seated));
    lines.push(format!("  {held}; {} came to the end, {known}\n", count(total.over, "game")));
    lines.concat()
}

/// What happened, and the line that repeats it.
fn tell_failure(failure: &Failure, args: &SimArgs) -> String {
    let sabotage = args.sabotage.map_or(String::new(), |it| format!(" --sabotage {}", it.word()));
    format!("{failure}repeat it: nuggets sim --seed {}{sabotage}\n\n", failure.seed)
}

fn seconds(ms: u64) -> String {
    format!("{}.{} s of game time", ms / 1_000, ms % 1_000 / 100)
}

fn datagrams(tally: Tally) -> String {
    let Tally { sent, lost, doubled, damaged } = tally;
    format!("{} ({lost} lost, {doubled} doubled, {damaged} damaged)", count(sent, "datagram"))
}

fn held(compared: u64) -> String {
    format!("held against the model {}", count(compared, "time"))
}

fn known(informed: impl fmt::Display, seated: impl fmt::Display) -> String {
    format!("{informed} of {seated} seated there know the result")
}

fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

fn to_json(total: &Total) -> String {
    let failures: Vec<Value> = total.failures.iter().map(failure_json).collect();
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
        "virtual_ms": total.virtual_ms,
        "failures": failures,
    });
    format!("{report:#}\n")
}

fn failure_json(failure: &Failure) -> Value {
    json!({
        "seed": failure.seed,
        "setting": failure.setting,
        "at_ms": failure.at.0,
        "what": failure.what,
        "trace": failure.trace,
    })
}
