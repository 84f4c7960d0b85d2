//! The tester, tested with mutants: every check fails a program with just that fault, no check fails a
//! program that is only different, and a program without fault passes everything.
//!
//! By default each fault is run against the check that finds it and a sample of those before it; with
//! `NUGGETS_RUNS=1`, against all of them.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod causes;
mod clients;
mod servers;

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use nuggets_conformance::{CheckOutcome, CheckResult};

/// The number of consecutive attempts after which an unexpected failure counts.
const TRIES: u32 = 5;

fn is_thorough() -> bool {
    std::env::var_os("NUGGETS_RUNS").is_some()
}

fn has_failed(result: &CheckResult) -> bool {
    matches!(result.outcome, CheckOutcome::Failed(_))
}

/// The failure of a check with the last messages.
fn describe(result: &CheckResult) -> String {
    let mut text = format!("{}: {:#?}\n", result.requirement.id, result.outcome);
    for exchange in result.exchanges.iter().rev().take(20).rev() {
        let _ = writeln!(text, "    {exchange}");
    }
    text
}

fn describe_failures(results: &[CheckResult]) -> String {
    results.iter().filter(|result| has_failed(result)).map(describe).collect()
}

/// Runs `problems` on all items, `jobs` at a time, and joins the texts that it returns. There may be many jobs, because
/// mutants mostly wait. On a slow machine, a time limit of the tester may be reached: an item with problems is run once
/// more alone, and only the problems of that run count.
fn join_problems<T: Sync>(
    jobs: usize,
    items: &[T],
    problems: impl Fn(usize, &T) -> String + Sync,
) -> String {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return found };
            if !problems(index, item).is_empty() {
                found.push(index);
            }
        }
    };
    let found: Vec<usize> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    found.into_iter().map(|index| problems(index, &items[index])).collect()
}
