//! A made-up catalogue for tests: it judges shell scripts by how they end.

use std::path::Path;

use clap::Parser;
use nuggets_conform::suite::Stage;
use nuggets_conform::{Check, Clause, Clock, Dialects, Failure, Kind, Level, Transcript, Verdict};
use nuggets_stranger::{CommandLine, Ending, Stranger};

use super::doors::Door;
use super::trial::Trial;
use crate::args::conform::JudgeArgs;

/// The arguments from these words.
pub(super) fn judging(words: &[&str]) -> JudgeArgs {
    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        judging: JudgeArgs,
    }
    Alone::parse_from([&["alone"], words].concat()).judging
}

/// Judges programs by their exit code: 0 is good, 3 can't be run, 9 is a defect of the tester, and
/// anything else breaks a must.
pub(super) enum OfFakes {}

pub(super) struct FakeStage {
    code: i32,
    transcript: Transcript,
}

impl Stage for FakeStage {
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

impl Door for OfFakes {
    const KIND: Kind = Kind::Server;
    type Stage = FakeStage;
    type Settings = i32;

    fn catalogue() -> Vec<Check<FakeStage>> {
        vec![
            check("join.first", Level::Must, "It runs.", |_| Ok(())),
            check("join.order", Level::Must, "It keeps order.", |stage| match stage.code {
                0 => Ok(()),
                9 => panic!("a defect"),
                code => Err(Failure::new("code 0", format!("code {code}"))),
            }),
            check("keys.wall", Level::Should, "It minds walls.", |_| {
                Err(Failure::new("silence", "a step"))
            }),
            Check {
                clause: Clause {
                    dialects: Dialects::Only2019,
                    ..check("keys.old", Level::May, "It is old.", |_| Ok(())).clause
                },
                run: |_| Ok(()),
            },
        ]
    }

    fn settings(command: &CommandLine, _: &Trial<'_>) -> anyhow::Result<i32> {
        let mut program = Stranger::start(command, Path::new("/"))?;
        match program.wait_for_end(std::time::Duration::from_secs(60)) {
            Some(Ending::Exit(code)) => Ok(code),
            other => anyhow::bail!("{other:?}"),
        }
    }

    fn preflight(code: &i32) -> Result<(), String> {
        if *code == 3 { Err("it never announces a port".into()) } else { Ok(()) }
    }

    fn stage(code: &i32, _: &str, _: u32) -> FakeStage {
        FakeStage { code: *code, transcript: Transcript::new(Clock::start()) }
    }
}

fn check(
    id: &'static str,
    level: Level,
    demand: &'static str,
    run: fn(&mut FakeStage) -> Verdict,
) -> Check<FakeStage> {
    let section = if id.starts_with("join") { "Joining" } else { "Keys" };
    let source = "nowhere";
    let dialects = Dialects::Both;
    Check { clause: Clause { id, level, section, source, demand, dialects, in_2019: None }, run }
}
