//! `nuggets-sim --cluster`: simulates whole clusters.

use std::process::ExitCode;

use nuggets_sim::cluster::{ClusterPlan, ClusterRun, ClusterSabotage, ClusterTotal};
use nuggets_sim::host::HostFailure;
use serde_json::{Value, json};

use super::seeds::{failure_json, play_seeds, report_failures};
use super::{AnySabotage, BadArgument, SimArgs, count, print};

pub(super) fn run(args: &SimArgs) -> anyhow::Result<ExitCode> {
    let sabotage = match args.sabotage {
        None => None,
        Some(AnySabotage::Cluster(sabotage)) => Some(sabotage),
        Some(AnySabotage::Room(_)) => {
            return Err(BadArgument("this fault is not one of --cluster").into());
        }
    };
    let mut total = ClusterTotal::default();
    let play = |seed| ClusterRun::from_plan(plan(seed, sabotage)).play();
    let is_complete = play_seeds(args, play, |played| total.add(played))?;
    let report = if args.json { to_json(&total) } else { report(&total, sabotage) };
    print(&report)?;
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
    let shown = |it: &HostFailure| (it.seed, failure_report(it, sabotage));
    let failures: Vec<(u64, String)> = total.failures.iter().map(shown).collect();
    report_failures(&failures, &count(total.runs, "cluster")) + &figures(total)
}

fn figures(total: &ClusterTotal) -> String {
    let sums = &total.sums;
    let seconds = format!("{}.{} s", sums.virtual_ms / 1_000, sums.virtual_ms % 1_000 / 100);
    [
        format!(
            "  {seconds} of cluster time, {}, {} of {} ended\n",
            count(sums.faults, "fault"),
            sums.over,
            count(sums.games, "game")
        ),
        format!(
            "  {} answered, {} not; games claimed {}, opened {}, handed over {}\n",
            count(sums.statements, "statement"),
            sums.unanswered,
            count(sums.claims, "time"),
            count(sums.opened, "time"),
            count(sums.handed_over, "time")
        ),
        format!(
            "  {}, {} acted; clients joined or came back {}; {} compared\n",
            count(sums.keys, "key"),
            sums.acted,
            count(sums.joined, "time"),
            count(sums.pictures, "picture")
        ),
        format!("  all games served at most {} ms after the last fault", sums.longest_recovery_ms),
        format!("; digest {:016x}\n", sums.digest),
    ]
    .concat()
}

/// The failure and the command that reproduces it.
fn failure_report(failure: &HostFailure, sabotage: Option<ClusterSabotage>) -> String {
    let sabotage = sabotage.map_or(String::new(), |it| format!(" --sabotage {it}"));
    format!("{failure}reproduce it: nuggets-sim --cluster --seed {}{sabotage}\n\n", failure.seed)
}

fn to_json(total: &ClusterTotal) -> String {
    let failures = total
        .failures
        .iter()
        .map(|it| failure_json(it.seed, &it.setting, (it.at_ms, &it.what), &it.trace));
    let sums = &total.sums;
    let report = json!({
        "clusters": total.runs,
        "games": sums.games,
        "over": sums.over,
        "faults": sums.faults,
        "statements": sums.statements,
        "unanswered": sums.unanswered,
        "claims": sums.claims,
        "opened": sums.opened,
        "handed_over": sums.handed_over,
        "keys": sums.keys,
        "acted": sums.acted,
        "joined": sums.joined,
        "pictures": sums.pictures,
        "longest_recovery_ms": sums.longest_recovery_ms,
        "virtual_ms": sums.virtual_ms,
        "failures": failures.collect::<Vec<Value>>(),
    });
    format!("{report:#}\n")
}
