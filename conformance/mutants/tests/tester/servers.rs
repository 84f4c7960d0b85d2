//! The tester of servers.

use std::collections::BTreeSet;

use nuggets_conformance::server::ServerTest;
use nuggets_conformance::suite::{SuiteOptions, TestRun};
use nuggets_conformance::{Requirement, RequirementLevel};
use nuggets_protocol::Dialect;

use crate::{
    TRIES, assert_faultless_passes, assert_no_problems, describe_failures, has_failed, is_thorough,
    printed, problems_of_row, rows, run,
};

const MUTANT: &str = env!("CARGO_BIN_EXE_mutant_server");
const JOBS: usize = 6;

/// The first check in the order of the catalogue that finds each fault.
const FOUND_BY: &str = include_str!("servers/found_by.txt");
/// A fault for each check that is never the first to find one.
const ALSO_FOUND_BY: &str = include_str!("servers/also_by.txt");

/// Without `NUGGETS_RUNS`, one of this many faults is run against all checks before its own.
const SAMPLE: usize = 12;

/// A line of `--describe`.
struct Described {
    fault: String,
    /// The dialect in which it is tested.
    dialect: Dialect,
    is_allowed: bool,
}

fn described_faults() -> Vec<Described> {
    let fault = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        Described {
            fault: fields[0].to_owned(),
            dialect: fields[1].parse().unwrap_or_default(),
            is_allowed: fields[2] == "allowed",
        }
    };
    printed(MUTANT, "--describe").lines().map(fault).collect()
}

fn is_in(requirement: &Requirement, groups: &[&str]) -> bool {
    groups.iter().any(|group| requirement.matches(group))
}

/// The command of a mutant in this dialect.
fn words<'a>(fault: &'a str, year: &'a str) -> [&'a str; 4] {
    [MUTANT, fault, "--dialect", year]
}

#[test]
fn every_fault_is_found_by_its_check_and_by_none_before() {
    assert_no_problems(JOBS, &rows(FOUND_BY), |index, row| {
        let year = row.dialect.to_string();
        let runs_all = is_thorough() || index.is_multiple_of(SAMPLE);
        problems_of_row::<ServerTest>(&words(row.fault, &year), row, 2, |_| runs_all)
    });
}

#[test]
fn the_other_checks_find_a_fault_too() {
    assert_no_problems(JOBS, &rows(ALSO_FOUND_BY), |_, row| {
        let year = row.dialect.to_string();
        problems_of_row::<ServerTest>(&words(row.fault, &year), row, 1, |_| false)
    });
}

/// Returns the failures of the selected checks with this fault.
fn failures(
    fault: &str,
    dialect: Dialect,
    options: SuiteOptions,
    is_run: impl Fn(usize, &Requirement) -> bool,
) -> String {
    let year = dialect.to_string();
    let results = run::<ServerTest>(&words(fault, &year), dialect, options, is_run);
    let failures = describe_failures(&results);
    if failures.is_empty() { failures } else { format!("{fault}: {failures}") }
}

#[test]
fn no_must_or_should_fails_what_the_specification_allows() {
    let allowed: Vec<_> = described_faults().into_iter().filter(|fault| fault.is_allowed).collect();
    assert!(allowed.len() > 20);
    assert_no_problems(JOBS, &allowed, |index, Described { fault, dialect, .. }| {
        // Each fault is run against a sixth of the checks; together they run all.
        let options = SuiteOptions { jobs: 2, tries: TRIES };
        failures(fault, *dialect, options, |at, requirement| {
            let is_sampled = is_thorough() || at % 6 == index % 6;
            is_sampled && requirement.in_dialect(*dialect).level != RequirementLevel::May
        })
    });
}

/// Allowed behaviour, and the checks that must accept it.
const ACCEPTED: [(&str, Dialect, &[&str]); 7] = [
    ("announces-late", Dialect::V2021, &["start.port"]),
    ("seed-from-clock", Dialect::V2019, &["seed.none"]),
    ("table-with-commas", Dialect::V2021, TABLE_READERS),
    ("table-with-bars", Dialect::V2021, TABLE_READERS),
    ("blank-name-reworded", Dialect::V2021, &["name.blanks"]),
    ("bare-play-nameless", Dialect::V2021, &["name.word-alone", "odd.complaint"]),
    ("percent-name-rejected", Dialect::V2021, &["odd.format"]),
];
const TABLE_READERS: &[&str] =
    &["over.rows", "over.quitters", "over.purses", "over.nobody-else", "name.kept"];

