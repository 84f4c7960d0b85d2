//! When a check is tried again, and when it counts.

use std::sync::atomic::AtomicU32;

use super::*;
use crate::{Clause, Dialects, Level, Verdict, Way};

struct Bare {
    transcript: Transcript,
    attempt: u32,
    loses: bool,
    ends: bool,
}

impl Stage for Bare {
    fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    fn has_lost(&self) -> bool {
        self.loses
    }

    fn crash(&mut self) -> Option<String> {
        None
    }

    fn ended(&mut self) -> Option<String> {
        self.ends.then(|| "it exited with code 0".into())
    }

    fn read_the_rest(&mut self) {
        if self.ends {
            self.transcript.note_late("Ann", b"QUIT Bye!");
        }
    }
}

fn check(id: &'static str, run: fn(&mut Bare) -> Verdict) -> Check<Bare> {
    let clause = Clause {
        id,
        level: Level::Must,
        section: "Tests",
        source: "none",
        demand: "anything",
        dialects: Dialects::Both,
        in_2019: None,
    };
    Check { clause, run }
}

fn judge_with(loses: bool, deed: fn(&mut Bare) -> Verdict) -> Judged {
    let check = check("a.b", deed);
    let set_up = |_: &Check<Bare>, attempt| {
        let transcript = Transcript::new(Clock::start());
        transcript.note("Ann", Way::In, b"KEY h");
        Bare { transcript, attempt, loses, ends: false }
    };
    let plan = Plan { jobs: 2, tries: 3 };
    let told = AtomicU32::new(0);
    let go_on = AtomicBool::new(false);
    let count = |_: &Judged| {
        told.fetch_add(1, Ordering::Relaxed);
    };
    let mut results = run(&[&check], plan, &go_on, set_up, count);
    assert_eq!((results.len(), told.into_inner()), (1, 1));
    results.remove(0)
}

#[test]
fn a_silence_is_tried_again_and_a_wrong_word_is_not() {
    let silence = judge_with(false, |_| Err(Failure::silence("a word", "nothing")));
    assert_eq!(silence.tries, 3);
    assert!(matches!(silence.outcome, Outcome::Failed(_)));
    assert_eq!(silence.exchanges.len(), 1);
    let wrong = judge_with(false, |_| Err(Failure::new("a word", "another")));
    assert_eq!(wrong.tries, 1);
}

#[test]
fn what_goes_well_the_second_time_has_gone_well() {
    let judged = judge_with(false, |stage| match stage.attempt {
        0 => Err(Failure::silence("a word", "nothing")),
        _ => Ok(()),
    });
    assert_eq!((judged.tries, judged.outcome), (2, Outcome::Passed));
    assert!(judged.exchanges.is_empty());
}

#[test]
fn where_datagrams_are_lost_on_purpose_every_failure_is_tried_again() {
    let judged = judge_with(true, |_| Err(Failure::new("a word", "another")));
    assert_eq!(judged.tries, 3);
}

#[test]
fn results_keep_the_order_of_the_checks() {
    let ids = ["a.a", "a.b", "a.c", "a.d"];
    let checks = ids.map(|id| check(id, |_| Ok(())));
    let checks: Vec<&Check<Bare>> = checks.iter().collect();
    let set_up = |_: &Check<Bare>, attempt| Bare {
        transcript: Transcript::new(Clock::start()),
        attempt,
        loses: false,
        ends: false,
    };
    let stop = AtomicBool::new(false);
    let judged = run(&checks, Plan { jobs: 3, tries: 1 }, &stop, set_up, |_| {});
    assert_eq!(judged.iter().map(|judged| judged.id).collect::<Vec<_>>(), ids);
    stop.store(true, Ordering::Relaxed);
    let judged = run(&checks, Plan { jobs: 3, tries: 1 }, &stop, set_up, |_| {});
    assert!(judged.iter().all(|judged| matches!(judged.outcome, Outcome::Skipped { .. })));
}

#[test]
fn a_mistake_of_ours_costs_one_check() {
    let judged = judge_with(false, |stage| {
        assert!(stage.loses, "on purpose");
        Ok(())
    });
    let Outcome::Failed(failure) = judged.outcome else { panic!("it counts") };
    assert!(failure.came.contains("not the program's fault"), "{failure:?}");
}

#[test]
fn an_end_is_no_crash_and_what_nobody_read_is_told() {
    let check = check("a.b", |stage| {
        stage.ends = true;
        Err(Failure::silence("a word", "nothing"))
    });
    let set_up = |_: &Check<Bare>, attempt| {
        let transcript = Transcript::new(Clock::start());
        transcript.note("Ann", Way::In, b"KEY Q");
        Bare { transcript, attempt, loses: false, ends: false }
    };
    let plan = Plan { jobs: 1, tries: 3 };
    let judged = run(&[&check], plan, &AtomicBool::new(false), set_up, |_| {}).remove(0);
    let Outcome::Failed(failure) = &judged.outcome else { panic!("{judged:?}") };
    assert_eq!(failure.crash.as_deref(), Some("it exited with code 0"));
    assert_eq!((failure.end_word(), judged.tries), ("ended", 1));
    let texts: Vec<&str> = judged.exchanges.iter().map(|e| e.text.as_str()).collect();
    assert_eq!(texts, ["KEY Q", "QUIT Bye!"]);
}
