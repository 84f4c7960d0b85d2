//! The tester of clients.

use std::collections::BTreeSet;

use nuggets_conformance::RequirementLevel;
use nuggets_conformance::client::ClientTest;
use nuggets_conformance::suite::TestRun;

use crate::{
    assert_faultless_passes, assert_no_problems, is_thorough, printed, problems_of_row, rows,
};

const MUTANT: &str = env!("CARGO_BIN_EXE_mutant_client");
const JOBS: usize = 10;

/// The first check in the order of the catalogue that finds each fault.
const FOUND_BY: &str = include_str!("clients/found_by.txt");

/// Before a `must`, all earlier checks are run; before other levels, a third of them.
#[test]
fn every_fault_is_found_by_its_check_and_by_none_before() {
    let catalogue = ClientTest::catalogue();
    assert_no_problems(JOBS, &rows(FOUND_BY), |index, row| {
        let own = catalogue.iter().find(|check| check.requirement.id == row.id).unwrap();
        let runs_all = is_thorough() || own.requirement.level == RequirementLevel::Must;
        let is_sampled = |at: usize| runs_all || at % 3 == index % 3;
        problems_of_row::<ClientTest>(&[MUTANT, row.fault], row, 1, is_sampled)
    });
}

#[test]
fn a_client_without_fault_passes_everything() {
    assert_faultless_passes::<ClientTest>(|_| vec![MUTANT, "none"], JOBS);
}

#[test]
fn every_check_has_a_mutant_and_every_mutant_a_check() {
    let rows = rows(FOUND_BY);
    let ids = ClientTest::catalogue().iter().map(|check| check.requirement.id).collect();
    assert_eq!(rows.iter().map(|row| row.id).collect::<BTreeSet<_>>(), ids);
    let faults = rows.iter().map(|row| row.fault).chain(["none"]).collect();
    assert_eq!(printed(MUTANT, "--list").lines().collect::<BTreeSet<_>>(), faults);
}