#[test]
fn checks_accept_allowed_behaviour_at_once() {
    assert_no_problems(JOBS, &ACCEPTED, |_, (fault, dialect, ids)| {
        let options = SuiteOptions { jobs: 2, tries: 1 };
        failures(fault, *dialect, options, |_, requirement| ids.contains(&requirement.id))
    });
}

/// Returns a problem unless exactly these of the selected musts and shoulds fail, with a fault and a slip of form.
fn unless_only_fail(
    ids: &[&str],
    fault: &str,
    slip: &str,
    is_run: impl Fn(usize, &Requirement) -> bool,
) -> String {
    let options = SuiteOptions { jobs: 2, tries: TRIES };
    let results = run::<ServerTest>(
        &[MUTANT, fault, "--slip", slip],
        Dialect::V2021,
        options,
        |at, requirement| requirement.level != RequirementLevel::May && is_run(at, requirement),
    );
    let failed = results.iter().filter(|result| has_failed(result));
    let failed: BTreeSet<&str> = failed.map(|result| result.requirement.id).collect();
    let is_right = failed == ids.iter().copied().collect();
    if is_right { String::new() } else { format!("{fault}, {slip}: {failed:?}\n") }
}

/// Each slip of form, and the only check that may fail because of it.
const SLIPS: [(&str, &str); 10] = [
    ("ok-lower-case", "join.ok"),
    ("grid-two-blanks", "join.grid"),
    ("gold-tabs", "join.gold"),
    ("display-head-blank", "join.display"),
    ("display-leading-newline", "join.display"),
    ("display-no-last-newline", "join.display"),
    ("display-extra-column", "join.display"),
    ("display-extra-row", "join.display"),
    ("display-no-newlines", "join.display"),
    ("bytes-after-end", "form.end"),
];

/// Selects an eighth of the checks, and this one; together, all eighths are all checks.
fn eighth(index: usize, own: &str) -> impl Fn(usize, &Requirement) -> bool {
    move |at, requirement| is_thorough() || at % 8 == index % 8 || requirement.id == own
}

#[test]
fn a_slip_of_form_fails_only_the_check_of_its_form() {
    assert_no_problems(3, &SLIPS, |index, (slip, own)| {
        unless_only_fail(&[own], "none", slip, eighth(index, own))
    });
}

#[test]
fn a_real_fault_beside_a_slip_of_form_is_found_by_its_own_check() {
    assert_no_problems(3, &SLIPS, |index, (slip, own)| {
        let (fault, id) = [
            ("dead-step-h", "move.h"),
            ("remembers-gold", "sight.gold-hidden"),
            ("gold-found-zero", "gold.taker"),
        ][index % 3];
        let run = [own, id, "move.l", "sight.room", "gold.others", "quit.farewell"];
        unless_only_fail(&[own, id], fault, slip, |_, it| run.contains(&it.id))
    });
}

/// Broken features that many checks could rely on, each with the only check that may fail: the one about the feature.
const FEATURES: [(&str, &str); 17] = [
    ("crash-on-second-spectator", "spectate.replaced"),
    ("second-spectator-rejected", "spectate.replaced"),
    ("replacing-spectator-sees-old-map", "spectate.whole-map"),
    ("display-missing-for-spectator", "spectate.display"),
    ("ok-missing", "join.ok"),
    ("ok-no-letter", "join.ok"),
    ("grid-missing", "join.grid"),
    ("join-not-sent-to-players", "join.others-see"),
    ("quit-unanswered", "quit.farewell"),
    ("ends-when-empty", "over.empty-goes-on"),
    ("crash-on-tall-map", "map.tall"),
    ("only-ten-seats", "seats.letters"),
    ("self-as-letter", "move.own-sign"),
    ("crash-on-bare-key", "odd.no-key"),
    ("quit-key-ignored", "quit.farewell"),
    ("remembers-gold", "sight.gold-hidden"),
    ("remembers-players", "sight.players-hidden"),
];

