//! Runs many checks in parallel, each in its own test run, and retries failures that a lost datagram may explain.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{
    CannotRun, Check, CheckFailure, CheckOutcome, CheckResult, Clock, Obstacle, ProgramKind,
    Requirement, TestSettings, Transcript, Verdict, fail,
};

/// One attempt at a check of one kind of program.
pub trait TestRun: Sized {
    /// The kind of program.
    const KIND: ProgramKind;

    /// All checks of this kind of program.
    fn catalogue() -> Vec<Check<Self>>;

    /// Starts the program once: fails if it can't be tested at all.
    fn preflight(settings: &Arc<TestSettings>) -> Result<(), CannotRun>;

    /// True if a test of this program mostly waits for its answers, so that many checks can run at the same time.
    fn answers_slowly(_settings: &Arc<TestSettings>) -> bool {
        false
    }

    /// Creates an attempt at the check with this id. The program does not run yet.
    fn new(settings: &Arc<TestSettings>, id: &str, attempt: u32) -> Self;

    /// The messages exchanged with the program.
    fn transcript(&self) -> &Transcript;

    /// True if a datagram was dropped on purpose: the tester itself may then have caused a failure.
    fn has_lost(&self) -> bool;

    /// If a signal ended the program unexpectedly: the signal, and the messages sent just before.
    fn crash(&mut self) -> Option<String>;

    /// If the program exited unexpectedly: the exit code, and the messages sent just before.
    fn unexpected_exit(&mut self) -> Option<String> {
        None
    }

    /// Adds messages that arrived but were never read to the transcript of a failed check.
    fn read_late_messages(&mut self) {}
}

/// The options for running checks.
#[derive(Clone, Copy, Debug)]
pub struct SuiteOptions {
    /// The number of checks that run at the same time.
    pub jobs: usize,
    /// The number of consecutive attempts after which a failure counts that a lost datagram may explain.
    pub tries: u32,
}

/// Checks that take much longer than the others.
const LONG_CHECKS: [&str; 1] = ["sight.walks"];

/// Runs every check in test runs of its own, and reports each result to `on_result` as it arrives. The results are in
/// the order of the checks. After `stop`, checks that have not begun are skipped.
pub fn run<T: TestRun>(
    checks: &[&Check<T>],
    settings: &Arc<TestSettings>,
    options: SuiteOptions,
    stop: &AtomicBool,
    on_result: impl Fn(&CheckResult) + Sync,
) -> Vec<CheckResult> {
    let order = order(checks);
    let missing = Missing::default();
    let mut results = in_parallel(options.jobs, &order, |_, index| {
        let result = run_check(checks[*index], settings, options.tries, stop, &missing);
        on_result(&result);
        (*index, result)
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Works on several items at the same time, which `work` gets with their indices, and which begin in their order. The
/// results are in the order of the items.
pub fn in_parallel<T: Sync, R: Send>(
    jobs: usize,
    items: &[T],
    work: impl Fn(usize, &T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    let worker = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { break };
            let result = work(index, item);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(worker);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Returns the order in which checks begin: first those that take much longer than the others, so that the run doesn't
/// end with waiting for one of them.
fn order<T>(checks: &[&Check<T>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..checks.len()).collect();
    order.sort_by_key(|index| !LONG_CHECKS.contains(&checks[*index].requirement.id));
    order
}

/// Expectations missed in all attempts at a check, each with the number of such checks. Another check that misses the
/// same need not be retried: a lost datagram does not explain it.
#[derive(Debug, Default)]
struct Missing(Mutex<BTreeMap<String, u32>>);

/// The number of checks after which a missing message counts as always missing. In one alone it may have a cause of its
/// own.
const ALWAYS: u32 = 3;

impl Missing {
    /// True if the check of the requirement to blame has failed, or if the expected message is always missing.
    fn contains(&self, failure: &CheckFailure) -> bool {
        if failure.depends_on_seed {
            return false;
        }
        let missing = self.lock();
        let is_blamed = match failure.obstacle {
            Some(Obstacle::Requirement(id)) => missing.contains_key(id),
            Some(Obstacle::Other) | None => false,
        };
        is_blamed || missing.get(&failure.expected).is_some_and(|checks| *checks >= ALWAYS)
    }

    fn insert(&self, failure: &CheckFailure, own: &Requirement) {
        let mut missing = self.lock();
        if failure.obstacle.is_none() {
            *missing.entry(own.id.to_owned()).or_default() += 1;
        }
        *missing.entry(failure.expected.clone()).or_default() += 1;
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn run_check<T: TestRun>(
    check: &Check<T>,
    settings: &Arc<TestSettings>,
    max_tries: u32,
    stop: &AtomicBool,
    missing: &Missing,
) -> CheckResult {
    let clock = Clock::start();
    let skipped = CheckOutcome::Skipped { why: "stopped".into() };
    let mut result = CheckResult::new(check.requirement, skipped);
    for attempt in 0..max_tries.max(1) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let mut test = T::new(settings, check.requirement.id, attempt);
        result.tries += 1;
        result.exchanges.clear();
        result.left_out = 0;
        let Err(failure) = run_guarded(check, &mut test) else {
            result.outcome = CheckOutcome::Passed;
            break;
        };
        let failure = add_ending(failure, &mut test);
        let is_known = !test.has_lost() && missing.contains(&failure);
        let is_retryable = (failure.is_retryable && !is_known) || test.has_lost();
        if failure.is_retryable && attempt + 1 >= max_tries {
            missing.insert(&failure, &check.requirement);
        }
        result.outcome = outcome_of(failure, &check.requirement);
        (result.exchanges, result.left_out) = test.transcript().last();
        if !is_retryable {
            break;
        }
    }
    result.millis = u64::try_from(clock.elapsed().as_millis()).unwrap_or(u64::MAX);
    result
}

/// Returns the outcome of a failed check. Its own requirement can't be the obstacle that keeps it from judging.
fn outcome_of(failure: CheckFailure, own: &Requirement) -> CheckOutcome {
    match failure.obstacle {
        None => CheckOutcome::Failed(failure),
        Some(Obstacle::Requirement(id)) if id == own.id => {
            CheckOutcome::Failed(CheckFailure { obstacle: None, ..failure })
        }
        Some(_) => CheckOutcome::NotJudged(failure),
    }
}

/// Runs a check so that a panic of the tester costs one check, not the whole report.
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
    // A check is responsible for its last messages: a crash counts against it.
    let own = CheckFailure { obstacle: None, ..failure.clone() };
    match (test.crash(), test.unexpected_exit()) {
        (Some(how), _) => own.with_crash(how),
        (None, Some(how)) => CheckFailure { is_exit: true, ..own.with_crash(how) },
        (None, None) => failure,
    }
}

#[cfg(test)]
mod tests;
