//! The rules for retrying a check, and for counting a failure.

use std::path::Path;
use std::sync::atomic::AtomicU32;

use nuggets_protocol::Dialect;
use nuggets_subprocess::CommandLine;

use super::*;
use crate::report::samples::requirement;
use crate::{ExchangeKind, RequirementLevel};

struct FakeRun {
    transcript: Transcript,
    attempt: u32,
    has_lost: bool,
    has_exited: bool,
}

impl TestRun for FakeRun {
    const KIND: ProgramKind = ProgramKind::Server;

    fn catalogue() -> Vec<Check<Self>> {
        vec![]
    }

    fn preflight(_: &Arc<TestSettings>) -> Result<(), CannotRun> {
        Ok(())
    }

    fn new(settings: &Arc<TestSettings>, _: &str, attempt: u32) -> Self {
        let transcript = Transcript::new(Clock::start());
        transcript.note("Ann", ExchangeKind::In, b"KEY h");
        Self { transcript, attempt, has_lost: settings.is_lossy(), has_exited: false }
    }

    fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    fn has_lost(&self) -> bool {
        self.has_lost
    }

    fn crash(&mut self) -> Option<String> {
        None
    }

    fn unexpected_exit(&mut self) -> Option<String> {
        self.has_exited.then(|| "it exited with code 0".into())
    }

    fn read_late_messages(&mut self) {
        if self.has_exited {
            self.transcript.note_late("Ann", b"QUIT Bye!");
        }
    }
}

fn check(id: &'static str, run: fn(&mut FakeRun) -> Verdict) -> Check<FakeRun> {
    Check { requirement: requirement(id, RequirementLevel::Must), run }
}

fn settings(loss_percent: u32) -> Arc<TestSettings> {
    let command = CommandLine::new(&["sh".into()], Path::new("/")).unwrap();
    Arc::new(TestSettings { loss_percent, ..TestSettings::new(command, Dialect::V2021) })
}

fn run_all(checks: &[Check<FakeRun>], jobs: usize, stop: &AtomicBool) -> Vec<CheckResult> {
    let checks: Vec<&Check<FakeRun>> = checks.iter().collect();
    run(&checks, &settings(0), SuiteOptions { jobs, tries: 3 }, stop, |_| {})
}

