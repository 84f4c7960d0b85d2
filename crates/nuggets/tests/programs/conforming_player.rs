//! Our own `player` before the conformance tester: it keeps every clause of both dialects.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nuggets_conform::client::{ClientStage, Settings, catalogue, preflight};
use nuggets_conform::suite::{self, Plan};
use nuggets_conform::{Dialects, Judged, Outcome};
use nuggets_protocol::Dialect;
use nuggets_stranger::CommandLine;

use crate::terminal::PLAYER;

/// So many at a time, and so often before a failure counts that may come from a lost datagram.
const PLAN: Plan = Plan { jobs: 4, tries: 5 };

/// How often everything is done: once, or as often as the environment asks for.
fn runs() -> u32 {
    std::env::var("NUGGETS_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(1)
}

fn judge(dialect: Dialect, loss_percent: u32, seed: u32) -> Vec<Judged> {
    let command = CommandLine::new(&[PLAYER.into()], Path::new("/")).unwrap();
    let settings = Settings { loss_percent, seed, ..Settings::new(command, dialect) };
    let settings = Arc::new(settings);
    let other = match dialect {
        Dialect::V2021 => Dialects::Only2019,
        Dialect::V2019 => Dialects::Only2021,
    };
    let checks = catalogue();
    let checks: Vec<_> = checks.iter().filter(|check| check.clause.dialects != other).collect();
    let set_up = |check: &nuggets_conform::Check<ClientStage>, attempt| {
        ClientStage::new(&settings, check.clause.id, attempt)
    };
    suite::run(&checks, PLAN, &AtomicBool::new(false), set_up, |_| {})
}

fn check_all_hold(dialect: Dialect, loss_percent: u32) {
    for seed in 1..=runs() {
        let judged = judge(dialect, loss_percent, seed);
        assert!(judged.len() >= 60, "only {} checks", judged.len());
        for result in judged {
            let Outcome::Failed(failure) = &result.outcome else { continue };
            let exchanges: Vec<_> = result.exchanges.iter().map(ToString::to_string).collect();
            panic!("{} in run {seed}: {failure:#?}\n{}", result.id, exchanges.join("\n"));
        }
    }
}

#[test]
fn our_player_can_be_tried() {
    let command = CommandLine::new(&[PLAYER.into()], Path::new("/")).unwrap();
    preflight(&Arc::new(Settings::new(command, Dialect::V2021))).unwrap();
}

#[test]
fn our_player_keeps_every_clause_of_2021() {
    check_all_hold(Dialect::V2021, 0);
}

#[test]
fn our_player_keeps_every_clause_of_2019() {
    check_all_hold(Dialect::V2019, 0);
}

#[test]
fn our_player_keeps_every_clause_where_datagrams_are_lost() {
    check_all_hold(Dialect::V2021, 5);
}
