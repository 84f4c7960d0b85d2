//! A catalogue for unit tests: it tests shell scripts by their exit codes.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use nuggets_conformance::suite::TestRun;
use nuggets_conformance::{
    CannotRun, Check, CheckFailure, Clock, Dialects, ProgramKind, Requirement, RequirementLevel,
    TestSettings, Transcript, Verdict,
};
use nuggets_subprocess::{Exit, Subprocess};

use crate::args::conform::SelectionArgs;

pub(super) fn check_args(words: &[&str]) -> SelectionArgs {
    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        args: SelectionArgs,
    }
    Alone::parse_from([&["alone"], words].concat()).args
}

/// A test by exit code: 0 passes, 3 can't be tested, 9 makes the check panic, and anything else fails
/// a must.
pub(super) struct FakeTest {
    code: i32,
    transcript: Transcript,
}

impl TestRun for FakeTest {
    const KIND: ProgramKind = ProgramKind::Server;

    fn catalogue() -> Vec<Check<FakeTest>> {
        vec![
            check("join.first", RequirementLevel::Must, "It runs.", |_| Ok(())),
            check("join.order", RequirementLevel::Must, "It keeps order.", |test| {
                match test.code {
                    0 => Ok(()),
                    9 => panic!("a bug in the tester"),
                    code => Err(CheckFailure::new("code 0", format!("code {code}"))),
                }
            }),
            check("keys.wall", RequirementLevel::Should, "It stops at walls.", |_| {
                Err(CheckFailure::new("silence", "a step"))
            }),
            Check {
                requirement: Requirement {
                    dialects: Dialects::Only2019,
                    ..check("keys.old", RequirementLevel::May, "It is old.", |_| Ok(())).requirement
                },
                run: |_| Ok(()),
            },
        ]
    }

    fn preflight(settings: &Arc<TestSettings>) -> Result<(), CannotRun> {
        let silent = || CannotRun("it never announces a port".into());
        if Self::new(settings, "preflight", 0).code == 3 { Err(silent()) } else { Ok(()) }
    }

    fn new(settings: &Arc<TestSettings>, _: &str, _: u32) -> Self {
        let mut program = Subprocess::start(&settings.command, Path::new("/")).unwrap();
        let Some(Exit::Code(code)) = program.wait_for_exit(Duration::from_secs(60)) else {
            panic!("it exits with a code")
        };
        Self { code, transcript: Transcript::new(Clock::start()) }
    }

    fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    fn has_lost(&self) -> bool {
        false
    }

    fn crash(&mut self) -> Option<String> {
        None
    }
}

fn check(
    id: &'static str,
    level: RequirementLevel,
    text: &'static str,
    run: fn(&mut FakeTest) -> Verdict,
) -> Check<FakeTest> {
    let section = if id.starts_with("join") { "Joining" } else { "Keys" };
    let dialects = Dialects::Both;
    let requirement = Requirement {
        id,
        level,
        section,
        source: "nowhere",
        text,
        dialects,
        in_2019: None,
        needs: "",
    };
    Check { requirement, run }
}
