//! The tester of clients, tested: every check catches a client that is wrong in just this, and
//! nothing before it does.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use nuggets_conform::client::{ClientStage, Settings, catalogue};
use nuggets_conform::suite::{self, Plan};
use nuggets_conform::{Check, Dialects, Judged, Level, Outcome};
use nuggets_protocol::Dialect;
use nuggets_stranger::CommandLine;

const MUTANT: &str = env!("CARGO_BIN_EXE_mutant_client");

/// A failure that nobody expects counts when it has come so often in a row.
const TRIES: u32 = 5;
/// So many mutants are judged at a time. They mostly wait.
const JOBS: usize = 10;

/// Each fault, and the first check in the catalogue's order that finds it.
const FOUND_BY: &[(&str, &str)] = &[
    ("needs-nothing", "args.none"),
    ("few-mute", "args.few"),
    ("takes-more", "args.many"),
    ("port-word-fine", "args.port-word"),
    ("port-range-fine", "args.port-range"),
    ("host-aborts", "args.host"),
    ("play-newline", "join.play"),
    ("first-word-only", "join.blanks"),
    ("spectate-blank", "join.spectate"),
    ("addresses-only", "join.hostname"),
    ("player-blind", "join.shown"),
    ("spectator-blind", "join.watched"),
    ("asks-twice", "join.once"),
    ("stays-when-full", "join.full"),
    ("nameless-mute", "join.no-name"),
    ("deaf-to-no", "join.no"),
    ("whole-name", "join.cut-name"),
    ("short-name", "join.long-name"),
    ("grid-lower", "grid.exact"),
    ("spectator-shifted", "grid.spectator"),
    ("skips-blank-lines", "grid.blanks"),
    ("tires-of-maps", "grid.update"),
    ("adds-only", "grid.old"),
    ("sticky-letters", "grid.swap"),
    ("no-z", "grid.letters"),
    ("eighty-columns", "grid.large"),
    ("small-buffer", "grid.largest"),
    ("flood-dies", "grid.flood"),
    ("cursor-hidden-for-player", "grid.cursor"),
    ("cursor-for-spectator", "grid.no-cursor"),
    ("no-status", "status.player"),
    ("always-a", "status.letter"),
    ("spectator-no-status", "status.spectator"),
    ("status-sticks", "status.update"),
    ("other-words", "status.player-text"),
    ("spectator-other-words", "status.spectator-text"),
    ("gold-waits", "status.at-once"),
    ("status-remains", "status.clean"),
    ("no-gold-note", "notes.gold"),
    ("gold-note-always", "notes.no-gold"),
    ("gold-note-stays", "notes.brief"),
    ("deaf-to-complaints", "notes.complaint"),
    ("unknown-unnoted", "notes.unknown"),
    ("malformed-unnoted", "notes.malformed"),
    ("gold-words-are-zero", "notes.malformed"),
    ("unknown-keys-vanish", "notes.key"),
    ("y-for-u", "keys.steps"),
    ("sprints-walk", "keys.sprints"),
    ("small-q", "keys.quit"),
    ("spectator-stays", "keys.spectator-quit"),
    ("one-key-per-map", "keys.silent"),
    ("keys-get-lost", "keys.burst"),
    ("spectator-key-dies", "keys.spectator-other"),
    ("deaf-to-eof", "keys.eof"),
    ("ctrl-d-is-a-key", "keys.ctrl-d"),
    ("pipes-only", "keys.no-input"),
    ("rows-exit", "window.rows"),
    ("cols-exit", "window.cols"),
    ("size-untold", "window.told"),
    ("wants-more-room", "window.least"),
    ("resize-dies", "window.resized"),
    ("never-quits", "end.quit"),
    ("quit-mute", "end.words"),
    ("first-line-only", "end.table"),
    ("gameover-mute", "end.gameover"),
    ("spectator-never-quits", "end.spectator"),
    ("leaves-at-once", "end.thanks"),
    ("chatty", "end.only"),
    ("exit-7", "end.code"),
    ("last-word", "end.silent"),
    ("dies-of-client-words", "odd.unknown"),
    ("dies-of-nothing", "odd.empty"),
    ("dies-of-ok", "odd.ok"),
    ("gold-is-filled-up", "odd.gold"),
    ("dies-of-gold", "odd.gold"),
    ("dies-of-grid", "odd.grid"),
    ("dies-of-display", "odd.display"),
    ("dies-of-binary", "odd.binary"),
    ("dies-of-length", "odd.long"),
    ("dies-early", "odd.early"),
    ("quit-by-prefix", "odd.quitter"),
    ("strict-order", "odd.misordered"),
    ("counts-welcomes", "odd.repeated"),
    ("hears-everybody", "odd.another"),
    ("raw-notes", "odd.escape-note"),
    ("raw-map", "odd.escape-map"),
    ("raw-quit", "odd.escape-quit"),
    ("leaves-raw", "terminal.modes"),
    ("stays-on-screen", "terminal.screen"),
    ("hides-cursor", "terminal.cursor"),
    ("echoes", "terminal.echo"),
];

