//! One fault of a program is one fault of its report: all other failures follow from it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nuggets_conformance::server::{ServerTest, ServerTestSettings, catalogue};
use nuggets_conformance::suite::{self, SuiteOptions};
use nuggets_conformance::{
    Check, CheckOutcome, CheckResult, ConformanceReport, ProgramKind, find_causes,
};
use nuggets_protocol::Dialect;
use nuggets_subprocess::CommandLine;

/// The number of attempts. It is small because every attempt waits in vain for a message that a mutant never sends.
const TRIES: u32 = 2;

/// Returns the report of a server with this fault, for the checks that `words` select.
fn report(fault: &str, words: &[&str]) -> ConformanceReport {
    let checks = catalogue();
    let is_selected = |check: &&Check<ServerTest>| {
        words.iter().any(|word| check.requirement.matches(word))
            && check.requirement.dialects.includes(Dialect::V2021)
    };
    let checks: Vec<_> = checks.iter().filter(is_selected).collect();
    let command = [env!("CARGO_BIN_EXE_mutant_server"), fault].map(Into::into);
    let command = CommandLine::new(&command, Path::new("/")).unwrap();
    let settings = Arc::new(ServerTestSettings::new(command, Dialect::V2021));
    let set_up = |check: &Check<ServerTest>, attempt| {
        ServerTest::new(&settings, check.requirement.id, attempt)
    };
    let options = SuiteOptions { jobs: 6, tries: TRIES };
    let mut results = suite::run(&checks, options, &AtomicBool::new(false), set_up, |_| {});
    find_causes(ProgramKind::Server, &mut results);
    ConformanceReport {
        kind: ProgramKind::Server,
        program: fault.into(),
        dialect: "2021".into(),
        tester: String::new(),
        millis: 0,
        results,
    }
}

fn faults(report: &ConformanceReport) -> Vec<&str> {
    report.faults().iter().map(|fault| fault.result.requirement.id).collect()
}

#[test]
fn eight_short_sprints_are_one_fault() {
    let report = report("sprint-one-step", &["move"]);
    assert_eq!(faults(&report), ["move.sprint-h"]);
    assert!(report.faults()[0].failed.len() >= 8, "{:?}", report.faults());
}

#[test]
fn a_server_that_never_sends_ok_is_blamed_for_that() {
    let report = report("ok-missing", &["join.ok", "join.own-letter", "move"]);
    assert_eq!(faults(&report), ["join.ok"]);
}

#[test]
fn a_server_that_crashes_at_spectators_is_blamed_for_that_and_judged_on_the_rest() {
    let report = report("crash-on-spectator", &["spectate", "move", "quit", "gold"]);
    assert_eq!(faults(&report), ["spectate.grid"]);
    let is_open = |result: &&CheckResult| matches!(result.outcome, CheckOutcome::NotJudged(_));
    let not_judged = report.results.iter().filter(is_open).map(|result| result.requirement.id);
    let needed = |id: &&str| !id.starts_with("spectate");
    let others: Vec<&str> = not_judged.filter(needed).collect();
    assert_eq!(others, ["move.to-spectator", "gold.in-rooms", "gold.spectator"]);
}

#[test]
fn keys_that_are_wrong_in_the_same_way_are_one_fault_and_both_count() {
    let report = report("up-down-swapped", &["move.h", "move.l", "move.k", "move.j", "quit"]);
    assert_eq!(faults(&report), ["move.k"]);
    assert_eq!(report.failures().len(), 2);
}

#[test]
fn what_needs_several_players_is_not_judged_where_their_letters_are_mixed() {
    let report = report("moved-players-get-last-letter", &["move.whose", "swap", "gold.others"]);
    assert_eq!(faults(&report), ["move.whose"]);
    let is_judged = |result: &&CheckResult| !matches!(result.outcome, CheckOutcome::NotJudged(_));
    assert_eq!(report.results.iter().filter(is_judged).count(), 1);
}

#[test]
fn keys_that_all_lead_elsewhere_are_one_fault_and_nothing_else_fails() {
    let report = report("keys-turned", &["move", "gold", "swap", "quit"]);
    assert_eq!(faults(&report), ["move.h"]);
    let is_key = |id: &str| id.rsplit(['.', '-']).next().is_some_and(|key| key.len() == 1);
    let failures: Vec<&str> = report.failures().iter().map(|(it, _)| it.requirement.id).collect();
    let others: Vec<&&str> = failures.iter().filter(|id| !is_key(id)).collect();
    assert!(others.is_empty() && failures.len() >= 14, "{failures:?}");
}

#[test]
fn what_others_are_sent_is_judged_only_if_they_are_sent_gold() {
    let report = report("gold-only-to-collector", &["gold", "swap"]);
    let failures: Vec<&str> = report.failures().iter().map(|(it, _)| it.requirement.id).collect();
    assert_eq!(failures, ["gold.others", "gold.spectator"]);
}
