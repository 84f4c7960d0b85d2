//! The tester of servers, tested: every check catches a server that is wrong in just this, no check
//! blames a server that is only different, and a server without fault passes everything.
//!
//! `NUGGETS_RUNS=1` holds every fault to every check; without it each fault is held to the check
//! that finds it, and a few are held to all that come before.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use nuggets_conform::server::{ServerStage, Settings, catalogue};
use nuggets_conform::suite::{self, Plan};
use nuggets_conform::{Check, Dialects, Judged, Level, Outcome};
use nuggets_protocol::Dialect;
use nuggets_stranger::CommandLine;

const MUTANT: &str = env!("CARGO_BIN_EXE_mutant_server");

/// Each fault, in which dialect, and the first check in the catalogue's order that finds it.
const FOUND_BY: &str = include_str!("servers/found_by.txt");
/// For the checks that are nobody's first: a fault that each of them finds.
const ALSO_BY: &str = include_str!("servers/also_by.txt");

/// A failure that nobody expects counts when it has come so often in a row.
const TRIES: u32 = 4;
/// So many mutants are judged at a time. They mostly wait.
const JOBS: usize = 6;
/// Without `NUGGETS_RUNS` one fault of so many is held to all checks before its own.
const SAMPLE: usize = 12;

/// A fault, the dialect in which it is looked at, and the check that finds it first.
struct Row {
    fault: &'static str,
    dialect: Dialect,
    id: &'static str,
}

fn rows(table: &'static str) -> Vec<Row> {
    let row = |line: &'static str| {
        let mut words = line.split(' ');
        let (fault, dialect, id) = (words.next()?, words.next()?, words.next()?);
        Some(Row { fault, dialect: dialect.parse().ok()?, id })
    };
    table.lines().map(|line| row(line).unwrap()).collect()
}

/// What the program says of its faults: the name, the dialect in which it is looked at, and whether
/// it is only another way that the documents allow.
fn faults() -> Vec<(String, Dialect, bool)> {
    let told = Command::new(MUTANT).arg("--describe").output().unwrap().stdout;
    let told = String::from_utf8(told).unwrap();
    let fault = |line: &str| {
        let words: Vec<&str> = line.split('\t').collect();
        let dialect = words[1].parse().unwrap_or_default();
        (words[0].to_owned(), dialect, words[2] == "allowed")
    };
    told.lines().map(fault).collect()
}

fn is_thorough() -> bool {
    std::env::var_os("NUGGETS_RUNS").is_some()
}

fn holds_in(check: &Check<ServerStage>, dialect: Dialect) -> bool {
    match check.clause.dialects {
        Dialects::Both => true,
        Dialects::Only2021 => dialect == Dialect::V2021,
        Dialects::Only2019 => dialect == Dialect::V2019,
    }
}

fn judge(fault: &str, dialect: Dialect, plan: Plan, checks: &[&Check<ServerStage>]) -> Vec<Judged> {
    let words = [MUTANT, fault, "--dialect", &dialect.to_string()].map(Into::into);
    let command = CommandLine::new(&words, Path::new("/")).unwrap();
    let settings = Arc::new(Settings::new(command, dialect));
    let set_up =
        |check: &Check<ServerStage>, attempt| ServerStage::new(&settings, check.clause.id, attempt);
    suite::run(checks, plan, &AtomicBool::new(false), set_up, |_| {})
}

fn failed(judged: &Judged) -> bool {
    matches!(judged.outcome, Outcome::Failed(_))
}

fn told(judged: &Judged) -> String {
    let mut text = format!("{}: {:#?}\n", judged.id, judged.outcome);
    for exchange in judged.exchanges.iter().rev().take(12).rev() {
        let _ = writeln!(text, "    {exchange}");
    }
    text
}