/// Runs one check, with datagrams lost on purpose or not.
fn run_one(has_lost: bool, function: fn(&mut FakeRun) -> Verdict) -> CheckResult {
    let check = check("a.b", function);
    let options = SuiteOptions { jobs: 2, tries: 3 };
    let reported = AtomicU32::new(0);
    let stop = AtomicBool::new(false);
    let mut results = run(&[&check], &settings(has_lost.into()), options, &stop, |_| {
        reported.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!((results.len(), reported.into_inner()), (1, 1));
    results.remove(0)
}

#[test]
fn a_missing_message_is_retried_and_a_wrong_one_is_not() {
    let missing = run_one(false, |_| Err(CheckFailure::retryable("a message", "nothing")));
    assert_eq!(missing.tries, 3);
    assert!(matches!(missing.outcome, CheckOutcome::Failed(_)));
    assert_eq!(missing.exchanges.len(), 1);
    let wrong = run_one(false, |_| fail("a message", "another"));
    assert_eq!(wrong.tries, 1);
}

#[test]
fn a_check_that_passes_on_the_second_attempt_has_passed() {
    let result = run_one(false, |test| match test.attempt {
        0 => Err(CheckFailure::retryable("a message", "nothing")),
        _ => Ok(()),
    });
    assert_eq!((result.tries, result.outcome), (2, CheckOutcome::Passed));
    assert!(result.exchanges.is_empty());
}

#[test]
fn a_check_that_lacks_what_it_needs_is_not_judged_after_all_attempts() {
    let result = run_one(false, |_| Err(CheckFailure::not_judged("a map", "nothing")));
    assert_eq!(result.tries, 3);
    assert_eq!(result.exchanges.len(), 1, "there is evidence");
    let CheckOutcome::NotJudged(failure) = result.outcome else { panic!("{:?}", result.outcome) };
    assert_eq!(failure.obstacle, Some(Obstacle::Other));
    let later = run_one(false, |test| match test.attempt {
        0 => Err(CheckFailure::not_judged("a map", "nothing")),
        _ => fail("a message", "another"),
    });
    assert!(matches!(later.outcome, CheckOutcome::Failed(_)), "the last attempt counts");
}

#[test]
fn what_was_missing_in_all_attempts_is_not_waited_for_again() {
    let silent: fn(&mut FakeRun) -> Verdict =
        |_| Err(CheckFailure::retryable("a message", "nothing"));
    let needs_it: fn(&mut FakeRun) -> Verdict =
        |_| Err(CheckFailure::retryable("a map", "nothing").because_of("a.a"));
    let ids = ["a.a", "a.b", "a.c", "a.d"];
    let mut checks = ids.map(|id| check(id, silent)).to_vec();
    checks.push(check("a.e", needs_it));
    let results = run_all(&checks, 1, &AtomicBool::new(false));
    assert_eq!(results.iter().map(|result| result.tries).collect::<Vec<_>>(), [3, 3, 3, 1, 1]);
}

#[test]
fn another_seed_is_tried_even_if_the_same_was_missing_in_other_checks() {
    let unlucky: fn(&mut FakeRun) -> Verdict =
        |_| Err(CheckFailure::for_this_seed("a free spot", "none").because_of("a.a"));
    let checks = ["a.a", "a.b", "a.c", "a.d", "a.e"].map(|id| check(id, unlucky));
    let results = run_all(&checks, 1, &AtomicBool::new(false));
    assert!(results.iter().all(|result| result.tries == 3));
}

#[test]
fn a_check_is_not_judged_because_of_another_requirement_but_fails_because_of_its_own() {
    let other = run_one(false, |_| Err(CheckFailure::new("a map", "noise").because_of("c.d")));
    let CheckOutcome::NotJudged(failure) = other.outcome else { panic!("{:?}", other.outcome) };
    assert_eq!(failure.obstacle, Some(Obstacle::Requirement("c.d")));
    let own = run_one(false, |_| Err(CheckFailure::new("a map", "noise").because_of("a.b")));
    assert_eq!(own.outcome, CheckOutcome::Failed(CheckFailure::new("a map", "noise")));
}

#[test]
fn every_failure_is_retried_if_datagrams_were_dropped_on_purpose() {
    let result = run_one(true, |_| fail("a message", "another"));
    assert_eq!(result.tries, 3);
}

#[test]
fn results_keep_the_order_of_the_checks() {
    let ids = ["a.a", "a.b", "a.c", "a.d"];
    let checks = ids.map(|id| check(id, |_| Ok(())));
    let results = run_all(&checks, 3, &AtomicBool::new(false));
    assert_eq!(results.iter().map(|result| result.requirement.id).collect::<Vec<_>>(), ids);
    let results = run_all(&checks, 3, &AtomicBool::new(true));
    assert!(results.iter().all(|result| matches!(result.outcome, CheckOutcome::Skipped { .. })));
}

#[test]
fn a_panic_of_the_tester_costs_one_check() {
    let result = run_one(false, |test| {
        assert!(test.has_lost, "on purpose");
        Ok(())
    });
    let CheckOutcome::Failed(failure) = result.outcome else { panic!("it counts") };
    assert!(failure.actual.contains("not the program's fault"), "{failure:?}");
}

#[test]
fn an_exit_is_not_a_crash_and_unread_messages_are_added_to_the_transcript() {
    let result = run_one(false, |test| {
        test.has_exited = true;
        Err(CheckFailure::retryable("a message", "nothing"))
    });
    let CheckOutcome::Failed(failure) = &result.outcome else { panic!("{result:?}") };
    assert_eq!(failure.crash.as_deref(), Some("it exited with code 0"));
    assert_eq!((failure.crash_label(), result.tries), ("exited", 1));
    let texts: Vec<&str> = result.exchanges.iter().map(|e| e.text.as_str()).collect();
    assert_eq!(texts, ["KEY h", "QUIT Bye!"]);
}
