//! Runs many checks in parallel, each in a test run of its own, and retries what a lost datagram
//! may explain.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::{Check, CheckFailure, CheckOutcome, CheckResult, Clock, Transcript, Verdict, fail};

/// What the suite needs to know of one attempt at a check.
pub trait TestRun {
    /// The messages exchanged with the program.
    fn transcript(&self) -> &Transcript;

    /// True if a datagram was dropped on purpose: a failure may then be the tester's own doing.
    fn has_lost(&self) -> bool;

    /// If a signal ended the program unasked: which, and what had been sent just before.
    fn crash(&mut self) -> Option<String>;

    /// If the program exited unasked: with which code, and what had been sent just before.
    fn unexpected_exit(&mut self) -> Option<String> {
        None
    }

    /// Adds messages that arrived but were never read to the transcript of a failed check.
    fn read_late_messages(&mut self) {}
}

/// How checks are run.
#[derive(Clone, Copy, Debug)]
pub struct SuiteOptions {
    /// The number of checks that run at the same time.
    pub jobs: usize,
    /// A failure that a lost datagram may explain counts after this many attempts in a row.
    pub tries: u32,
}

/// Runs every check in test runs that `set_up` makes, and reports each result to `on_result` as it
/// arrives. The results are in the order of the checks. After `stop`, checks that have not begun are
/// skipped.
pub fn run<T: TestRun>(
    checks: &[&Check<T>],
    options: SuiteOptions,
    stop: &AtomicBool,
    set_up: impl Fn(&Check<T>, u32) -> T + Sync,
    on_result: impl Fn(&CheckResult) + Sync,
) -> Vec<CheckResult> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(checks.len()));
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(check) = checks.get(index) else { break };
            let result = run_check(check, options.tries, stop, &set_up);
            on_result(&result);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(work);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn run_check<T: TestRun>(
    check: &Check<T>,
    max_tries: u32,
    stop: &AtomicBool,
    set_up: impl Fn(&Check<T>, u32) -> T,
) -> CheckResult {
    let clock = Clock::start();
    let skipped = CheckOutcome::Skipped { why: "stopped".into() };
    let mut result = CheckResult::new(check.requirement, skipped);
    for attempt in 0..max_tries.max(1) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let mut test = set_up(check, attempt);
        result.tries += 1;
        result.exchanges.clear();
        result.left_out = 0;
        let Err(failure) = run_guarded(check, &mut test) else {
            result.outcome = CheckOutcome::Passed;
            break;
        };
        let failure = add_ending(failure, &mut test);
        let is_retryable = failure.is_retryable || test.has_lost();
        result.outcome = CheckOutcome::Failed(failure);
        (result.exchanges, result.left_out) = test.transcript().last();
        if !is_retryable {
            break;
        }
    }
    result.millis = u64::try_from(clock.elapsed().as_millis()).unwrap_or(u64::MAX);
    result
}

/// A panic of the tester costs one check, not the whole report.
fn run_guarded<T: TestRun>(check: &Check<T>, test: &mut T) -> Verdict {
    catch_unwind(AssertUnwindSafe(|| (check.run)(test))).unwrap_or_else(|_| {
        fail("the check can be run", "the tester itself failed; this is not the program's fault")
    })
}

fn add_ending<T: TestRun>(failure: CheckFailure, test: &mut T) -> CheckFailure {
    test.read_late_messages();
    if failure.crash.is_some() {
        return failure;
    }
    match (test.crash(), test.unexpected_exit()) {
        (Some(how), _) => failure.with_crash(how),
        (None, Some(how)) => failure.with_exit(how),
        (None, None) => failure,
    }
}

#[cfg(test)]
mod tests;
