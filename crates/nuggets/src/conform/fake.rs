//! A catalogue for unit tests: it tests shell scripts by their exit codes.

use std::path::Path;

use clap::Parser;
use nuggets_conformance::suite::TestRun;
use nuggets_conformance::{
    CannotRun, Check, CheckFailure, Clock, Dialects, ProgramKind, Requirement, RequirementLevel,
    Transcript, Verdict,
};
use nuggets_subprocess::{CommandLine, Exit, Subprocess};

use super::subject::Subject;
use super::tester::Tester;
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

impl Subject for FakeTest {
    const KIND: ProgramKind = ProgramKind::Server;
    type Settings = i32;

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

    fn settings(command: &CommandLine, _: &Tester<'_>) -> anyhow::Result<i32> {
        let mut program = Subprocess::start(command, Path::new("/"))?;
        match program.wait_for_exit(std::time::Duration::from_secs(60)) {
            Some(Exit::Code(code)) => Ok(code),
            other => anyhow::bail!("{other:?}"),
        }
    }

    fn preflight(code: &i32) -> Result<(), CannotRun> {
        if *code == 3 { Err(CannotRun("it never announces a port".into())) } else { Ok(()) }
    }

    fn start(code: &i32, _: &str, _: u32) -> Self {
        Self { code: *code, transcript: Transcript::new(Clock::start()) }
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
