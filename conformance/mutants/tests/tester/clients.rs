//! The tester of clients.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nuggets_conformance::client::{ClientTest, ClientTestSettings, catalogue};
use nuggets_conformance::suite::{self, SuiteOptions};
use nuggets_conformance::{Check, CheckResult, Dialects, RequirementLevel};
use nuggets_protocol::Dialect;
use nuggets_subprocess::CommandLine;

use crate::{TRIES, describe_failures, has_failed, is_thorough, join_problems};

const MUTANT: &str = env!("CARGO_BIN_EXE_mutant_client");
const JOBS: usize = 10;

/// Each fault, and the first check in the order of the catalogue that finds it.
fn found_by() -> Vec<(&'static str, &'static str)> {
    let rows = include_str!("clients/found_by.txt").lines();
    rows.map(|row| row.split_once(' ').unwrap()).collect()
}

fn run(
    fault: &str,
    dialect: Dialect,
    options: SuiteOptions,
    checks: &[&Check<ClientTest>],
) -> Vec<CheckResult> {
    let command = CommandLine::new(&[MUTANT.into(), fault.into()], Path::new("/")).unwrap();
    let settings = Arc::new(ClientTestSettings::new(command, dialect));
    let set_up = |check: &Check<ClientTest>, attempt| {
        ClientTest::new(&settings, check.requirement.id, attempt)
    };
    suite::run(checks, options, &AtomicBool::new(false), set_up, |_| {})
}

/// Returns the problems of a row: another check finds the fault first, or this one misses it. Before a `must`, all
/// earlier checks are run; before other levels, a third of them.
fn problems_of_row(index: usize, fault: &str, id: &str) -> String {
    let checks = catalogue();
    let position = checks.iter().position(|check| check.requirement.id == id).unwrap();
    let requirement = checks[position].requirement;
    let dialect = match requirement.dialects {
        Dialects::Only2019 => Dialect::V2019,
        Dialects::Only2021 | Dialects::Both => Dialect::V2021,
    };
    let runs_all = is_thorough() || requirement.level == RequirementLevel::Must;
    let is_run = |at: usize, check: &Check<ClientTest>| {
        (runs_all || at % 3 == index % 3) && check.requirement.dialects.includes(dialect)
    };
    let before = checks[..position].iter().enumerate().filter(|(at, check)| is_run(*at, check));
    let before: Vec<_> = before.map(|(_, check)| check).collect();
    let early = run(fault, dialect, SuiteOptions { jobs: 1, tries: TRIES }, &before);
    let mut problems = describe_failures(&early);
    if !problems.is_empty() {
        problems = format!("{fault} is found before {id} by {problems}");
    }
    let own = run(fault, dialect, SuiteOptions { jobs: 1, tries: 1 }, &[&checks[position]]);
    if !own.iter().all(has_failed) {
        let _ = writeln!(problems, "{fault} passes {id}");
    }
    problems
}

#[test]
fn every_fault_is_found_by_its_check_and_by_none_before() {
    let problems =
        join_problems(JOBS, &found_by(), |index, (fault, id)| problems_of_row(index, fault, id));
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn a_client_without_fault_passes_everything() {
    for dialect in Dialect::ALL {
        let checks = catalogue();
        let applies = |check: &&Check<ClientTest>| check.requirement.dialects.includes(dialect);
        let checks: Vec<_> = checks.iter().filter(applies).collect();
        let results = run("none", dialect, SuiteOptions { jobs: JOBS, tries: TRIES }, &checks);
        assert_eq!(describe_failures(&results), "");
    }
}

#[test]
fn every_check_has_a_mutant_and_every_mutant_a_check() {
    let found_by = found_by();
    let checks = catalogue();
    let ids: BTreeSet<_> = checks.iter().map(|check| check.requirement.id).collect();
    assert_eq!(found_by.iter().map(|(_, id)| *id).collect::<BTreeSet<_>>(), ids);
    let listed = String::from_utf8(Command::new(MUTANT).arg("--list").output().unwrap().stdout);
    let listed = listed.unwrap();
    let faults = found_by.iter().map(|(fault, _)| *fault).chain(["none"]).collect();
    assert_eq!(listed.lines().collect::<BTreeSet<_>>(), faults);
}
