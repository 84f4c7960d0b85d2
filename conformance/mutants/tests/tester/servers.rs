//! The tester of servers.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nuggets_conformance::server::{ServerTest, ServerTestSettings, catalogue};
use nuggets_conformance::suite::{self, SuiteOptions};
use nuggets_conformance::{Check, CheckResult, RequirementLevel};
use nuggets_protocol::Dialect;
use nuggets_subprocess::CommandLine;

use crate::{TRIES, describe, describe_failures, has_failed, is_thorough, join_problems};

const MUTANT: &str = env!("CARGO_BIN_EXE_mutant_server");
const JOBS: usize = 6;

/// The first check in the order of the catalogue that finds each fault.
const FOUND_BY: &str = include_str!("servers/found_by.txt");
/// A fault for each check that is never the first to find one.
const ALSO_FOUND_BY: &str = include_str!("servers/also_by.txt");

/// Without `NUGGETS_RUNS`, one of this many faults is run against all checks before its own.
const SAMPLE: usize = 12;

/// A fault, the dialect of its test, and the check that finds it.
struct Row {
    fault: &'static str,
    dialect: Dialect,
    id: &'static str,
}

fn rows(table: &'static str) -> Vec<Row> {
    let row = |line: &'static str| {
        let mut words = line.split(' ');
        let fault = words.next()?;
        let dialect = words.next()?.parse().ok()?;
        Some(Row { fault, dialect, id: words.next()? })
    };
    table.lines().map(|line| row(line).unwrap()).collect()
}

/// A line of `--describe`.
struct Described {
    fault: String,
    /// The dialect in which it is tested.
    dialect: Dialect,
    is_allowed: bool,
}

fn described_faults() -> Vec<Described> {
    let lines = Command::new(MUTANT).arg("--describe").output().unwrap().stdout;
    let fault = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        Described {
            fault: fields[0].to_owned(),
            dialect: fields[1].parse().unwrap_or_default(),
            is_allowed: fields[2] == "allowed",
        }
    };
    String::from_utf8(lines).unwrap().lines().map(fault).collect()
}

fn applies(check: &Check<ServerTest>, dialect: Dialect) -> bool {
    check.requirement.dialects.includes(dialect)
}

fn is_in(check: &Check<ServerTest>, sections: &[&str]) -> bool {
    sections.iter().any(|section| check.requirement.matches(section))
}

fn run(
    fault: &str,
    dialect: Dialect,
    options: SuiteOptions,
    checks: &[&Check<ServerTest>],
) -> Vec<CheckResult> {
    let words = [MUTANT, fault, "--dialect", &dialect.to_string()].map(Into::into);
    run_command(&words, dialect, options, checks)
}

fn run_command(
    words: &[OsString],
    dialect: Dialect,
    options: SuiteOptions,
    checks: &[&Check<ServerTest>],
) -> Vec<CheckResult> {
    let command = CommandLine::new(words, Path::new("/")).unwrap();
    let settings = Arc::new(ServerTestSettings::new(command, dialect));
    let set_up = |check: &Check<ServerTest>, attempt| {
        ServerTest::new(&settings, check.requirement.id, attempt)
    };
    suite::run(checks, options, &AtomicBool::new(false), set_up, |_| {})
}

/// Runs one check, without retries beyond `tries`.
fn run_one(id: &str, fault: &str, dialect: Dialect, tries: u32) -> CheckResult {
    let checks = catalogue();
    let own: Vec<_> = checks.iter().filter(|check| check.requirement.id == id).collect();
    run(fault, dialect, SuiteOptions { jobs: 1, tries }, &own).remove(0)
}

fn assert_passes(id: &str, fault: &str, dialect: Dialect) {
    let result = run_one(id, fault, dialect, 1);
    assert!(!has_failed(&result), "{fault}: {}", describe(&result));
}

/// Returns the problems of a row: its check misses the fault, or an earlier one finds it.
fn problems_of_row(index: usize, row: &Row) -> String {
    let mut problems = missed(row);
    if is_thorough() || index.is_multiple_of(SAMPLE) {
        let checks = catalogue();
        let applicable = checks.iter().filter(|check| applies(check, row.dialect));
        let before: Vec<_> =
            applicable.take_while(|check| check.requirement.id != row.id).collect();
        let options = SuiteOptions { jobs: 2, tries: TRIES };
        let early = describe_failures(&run(row.fault, row.dialect, options, &before));
        if !early.is_empty() {
            let _ = write!(problems, "{} is found before {} by {early}", row.fault, row.id);
        }
    }
    problems
}

