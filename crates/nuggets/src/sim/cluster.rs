//! `nuggets sim --cluster`: simulates whole clusters.

use std::fmt::Write as _;
use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use nuggets_cluster::sim::{
    ClusterFailure, ClusterPlan, ClusterRun, ClusterSabotage, ClusterTotal,
};
use nuggets_sim::parallel::Parallel;
use serde_json::{Value, json};

use super::{AnySabotage, MAX_FAILURES_SHOWN, SimArgs, count};
use crate::arena::{processors, progress_bar};
use crate::args::BadArgument;
use crate::print;
use crate::signals::stop_on_signals;

pub(super) fn run(args: &SimArgs) -> anyhow::Result<ExitCode> {
    let sabotage = match args.sabotage {
        None => None,
        Some(AnySabotage::Cluster(sabotage)) => Some(sabotage),
        Some(AnySabotage::Room(_)) => {
            return Err(BadArgument("this fault is not one of --cluster".into()).into());
        }
    };
    let seeds = match (args.seed, &args.seeds) {
        (Some(seed), _) => seed..seed.saturating_add(1),
        (None, seeds) => seeds.clone().unwrap_or_default(),
    };
    let stop = stop_on_signals()?;
    let jobs = args.jobs.map_or_else(processors, usize::from);
    let bar = progress_bar(seeds.end - seeds.start);
    let mut total = ClusterTotal::default();
    Parallel { jobs, stop: &stop }.run(
        seeds,
        |seed| Some(ClusterRun::from_plan(plan(seed, sabotage)).play()),
        |done| bar.set_position(done),
        |_, played| total.add(played),
    );
    bar.finish_and_clear();
    let report = if args.json { to_json(&total) } else { report(&total, sabotage) };
    print::out(|out| out.write_all(report.as_bytes()))?;
    let passed = total.failures.is_empty() && !stop.load(Ordering::Relaxed);
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn plan(seed: u64, sabotage: Option<ClusterSabotage>) -> ClusterPlan {
    let plan = ClusterPlan::draw(seed);
    match sabotage {
        Some(sabotage) => plan.sabotaged(sabotage),
        None => plan,
    }
}

fn report(total: &ClusterTotal, sabotage: Option<ClusterSabotage>) -> String {
    let (shown, rest) = total.failures.split_at(total.failures.len().min(MAX_FAILURES_SHOWN));
    let mut lines: String = shown.iter().map(|failure| failure_report(failure, sabotage)).collect();
    if !rest.is_empty() {
        let seeds: Vec<String> = rest.iter().map(|failure| failure.seed.to_string()).collect();
        let _ = writeln!(lines, "also failed: {}", seeds.join(" "));
    }
    let verdict = match total.failures.len() {
        0 => "no fault found".to_owned(),
        failed => format!("{failed} failed"),
    };
    let _ = writeln!(lines, "{}: {verdict}", count(total.runs, "cluster"));
    lines + &figures(total)
}

fn figures(total: &ClusterTotal) -> String {
    let sums = &total.sums;
    let lost = count(sums.lost, "message");
    let doubled = count(sums.doubled, "publish").replace("publishs", "publishes");
    let records = count(sums.records, "record");
    let keys = count(sums.keys, "key");
    let seconds = format!("{}.{} s", sums.virtual_ms / 1_000, sums.virtual_ms % 1_000 / 100);
    [
        format!("  {seconds} of cluster time, {}\n", count(sums.faults, "fault")),
        format!("  {lost} lost, {doubled} doubled\n"),
        format!("  {keys}, {} answered; {records} stored\n", sums.answered),
        format!(
            "  logs opened {}, games paused {}, contradictions reported {}\n",
            count(sums.openings, "time"),
            count(sums.pauses, "time"),
            count(sums.contradictions, "time")
        ),
        format!("  resumed at most {} ms after the last fault\n", sums.longest_resume_ms),
        format!(
            "  taken over after {} ms (median), {} ms (99 %), {} ms (longest)\n",
            total.take_over_percentile_ms(50),
            total.take_over_percentile_ms(99),
            sums.longest_take_over_ms
        ),
        format!(
            "  {} handed over in at most {} ms\n",
            count(sums.hand_overs, "log"),
            sums.longest_hand_over_ms
        ),
    ]
    .concat()
}

/// What happened, and the command that reproduces it.
fn failure_report(failure: &ClusterFailure, sabotage: Option<ClusterSabotage>) -> String {
    let sabotage = sabotage.map_or(String::new(), |it| format!(" --sabotage {it}"));
    format!("{failure}reproduce it: nuggets sim --cluster --seed {}{sabotage}\n\n", failure.seed)
}

fn to_json(total: &ClusterTotal) -> String {
    let failures = total.failures.iter().map(|failure| {
        json!({
            "seed": failure.seed,
            "setting": failure.setting,
            "at_ms": failure.at_ms,
            "what": failure.what,
            "trace": failure.trace,
        })
    });
    let sums = &total.sums;
    let report = json!({
        "clusters": total.runs,
        "events": sums.events,
        "faults": sums.faults,
        "messages_lost": sums.lost,
        "publishes_doubled": sums.doubled,
        "records": sums.records,
        "keys": sums.keys,
        "answered": sums.answered,
        "openings": sums.openings,
        "pauses": sums.pauses,
        "contradictions": sums.contradictions,
        "hand_overs": sums.hand_overs,
        "longest_hand_over_ms": sums.longest_hand_over_ms,
        "longest_resume_ms": sums.longest_resume_ms,
        "take_over_p50_ms": total.take_over_percentile_ms(50),
        "take_over_p99_ms": total.take_over_percentile_ms(99),
        "longest_take_over_ms": sums.longest_take_over_ms,
        "virtual_ms": sums.virtual_ms,
        "failures": failures.collect::<Vec<Value>>(),
    });
    format!("{report:#}\n")
}