#[test]
fn a_server_without_one_feature_fails_only_its_check() {
    assert_no_problems(3, &FEATURES, |index, (fault, own)| {
        unless_only_fail(&[own], fault, "none", eighth(index, own))
    });
}

/// Faults of all kinds, and the checks that find them.
const REAL_FAULTS: [(&str, &str); 18] = [
    ("dead-step-h", "move.h"),
    ("sprint-one-step", "move.sprint-h"),
    ("first-player-moves", "move.whose"),
    ("walks-walls", "move.wall"),
    ("quitter-stays-on-map", "quit.removed"),
    ("quitter-reappears", "quit.for-good"),
    ("other-game-for-same-seed", "seed.same"),
    ("nine-piles", "gold.piles"),
    ("gold-found-zero", "gold.taker"),
    ("collected-pile-stays", "gold.gone"),
    ("swap-pushes-away", "swap.step"),
    ("swap-stale-view", "swap.sight"),
    ("remembers-gold", "sight.gold-hidden"),
    ("sight-rounds-down", "sight.room"),
    ("some-gold-invisible", "sight.gold"),
    ("empty-pile", "gold.sum"),
    ("table-wrong-purses", "over.purses"),
    ("double-key-accepted", "odd.two-keys"),
];

/// Without spectators the tester assembles the map from the players' views; without a letter in OK it finds the letter
/// on the map. The checks still judge their own requirements.
#[test]
fn a_real_fault_is_found_where_spectators_or_letters_are_missing() {
    for missing in ["crash-on-spectator", "ok-no-letter"] {
        assert_no_problems(JOBS, &REAL_FAULTS, |_, (fault, id)| {
            let run = [*id, "move.l", "gold.late", "sight.room"];
            unless_only_fail(&[id], fault, missing, |_, it| run.contains(&it.id))
        });
    }
}

/// Faults in one part of a message, the groups of checks that read the message, and the one check of that part.
const PARTS: [(&str, &[&str], &str); 3] = [
    ("table-heading-no-colon", &["over", "name"], "over.head"),
    ("table-columns-reordered", &["over", "name"], "over.rows"),
    ("gold-found-zero", &["gold", "swap", "over"], "gold.taker"),
];

#[test]
fn a_fault_in_one_part_of_a_message_fails_one_must() {
    assert_no_problems(3, &PARTS, |_, (fault, groups, own)| {
        unless_only_fail(&[own], fault, "none", |_, requirement| {
            is_in(requirement, groups) && requirement.level == RequirementLevel::Must
        })
    });
}

#[test]
fn the_order_of_recipients_does_not_matter() {
    assert_no_problems(JOBS, &["spectator-first", "spectator-last"], |_, fault| {
        // A retry would hide the problem.
        let options = SuiteOptions { jobs: 3, tries: 1 };
        let groups = ["quit", "gold", "sight", "swap"];
        failures(fault, Dialect::V2021, options, |_, requirement| is_in(requirement, &groups))
    });
}

#[test]
fn a_server_without_fault_passes_everything() {
    assert_faultless_passes::<ServerTest>(|year| words("none", year).to_vec(), 4);
}

#[test]
fn every_must_finds_a_fault_first_and_every_check_finds_one() {
    let ids = |table| -> BTreeSet<&str> { rows(table).iter().map(|row| row.id).collect() };
    let first = ids(FOUND_BY);
    let also = ids(ALSO_FOUND_BY);
    for check in ServerTest::catalogue() {
        let id = check.requirement.id;
        let is_must = check.requirement.level == RequirementLevel::Must;
        let is_proven = first.contains(id) || (!is_must && also.contains(id));
        assert!(is_proven, "no mutant shows that {id} can fail");
    }
    assert!(first.is_disjoint(&also));
}

#[test]
fn every_wrong_fault_is_found() {
    let found: BTreeSet<&str> = rows(FOUND_BY).iter().map(|row| row.fault).collect();
    for Described { fault, is_allowed, .. } in described_faults() {
        assert_eq!(found.contains(fault.as_str()), !is_allowed, "{fault}");
    }
}