/// What is wrong with a row: its check lets the fault pass, or one before finds it, too.
fn misfound(turn: usize, row: &Row) -> String {
    let mut wrong = unfound(row);
    if is_thorough() || turn.is_multiple_of(SAMPLE) {
        let checks = catalogue();
        let held = checks.iter().filter(|check| holds_in(check, row.dialect));
        let before: Vec<_> = held.take_while(|check| check.clause.id != row.id).collect();
        let judged = judge(row.fault, row.dialect, Plan { jobs: 2, tries: TRIES }, &before);
        for judged in judged.iter().filter(|judged| failed(judged)) {
            let _ = writeln!(wrong, "{} fails before {}: {}", row.fault, row.id, told(judged));
        }
    }
    wrong
}

fn unfound(row: &Row) -> String {
    let checks = catalogue();
    let own: Vec<_> = checks.iter().filter(|check| check.clause.id == row.id).collect();
    let judged = judge(row.fault, row.dialect, Plan { jobs: 1, tries: 2 }, &own);
    if judged.iter().any(failed) {
        return String::new();
    }
    format!("{} passes {}\n", row.fault, row.id)
}

/// Does something to each, several at a time; everything that was said about it.
fn about_each<T: Sync>(all: &[T], about: impl Fn(usize, &T) -> String + Sync) -> String {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut said = String::new();
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = all.get(turn) else { return said };
            said += &about(turn, one);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..JOBS).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    })
}

