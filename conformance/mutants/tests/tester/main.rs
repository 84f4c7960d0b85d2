//! The tester, tested with mutants: every check fails a program with just that fault, no check fails a
//! program that is only different, and a program without fault passes everything.
//!
//! By default each fault is run against the check that finds it and a sample of those before it; with
//! `NUGGETS_RUNS=1`, against all of them.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod causes;
mod clients;
mod servers;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nuggets_conformance::suite::{self, SuiteOptions, TestRun};
use nuggets_conformance::{CheckOutcome, CheckResult, Requirement, TestSettings};
use nuggets_protocol::Dialect;
use nuggets_subprocess::CommandLine;

/// The number of consecutive attempts after which an unexpected failure counts.
const TRIES: u32 = 5;

/// A fault, the dialect of its test, and the check that finds it.
struct Row {
    fault: &'static str,
    dialect: Dialect,
    id: &'static str,
}

fn rows(table: &'static str) -> Vec<Row> {
    let row = |line: &'static str| {
        let [fault, dialect, id] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        Row { fault, dialect: dialect.parse().unwrap(), id }
    };
    table.lines().map(row).collect()
}

fn is_thorough() -> bool {
    std::env::var_os("NUGGETS_RUNS").is_some()
}

/// Runs those checks of the dialect that `is_run` selects, by their place in the catalogue, on the mutant that these
/// words start.
fn run<T: TestRun>(
    words: &[&str],
    dialect: Dialect,
    options: SuiteOptions,
    is_run: impl Fn(usize, &Requirement) -> bool,
) -> Vec<CheckResult> {
    let words: Vec<OsString> = words.iter().map(Into::into).collect();
    let command = CommandLine::new(&words, Path::new("/")).unwrap();
    let settings = Arc::new(TestSettings::new(command, dialect));
    let catalogue = T::catalogue();
    let applies = |(at, requirement): (usize, &Requirement)| {
        requirement.dialects.includes(dialect) && is_run(at, requirement)
    };
    let checks = catalogue.iter().enumerate().filter(|(at, it)| applies((*at, &it.requirement)));
    let checks: Vec<_> = checks.map(|(_, check)| check).collect();
    suite::run(&checks, &settings, options, &AtomicBool::new(false), |_| {})
}

/// Returns the problems of a row: its check misses the fault, or one of the sampled checks before it finds it.
fn problems_of_row<T: TestRun>(
    words: &[&str],
    Row { fault, dialect, id }: &Row,
    jobs: usize,
    is_sampled: impl Fn(usize) -> bool,
) -> String {
    let catalogue = T::catalogue();
    let own = catalogue.iter().position(|check| check.requirement.id == *id).unwrap();
    let mut problems = String::new();
    let options = SuiteOptions { jobs: 1, tries: 2 };
    if !run::<T>(words, *dialect, options, |at, _| at == own).iter().all(has_failed) {
        let _ = writeln!(problems, "{fault} passes {id}");
    }
    let options = SuiteOptions { jobs, tries: TRIES };
    let early = run::<T>(words, *dialect, options, |at, _| at < own && is_sampled(at));
    let early = describe_failures(&early);
    if !early.is_empty() {
        let _ = write!(problems, "{fault} is found before {id} by {early}");
    }
    problems
}

/// Fails if a program without fault fails a check in any dialect.
fn assert_faultless_passes<T: TestRun>(words: fn(&str) -> Vec<&str>, jobs: usize) {
    for dialect in Dialect::ALL {
        let year = dialect.to_string();
        let options = SuiteOptions { jobs, tries: TRIES };
        let results = run::<T>(&words(&year), dialect, options, |_, _| true);
        assert!(results.len() > 60);
        assert_eq!(describe_failures(&results), "");
    }
}

/// Returns what a mutant prints with this option.
fn printed(program: &str, option: &str) -> String {
    String::from_utf8(Command::new(program).arg(option).output().unwrap().stdout).unwrap()
}

fn has_failed(result: &CheckResult) -> bool {
    matches!(result.outcome, CheckOutcome::Failed(_))
}

/// The failed checks, each with its last messages.
fn describe_failures(results: &[CheckResult]) -> String {
    let mut text = String::new();
    for result in results.iter().filter(|result| has_failed(result)) {
        let _ = writeln!(text, "{}: {:#?}", result.requirement.id, result.outcome);
        for exchange in result.exchanges.iter().rev().take(20).rev() {
            let _ = writeln!(text, "    {exchange}");
        }
    }
    text
}

/// Runs `problems` on all items, `jobs` at a time, and fails with the texts that it returns. There may be many jobs,
/// because mutants mostly wait. On a slow machine, a time limit of the tester may be reached: an item with problems is
/// run once more alone, and only the problems of that run count.
fn assert_no_problems<T: Sync>(
    jobs: usize,
    items: &[T],
    problems: impl Fn(usize, &T) -> String + Sync,
) {
    let found = suite::in_parallel(jobs, items, |at, item| (at, !problems(at, item).is_empty()));
    let found = found.into_iter().filter(|(_, has_problems)| *has_problems);
    let problems: String = found.map(|(at, _)| problems(at, &items[at])).collect();
    assert!(problems.is_empty(), "{problems}");
}
