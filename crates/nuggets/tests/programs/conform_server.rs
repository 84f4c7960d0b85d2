//! Our own server keeps every clause of the catalogue, in both dialects, also where datagrams are
//! lost. `NUGGETS_RUNS=100` does it a hundred times with other seeds.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nuggets_conform::server::{ServerStage, Settings, TestMap, catalogue, preflight};
use nuggets_conform::suite::{self, Plan};
use nuggets_conform::{Check, Dialects, Judged, Outcome};
use nuggets_protocol::Dialect;
use nuggets_stranger::CommandLine;

fn runs() -> u32 {
    std::env::var("NUGGETS_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(1)
}

fn settings(options: &[&str], dialect: Dialect) -> Settings {
    let server = [env!("CARGO_BIN_EXE_server"), "--log", "off"];
    let words: Vec<_> = server.iter().chain(options).map(Into::into).collect();
    Settings::new(CommandLine::new(&words, ".".as_ref()).unwrap(), dialect)
}

fn judge(settings: Settings, which: impl Fn(&Check<ServerStage>) -> bool) -> Vec<Judged> {
    let settings = Arc::new(settings);
    let all = catalogue();
    let holds = |check: &&Check<ServerStage>| match check.clause.dialects {
        Dialects::Both => true,
        Dialects::Only2021 => settings.dialect == Dialect::V2021,
        Dialects::Only2019 => settings.dialect == Dialect::V2019,
    };
    let checks: Vec<_> = all.iter().filter(|check| which(check)).filter(holds).collect();
    preflight(&settings).unwrap();
    let set_up =
        |check: &Check<ServerStage>, attempt| ServerStage::new(&settings, check.clause.id, attempt);
    let go_on = AtomicBool::new(false);
    suite::run(&checks, Plan { jobs: 4, tries: 6 }, &go_on, set_up, |_| {})
}

fn told(results: &[Judged]) -> String {
    let mut text = String::new();
    for judged in results {
        if let Outcome::Failed(failure) = &judged.outcome {
            let (id, expected, came) = (judged.id, &failure.expected, &failure.came);
            let drawing = failure.drawing.as_deref().unwrap_or_default();
            let crash = failure.crash.as_deref().unwrap_or_default();
            let _ = writeln!(text, "{id}: expected {expected}; came {came} {crash}\n{drawing}");
            for exchange in judged.exchanges.iter().rev().take(20).rev() {
                let _ = writeln!(text, "    {exchange}");
            }
        }
    }
    text
}

fn keeps_everything(dialect: Dialect, options: &[&str], loss_percent: u32) {
    for run in 1..=runs() {
        let mut settings = settings(options, dialect);
        (settings.seed, settings.loss_percent) = (run, loss_percent);
        let results = judge(settings, |_| true);
        let failures = told(&results);
        assert!(results.len() > 80, "{} checks", results.len());
        assert!(failures.is_empty(), "run {run}:\n{failures}");
    }
}

#[test]
fn our_server_keeps_every_clause_of_2021() {
    keeps_everything(Dialect::V2021, &[], 0);
}

#[test]
fn our_server_keeps_every_clause_of_2019() {
    keeps_everything(Dialect::V2019, &["--dialect", "2019"], 0);
}

#[test]
fn our_server_keeps_every_clause_where_datagrams_are_lost() {
    keeps_everything(Dialect::V2021, &[], 5);
}

#[test]
fn a_server_with_house_rules_breaks_just_the_clauses_that_they_change() {
    let breaks = |options: &[&str], id: &str| {
        let mut settings = settings(options, Dialect::V2021);
        settings.seed = 2;
        let results = judge(settings, |check| check.clause.id == id);
        assert!(matches!(results[0].outcome, Outcome::Failed(_)), "{options:?} passes {id}");
    };
    breaks(&["--sprint-stops"], "gold.sprint");
    breaks(&["--sprint-stops"], "swap.sprint");
    breaks(&["--steal"], "swap.purses");
    breaks(&["--vision", "3"], "sight.room");
    breaks(&["--gold", "200"], "gold.sum");
    breaks(&["--min-piles", "3", "--max-piles", "3"], "gold.piles");
    breaks(&["--dialect", "2019"], "sight.passage-dark");
    breaks(&["--dialect", "2019"], "over.taker");
    breaks(&["--changed-only"], "move.to-all");
    breaks(&["--end-when-empty"], "over.empty-goes-on");
}

/// A server that sees 170 spots far is right on all our maps, and wrong in a longer room.
#[test]
fn maps_that_are_given_are_walked_on() {
    let walks = |maps: Vec<TestMap>| {
        let mut settings = settings(&["--vision", "170"], Dialect::V2021);
        settings.maps = maps;
        judge(settings, |check| check.clause.id == "sight.walks").remove(0).outcome
    };
    assert_eq!(walks(vec![]), Outcome::Passed);
    let (wall, floor) = ("-".repeat(250), ".".repeat(250));
    let room = format!("+{wall}+\n|{floor}|\n+{wall}+\n");
    let failed = walks(vec![TestMap::new("long.txt", &room).unwrap()]);
    let Outcome::Failed(failure) = failed else { panic!("it was not walked on") };
    assert!(failure.expected.contains("long.txt"), "{failure:?}");
}
