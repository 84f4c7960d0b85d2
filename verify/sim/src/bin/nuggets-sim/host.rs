//! `nuggets-sim --host`: simulates whole web hosts.

use std::process::ExitCode;

use nuggets_sim::host::{HostFailure, HostRun, HostTotal};
use serde_json::{Value, json};

use super::seeds::{failure_json, play_seeds, report_failures};
use super::{SimArgs, count, print};

fn seconds(ms: u64) -> String {
    format!("{}.{} s of game time", ms / 1_000, ms % 1_000 / 100)
}

pub(super) fn run(args: &SimArgs) -> anyhow::Result<ExitCode> {
    let mut total = HostTotal::default();
    let play = |seed| HostRun::new(seed).play();
    let is_complete = play_seeds(args, play, |played| total.add(played))?;
    let report = if args.json { to_json(&total) } else { report(&total) };
    print(&report)?;
    let passed = total.failures.is_empty() && is_complete;
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn report(total: &HostTotal) -> String {
    let shown = |it: &HostFailure| {
        let reproduce = format!("reproduce it: nuggets-sim --host --seed {}", it.seed);
        (it.seed, format!("{it}{reproduce}\n\n"))
    };
    let failures: Vec<(u64, String)> = total.failures.iter().map(shown).collect();
    let sums = &total.sums;
    report_failures(&failures, &count(total.runs, "host"))
        + &format!(
            "  {}, {} of them ended; {}\n",
            count(sums.games, "game"),
            sums.over,
            seconds(sums.virtual_ms)
        )
        + &format!(
            "  {} broke, the server was killed {}, clients joined or came back {}\n",
            count(sums.drops, "connection"),
            count(sums.crashes, "time"),
            count(sums.joined, "time")
        )
        + &format!(
            "  over UDP {} arrived and {} were lost\n",
            count(sums.datagrams, "datagram"),
            sums.lost
        )
        + &format!(
            "  {}, {} compared with the model; digest {:016x}\n",
            count(sums.messages, "message"),
            count(sums.pictures, "picture"),
            sums.digest
        )
}

fn to_json(total: &HostTotal) -> String {
    let failures = total
        .failures
        .iter()
        .map(|it| failure_json(it.seed, &it.setting, (it.at_ms, &it.what), &it.trace));
    let sums = &total.sums;
    let report = json!({
        "hosts": total.runs,
        "games": sums.games,
        "over": sums.over,
        "joined": sums.joined,
        "drops": sums.drops,
        "crashes": sums.crashes,
        "messages": sums.messages,
        "datagrams": sums.datagrams,
        "datagrams_lost": sums.lost,
        "pictures": sums.pictures,
        "settled": sums.settled,
        "virtual_ms": sums.virtual_ms,
        "failures": failures.collect::<Vec<Value>>(),
    });
    format!("{report:#}\n")
}