fn missed(row: &Row) -> String {
    if has_failed(&run_one(row.id, row.fault, row.dialect, 2)) {
        return String::new();
    }
    format!("{} passes {}\n", row.fault, row.id)
}

#[test]
fn every_fault_is_found_by_its_check_and_by_none_before() {
    let problems = join_problems(JOBS, &rows(FOUND_BY), problems_of_row);
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn the_other_checks_find_a_fault_too() {
    let problems = join_problems(JOBS, &rows(ALSO_FOUND_BY), |_, row| missed(row));
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn no_must_or_should_fails_what_the_specification_allows() {
    let allowed: Vec<_> = described_faults().into_iter().filter(|fault| fault.is_allowed).collect();
    assert!(allowed.len() > 20);
    let checks = catalogue();
    let problems = join_problems(JOBS, &allowed, |index, Described { fault, dialect, .. }| {
        let counts = |check: &&Check<ServerTest>| {
            let level = check.requirement.in_dialect(*dialect).level;
            applies(check, *dialect) && level != RequirementLevel::May
        };
        // Each fault is run against a sixth of the checks; together they run all.
        let is_run = |at: usize| is_thorough() || at % 6 == index % 6;
        let counting = checks.iter().filter(counts).enumerate();
        let sample: Vec<_> = counting.filter(|(at, _)| is_run(*at)).map(|(_, c)| c).collect();
        let results = run(fault, *dialect, SuiteOptions { jobs: 2, tries: TRIES }, &sample);
        let failures = describe_failures(&results);
        if failures.is_empty() { failures } else { format!("{fault}: {failures}") }
    });
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn a_late_announcement_is_waited_for() {
    assert_passes("start.port", "announces-late", Dialect::V2021);
}

#[test]
fn a_2019_server_may_take_its_seed_from_the_clock() {
    assert_passes("seed.none", "seed-from-clock", Dialect::V2019);
}

#[test]
fn a_table_may_have_other_separators_than_blanks() {
    for fault in ["table-with-commas", "table-with-bars"] {
        for id in ["over.rows", "over.quitters", "over.purses", "over.nobody-else", "name.kept"] {
            assert_passes(id, fault, Dialect::V2021);
        }
    }
}

#[test]
fn a_rejection_in_other_words_is_a_rejection() {
    for (id, fault) in [
        ("name.blanks", "blank-name-reworded"),
        ("name.word-alone", "bare-play-nameless"),
        ("odd.complaint", "bare-play-nameless"),
        ("odd.format", "percent-name-rejected"),
    ] {
        assert_passes(id, fault, Dialect::V2021);
    }
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

/// The ids of the musts and shoulds that fail.
fn failed_ids(fault: &str, slip: &str, checks: &[&Check<ServerTest>]) -> Vec<&'static str> {
    let words = [MUTANT, fault, "--slip", slip].map(Into::into);
    let options = SuiteOptions { jobs: 2, tries: TRIES };
    let results = run_command(&words, Dialect::V2021, options, checks);
    let counts = |result: &&CheckResult| result.requirement.level != RequirementLevel::May;
    let failed = results.iter().filter(counts).filter(|result| has_failed(result));
    failed.map(|result| result.requirement.id).collect()
}

#[test]
fn a_slip_of_form_fails_only_the_check_of_its_form() {
    let checks = catalogue();
    let problems = join_problems(3, &SLIPS, |index, (slip, own)| {
        // Each slip is run against an eighth of the checks, and its own; together they run all.
        let is_run = |at: usize| is_thorough() || at % 8 == index % 8;
        let sample: Vec<_> = checks
            .iter()
            .enumerate()
            .filter(|(at, check)| is_run(*at) || check.requirement.id == *own)
            .map(|(_, check)| check)
            .filter(|check| applies(check, Dialect::V2021))
            .collect();
        let failed = failed_ids("none", slip, &sample);
        if failed == [*own] { String::new() } else { format!("{slip}: {failed:?}\n") }
    });
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn a_real_fault_beside_a_slip_of_form_is_found_by_its_own_check() {
    let checks = catalogue();
    let problems = join_problems(3, &SLIPS, |index, (slip, own)| {
        let (fault, id) = [
            ("dead-step-h", "move.h"),
            ("remembers-gold", "sight.gold-hidden"),
            ("gold-found-zero", "gold.taker"),
        ][index % 3];
        let wanted = [own, id, "move.l", "sight.room", "gold.others", "quit.farewell"];
        let sample: Vec<_> =
            checks.iter().filter(|check| wanted.contains(&check.requirement.id)).collect();
        let mut failed = failed_ids(fault, slip, &sample);
        failed.sort_unstable();
        let mut expected = [*own, id];
        expected.sort_unstable();
        if failed == expected { String::new() } else { format!("{fault}, {slip}: {failed:?}\n") }
    });
    assert!(problems.is_empty(), "{problems}");
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
    let checks = catalogue();
    let problems = join_problems(3, &FEATURES, |index, (fault, own)| {
        let is_run = |at: usize| is_thorough() || at % 8 == index % 8;
        let applicable = checks.iter().filter(|check| applies(check, Dialect::V2021)).enumerate();
        let sample = applicable.filter(|(at, check)| is_run(*at) || check.requirement.id == *own);
        let sample: Vec<_> = sample.map(|(_, check)| check).collect();
        let failed = failed_ids(fault, "none", &sample);
        if failed == [*own] { String::new() } else { format!("{fault}: {failed:?}\n") }
    });
    assert!(problems.is_empty(), "{problems}");
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
    let checks = catalogue();
    for missing in ["crash-on-spectator", "ok-no-letter"] {
        let problems = join_problems(JOBS, &REAL_FAULTS, |_, (fault, id)| {
            let wanted = [*id, "move.l", "gold.late", "sight.room"];
            let sample: Vec<_> =
                checks.iter().filter(|check| wanted.contains(&check.requirement.id)).collect();
            let failed = failed_ids(fault, missing, &sample);
            if failed == [*id] {
                String::new()
            } else {
                format!("{fault}, {missing}: {failed:?}\n")
            }
        });
        assert!(problems.is_empty(), "{problems}");
    }
}

/// A defect of the table fails one check, not all that read the table.
#[test]
fn a_table_of_another_form_fails_one_check() {
    let checks = catalogue();
    let ids = [
        "over.taker",
        "over.others",
        "over.head",
        "over.rows",
        "over.quitters",
        "over.purses",
        "over.nobody-else",
        "over.printed",
        "name.kept",
        "name.digits",
        "name.long",
    ];
    let reads_table: Vec<_> =
        checks.iter().filter(|check| ids.contains(&check.requirement.id)).collect();
    for (fault, own) in
        [("table-heading-no-colon", "over.head"), ("table-columns-reordered", "over.rows")]
    {
        assert_eq!(failed_ids(fault, "none", &reads_table), [own], "{fault}");
    }
}

/// A wrong number in `GOLD` must not fail the other requirements that involve gold.
#[test]
fn a_wrong_n_breaks_only_its_own_must() {
    let checks = catalogue();
    let involves_gold = |check: &&Check<ServerTest>| {
        is_in(check, &["gold", "swap", "over"]) && check.requirement.level == RequirementLevel::Must
    };
    let checks: Vec<_> = checks.iter().filter(involves_gold).collect();
    assert!(checks.len() > 20);
    let options = SuiteOptions { jobs: JOBS, tries: TRIES };
    let results = run("gold-found-zero", Dialect::V2021, options, &checks);
    let broken = results.iter().filter(|result| has_failed(result));
    let broken: Vec<&str> = broken.map(|result| result.requirement.id).collect();
    assert_eq!(broken, ["gold.taker"], "{}", describe_failures(&results));
}

#[test]
fn the_order_of_recipients_does_not_matter() {
    let checks = catalogue();
    let is_concerned = |check: &&Check<ServerTest>| {
        is_in(check, &["quit", "gold", "sight", "swap"]) && applies(check, Dialect::V2021)
    };
    let checks: Vec<_> = checks.iter().filter(is_concerned).collect();
    let problems = join_problems(JOBS, &["spectator-first", "spectator-last"], |_, fault| {
        // A retry would hide the problem.
        let options = SuiteOptions { jobs: 3, tries: 1 };
        let failures = describe_failures(&run(fault, Dialect::V2021, options, &checks));
        if failures.is_empty() { failures } else { format!("{fault}: {failures}") }
    });
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn a_server_without_fault_passes_everything() {
    for dialect in Dialect::ALL {
        let checks = catalogue();
        let checks: Vec<_> = checks.iter().filter(|check| applies(check, dialect)).collect();
        let results = run("none", dialect, SuiteOptions { jobs: 4, tries: TRIES }, &checks);
        assert_eq!(describe_failures(&results), "");
    }
}

#[test]
fn every_must_finds_a_fault_first_and_every_check_finds_one() {
    let ids = |table| -> BTreeSet<&str> { rows(table).iter().map(|row| row.id).collect() };
    let first = ids(FOUND_BY);
    let also = ids(ALSO_FOUND_BY);
    for check in catalogue() {
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
