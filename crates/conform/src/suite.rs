//! Many checks, judged one beside the other, each on its own stage.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::{Check, Clock, Failure, Judged, Outcome, Transcript, Verdict};

/// What a check needs to be judged, whatever plays on it.
pub trait Stage {
    /// What was exchanged on it.
    fn transcript(&self) -> &Transcript;

    /// Was a datagram thrown away on purpose? Then a failure may be nobody's fault.
    fn has_lost(&self) -> bool;

    /// If the program died without being asked to: how, and what had been sent to it just before.
    fn crash(&mut self) -> Option<String>;

    /// If the program ended by itself without being asked to: how, and what had been sent to it.
    fn ended(&mut self) -> Option<String> {
        None
    }

    /// A check has failed: what has come and nobody has read yet belongs to the transcript, too.
    fn read_the_rest(&mut self) {}
}

/// How checks are judged.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// So many at a time.
    pub jobs: usize,
    /// A failure that may come from a lost datagram counts when it has come so often in a row.
    pub tries: u32,
}

/// Judges every check on stages that are made for it, and tells each result as it comes. Results
/// are in the order of the checks. With `stop`, what has not begun is skipped.
pub fn run<S: Stage>(
    checks: &[&Check<S>],
    plan: Plan,
    stop: &AtomicBool,
    set_up: impl Fn(&Check<S>, u32) -> S + Sync,
    told: impl Fn(&Judged) + Sync,
) -> Vec<Judged> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(checks.len()));
    let work = || {
        while let Some(check) = checks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let judged = judge(check, plan.tries, stop, &set_up);
            told(&judged);
            results.lock().unwrap_or_else(PoisonError::into_inner).push(judged);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs.max(1) {
            scope.spawn(work);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|judged| checks.iter().position(|check| check.clause.id == judged.id));
    results
}

fn judge<S: Stage>(
    check: &Check<S>,
    most_tries: u32,
    stop: &AtomicBool,
    set_up: impl Fn(&Check<S>, u32) -> S,
) -> Judged {
    let clock = Clock::start();
    let mut judged = Judged::of(&check.clause, Outcome::Skipped { why: "stopped".into() });
    for attempt in 0..most_tries.max(1) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let mut stage = set_up(check, attempt);
        let verdict = dare(check, &mut stage).map_err(|failure| with_ending(failure, &mut stage));
        judged.tries += 1;
        let again = verdict.as_ref().is_err_and(|why| why.is_silence || stage.has_lost());
        judged.outcome = verdict.map_or_else(Outcome::Failed, |()| Outcome::Passed);
        if matches!(judged.outcome, Outcome::Failed(_)) {
            (judged.exchanges, judged.left_out) = stage.transcript().last();
        }
        if !again {
            break;
        }
    }
    if !matches!(judged.outcome, Outcome::Failed(_)) {
        judged.exchanges.clear();
        judged.left_out = 0;
    }
    judged.millis = u64::try_from(clock.elapsed().as_millis()).unwrap_or(u64::MAX);
    judged
}

/// A mistake of the tester's own costs one check, not the whole report.
fn dare<S: Stage>(check: &Check<S>, stage: &mut S) -> Verdict {
    let done = catch_unwind(AssertUnwindSafe(|| (check.run)(stage)));
    done.unwrap_or_else(|_| {
        let came = "the tester itself failed at it; this is not the program's fault";
        Err(Failure::new("the check can be done", came))
    })
}

fn with_ending<S: Stage>(failure: Failure, stage: &mut S) -> Failure {
    stage.read_the_rest();
    match (&failure.crash, stage.crash(), stage.ended()) {
        (None, Some(how), _) => failure.crashed(how),
        (None, None, Some(how)) => failure.ended(how),
        _ => failure,
    }
}

#[cfg(test)]
mod tests;
