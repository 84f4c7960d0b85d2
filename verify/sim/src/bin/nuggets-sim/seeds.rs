//! What the simulations of a host and of a cluster have in common: many seeds at the same time, and how failures are shown.

use std::fmt::Write as _;
use std::sync::atomic::Ordering;

use nuggets_arena::Parallel;
use serde_json::{Value, json};

use super::terminal::{processors, progress_bar, stop_on_signals};

/// How many failures are printed in full.
const MAX_FAILURES_SHOWN: usize = 3;

/// Plays the runs of all seeds, several at the same time; `take` is given them in the order of the seeds. False if a signal
/// has ended it early.
pub(super) fn play_seeds<T: Send>(
    args: &super::SimArgs,
    play: impl Fn(u64) -> T + Sync,
    mut take: impl FnMut(T),
) -> anyhow::Result<bool> {
    let seeds = match (args.seed, &args.seeds) {
        (Some(seed), _) => seed..seed.saturating_add(1),
        (None, seeds) => seeds.clone().unwrap_or_default(),
    };
    let stop = stop_on_signals()?;
    let jobs = args.jobs.map_or_else(processors, usize::from);
    let bar = progress_bar(seeds.end - seeds.start);
    Parallel { jobs, stop: &stop }.run(
        seeds,
        |seed| Some(play(seed)),
        |done| bar.set_position(done),
        |_, played| take(played),
    );
    bar.finish_and_clear();
    Ok(!stop.load(Ordering::Relaxed))
}

/// The first failures in full, the seeds of the others, and the verdict about all `runs`. Each failure has its seed.
pub(super) fn report_failures(failures: &[(u64, String)], runs: &str) -> String {
    let (shown, rest) = failures.split_at(failures.len().min(MAX_FAILURES_SHOWN));
    let mut lines: String = shown.iter().map(|(_, text)| text.as_str()).collect();
    if !rest.is_empty() {
        let seeds: Vec<String> = rest.iter().map(|(seed, _)| seed.to_string()).collect();
        let _ = writeln!(lines, "also failed: {}", seeds.join(" "));
    }
    let verdict = match failures.len() {
        0 => "no fault found".to_owned(),
        failed => format!("{failed} failed"),
    };
    lines + &format!("{runs}: {verdict}\n")
}

/// A failure for `--json`.
pub(super) fn failure_json(
    seed: u64,
    setting: &str,
    (at_ms, what): (u64, &str),
    trace: &[String],
) -> Value {
    json!({"seed": seed, "setting": setting, "at_ms": at_ms, "what": what, "trace": trace})
}
