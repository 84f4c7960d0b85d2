//! `nuggets sim --cluster`: simulates whole clusters.

use std::io::Write;
use std::process::ExitCode;

use nuggets_cluster::sim::{
    ClusterFailure, ClusterPlan, ClusterRun, ClusterSabotage, ClusterTotal,
};
use serde_json::{Value, json};

use super::seeds::{failure_json, play_seeds, report_failures};
use super::{AnySabotage, SimArgs, count};
use crate::args::BadArgument;
use crate::print;

pub(super) fn run(args: &SimArgs) -> anyhow::Result<ExitCode> {
    let sabotage = match args.sabotage {
        None => None,
        Some(AnySabotage::Cluster(sabotage)) => Some(sabotage),
        Some(AnySabotage::Room(_)) => {
            return Err(BadArgument("this fault is not one of --cluster".into()).into());
        }
    };
    let mut total = ClusterTotal::default();
    let play = |seed| ClusterRun::from_plan(plan(seed, sabotage)).play();
    let is_complete = play_seeds(args, play, |played| total.add(played))?;
    let report = if args.json { to_json(&total) } else { report(&total, sabotage) };
    print::out(|out| out.write_all(report.as_bytes()))?;
    let passed = total.failures.is_empty() && is_complete;
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
    let shown = |it: &ClusterFailure| (it.seed, failure_report(it, sabotage));
    let failures: Vec<(u64, String)> = total.failures.iter().map(shown).collect();
    report_failures(&failures, &count(total.runs, "cluster")) + &figures(total)
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
            "  after the death of one broker all games answered within {} ms\n",
            sums.longest_broker_loss_ms
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
    let failures = total
        .failures
        .iter()
        .map(|it| failure_json(it.seed, &it.setting, (it.at_ms, &it.what), &it.trace));
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
        "longest_broker_loss_ms": sums.longest_broker_loss_ms,
        "virtual_ms": sums.virtual_ms,
        "failures": failures.collect::<Vec<Value>>(),
    });
    format!("{report:#}\n")
}