fn judge(fault: &str, dialect: Dialect, plan: Plan, checks: &[&Check<ClientStage>]) -> Vec<Judged> {
    let command = CommandLine::new(&[MUTANT.into(), fault.into()], Path::new("/")).unwrap();
    let settings = Arc::new(Settings::new(command, dialect));
    let set_up =
        |check: &Check<ClientStage>, attempt| ClientStage::new(&settings, check.clause.id, attempt);
    suite::run(checks, plan, &AtomicBool::new(false), set_up, |_| {})
}

/// The dialect in which a check is done.
fn dialect_of(check: &Check<ClientStage>) -> Dialect {
    match check.clause.dialects {
        Dialects::Only2019 => Dialect::V2019,
        Dialects::Only2021 | Dialects::Both => Dialect::V2021,
    }
}

fn holds_in(check: &Check<ClientStage>, dialect: Dialect) -> bool {
    let other = match dialect {
        Dialect::V2021 => Dialects::Only2019,
        Dialect::V2019 => Dialects::Only2021,
    };
    check.clause.dialects != other
}

fn told(judged: &Judged) -> String {
    let mut text = format!("{}: {:#?}\n", judged.id, judged.outcome);
    for exchange in &judged.exchanges {
        let _ = writeln!(text, "{exchange}");
    }
    text
}

/// Is everything to be done, however long it takes?
fn is_thorough() -> bool {
    std::env::var_os("NUGGETS_RUNS").is_some()
}

/// What is wrong with how this fault was found, if anything. Before a check of what must be so all
/// others are done; before the rest, each time another third of them.
fn misfound(turn: usize, fault: &str, id: &str) -> String {
    let checks = catalogue();
    let place = checks.iter().position(|check| check.clause.id == id).unwrap();
    let dialect = dialect_of(&checks[place]);
    let is_whole = is_thorough() || checks[place].clause.level == Level::Must;
    let is_done = |at: usize| is_whole || at % 3 == turn % 3;
    let before = checks[..place].iter().enumerate().filter(|(at, _)| is_done(*at));
    let before = before.map(|(_, check)| check).filter(|check| holds_in(check, dialect));
    let before: Vec<_> = before.collect();
    let mut wrong = String::new();
    for judged in judge(fault, dialect, Plan { jobs: 1, tries: TRIES }, &before) {
        if judged.outcome != Outcome::Passed {
            let _ = writeln!(wrong, "{fault}: found too early by {}", told(&judged));
        }
    }
    for judged in judge(fault, dialect, Plan { jobs: 1, tries: 1 }, &[&checks[place]]) {
        if !matches!(judged.outcome, Outcome::Failed(_)) {
            let _ = writeln!(wrong, "{fault}: not found by {}", told(&judged));
        }
    }
    wrong
}

#[test]
fn every_fault_is_found_by_its_check_and_by_none_before() {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut wrong = String::new();
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let Some((fault, id)) = FOUND_BY.get(turn) else { return wrong };
            wrong += &misfound(turn, fault, id);
        }
    };
    let wrong: String = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..JOBS).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_client_without_fault_passes_everything() {
    for dialect in Dialect::ALL {
        let checks = catalogue();
        let checks: Vec<_> = checks.iter().filter(|check| holds_in(check, dialect)).collect();
        let judged = judge("none", dialect, Plan { jobs: JOBS, tries: TRIES }, &checks);
        let failed = judged.iter().filter(|judged| judged.outcome != Outcome::Passed);
        assert_eq!(failed.map(told).collect::<String>(), "");
    }
}

#[test]
fn there_is_a_mutant_for_every_check_and_a_check_for_every_mutant() {
    let found_by: HashSet<_> = FOUND_BY.iter().map(|(_, id)| *id).collect();
    let checks = catalogue();
    let ids: HashSet<_> = checks.iter().map(|check| check.clause.id).collect();
    assert_eq!(found_by, ids);
    let listed = Command::new(MUTANT).arg("--list").output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let listed: HashSet<_> = listed.lines().filter_map(|line| line.split(':').next()).collect();
    let faults = FOUND_BY.iter().map(|(fault, _)| *fault).chain(["none"]).collect();
    assert_eq!(listed, faults);
}