#[test]
fn every_fault_is_found_by_its_check_and_by_none_before() {
    let wrong = about_each(&rows(FOUND_BY), misfound);
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_other_checks_find_something_too() {
    let wrong = about_each(&rows(ALSO_BY), |_, row| unfound(row));
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn no_check_that_is_a_must_or_a_should_blames_what_the_documents_allow() {
    let allowed: Vec<_> = faults().into_iter().filter(|(_, _, is)| *is).collect();
    assert!(allowed.len() > 20);
    let checks = catalogue();
    let blames = |turn: usize, (fault, dialect, _): &(String, Dialect, bool)| {
        let counts = |check: &&Check<ServerStage>| {
            let level = check.clause.in_dialect(*dialect).level;
            holds_in(check, *dialect) && level != Level::May
        };
        let held: Vec<_> = checks.iter().filter(counts).collect();
        // Each is held to a part of the catalogue; all of them together to every check.
        let sample = |place: usize| is_thorough() || place % 6 == turn % 6;
        let held: Vec<_> = held
            .into_iter()
            .enumerate()
            .filter(|(place, _)| sample(*place))
            .map(|(_, c)| c)
            .collect();
        let plan = Plan { jobs: 2, tries: TRIES };
        let judged = judge(fault, *dialect, plan, &held);
        let blamed: Vec<String> = judged.iter().filter(|j| failed(j)).map(told).collect();
        if blamed.is_empty() { String::new() } else { format!("{fault}: {}", blamed.concat()) }
    };
    let wrong = about_each(&allowed, blames);
    assert!(wrong.is_empty(), "{wrong}");
}

/// The one check, tried once.
fn judge_by(id: &str, fault: &str, dialect: Dialect) -> Judged {
    let checks = catalogue();
    let own: Vec<_> = checks.iter().filter(|check| check.clause.id == id).collect();
    judge(fault, dialect, Plan { jobs: 1, tries: 1 }, &own).remove(0)
}

#[test]
fn a_port_that_is_told_late_is_waited_for() {
    let judged = judge_by("start.port", "announces-late", Dialect::V2021);
    assert!(!failed(&judged), "{}", told(&judged));
}

#[test]
fn a_server_of_2019_may_be_seeded_by_the_second() {
    let judged = judge_by("seed.none", "seeded-by-the-second", Dialect::V2019);
    assert!(!failed(&judged), "{}", told(&judged));
}

#[test]
fn a_table_may_have_other_marks_than_blanks_between_its_columns() {
    for fault in ["table-with-commas", "table-with-bars"] {
        for id in ["over.rows", "over.quitters", "over.purses", "over.nobody-else", "name.kept"] {
            let judged = judge_by(id, fault, Dialect::V2021);
            assert!(!failed(&judged), "{fault}: {}", told(&judged));
        }
    }
}

#[test]
fn what_is_refused_in_other_words_is_refused() {
    let cases = [
        ("name.blanks", "blank-name-other-words"),
        ("name.word-alone", "bare-play-nameless"),
        ("odd.complaint", "bare-play-nameless"),
        ("odd.format", "format-name-refused"),
    ];
    for (id, fault) in cases {
        let judged = judge_by(id, fault, Dialect::V2021);
        assert!(!failed(&judged), "{fault}: {}", told(&judged));
    }
}

/// What is wrong with one number is not held against whatever else needs gold.
#[test]
fn an_n_that_is_wrong_breaks_no_must_but_its_own() {
    let checks = catalogue();
    let needs_gold = |check: &&Check<ServerStage>| {
        let sections = ["gold", "swap", "over"];
        sections.iter().any(|section| check.clause.is_meant(section))
            && check.clause.level == Level::Must
    };
    let held: Vec<_> = checks.iter().filter(needs_gold).collect();
    assert!(held.len() > 20);
    let plan = Plan { jobs: JOBS, tries: TRIES };
    let judged = judge("gold-found-zero", Dialect::V2021, plan, &held);
    let broken: Vec<&Judged> = judged.iter().filter(|judged| failed(judged)).collect();
    let texts: String = broken.iter().map(|judged| told(judged)).collect();
    assert_eq!(broken.iter().map(|j| j.id).collect::<Vec<_>>(), ["gold.taker"], "{texts}");
}

/// Whoever hears first, it is the same game.
#[test]
fn the_order_in_which_clients_are_told_does_not_matter() {
    let checks = catalogue();
    let sections = ["quit", "gold", "sight", "swap"];
    let counts = |check: &&Check<ServerStage>| {
        let is_meant = sections.iter().any(|section| check.clause.is_meant(section));
        is_meant && holds_in(check, Dialect::V2021)
    };
    let held: Vec<_> = checks.iter().filter(counts).collect();
    let wrong = about_each(&["spectator-first", "spectator-last"], |_, fault| {
        // What is wrong may not be excused by trying it again.
        let judged = judge(fault, Dialect::V2021, Plan { jobs: 3, tries: 1 }, &held);
        let texts: String = judged.iter().filter(|j| failed(j)).map(told).collect();
        if texts.is_empty() { texts } else { format!("{fault}: {texts}") }
    });
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_server_without_fault_passes_everything() {
    for dialect in Dialect::ALL {
        let checks = catalogue();
        let held: Vec<_> = checks.iter().filter(|check| holds_in(check, dialect)).collect();
        let judged = judge("none", dialect, Plan { jobs: 4, tries: TRIES }, &held);
        let wrong: String = judged.iter().filter(|j| failed(j)).map(told).collect();
        assert!(wrong.is_empty(), "{wrong}");
    }
}

#[test]
fn every_must_finds_a_fault_first_and_every_check_finds_one() {
    let ids = |table| -> BTreeSet<&str> { rows(table).iter().map(|row| row.id).collect() };
    let (first, also) = (ids(FOUND_BY), ids(ALSO_BY));
    for check in catalogue() {
        let (id, level) = (check.clause.id, check.clause.level);
        let is_proven = first.contains(id) || (level != Level::Must && also.contains(id));
        assert!(is_proven, "no mutant shows that {id} can fail");
    }
    assert!(first.is_disjoint(&also));
}

#[test]
fn every_fault_is_found() {
    let listed: BTreeSet<&str> = rows(FOUND_BY).iter().map(|row| row.fault).collect();
    for (name, _, is_allowed) in faults() {
        assert_eq!(listed.contains(name.as_str()), !is_allowed, "{name}");
    }
}
