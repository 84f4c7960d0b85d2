//! Our own server and player meet every requirement, in both dialects, also where datagrams are lost.
//! `NUGGETS_RUNS=100` runs everything a hundred times with other seeds.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nuggets_conformance::client::ClientTest;
use nuggets_conformance::server::{ServerTest, TestMap};
use nuggets_conformance::suite::{self, SuiteOptions, TestRun};
use nuggets_conformance::{Check, CheckOutcome, CheckResult, TestSettings};
use nuggets_protocol::Dialect;
use nuggets_subprocess::CommandLine;

use crate::starting::PLAYER;

const SERVER: &[&str] = &[env!("CARGO_BIN_EXE_server"), "--log", "off"];
const OPTIONS: SuiteOptions = SuiteOptions { jobs: 4, tries: 6 };

fn runs() -> u32 {
    std::env::var("NUGGETS_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(1)
}

fn settings(words: &[&str], dialect: Dialect) -> TestSettings {
    let words: Vec<_> = words.iter().map(Into::into).collect();
    TestSettings::new(CommandLine::new(&words, Path::new("/")).unwrap(), dialect)
}

/// Runs the checks of the settings' dialect that `is_selected` accepts by id.
fn run<T: TestRun>(settings: TestSettings, is_selected: impl Fn(&str) -> bool) -> Vec<CheckResult> {
    let settings = Arc::new(settings);
    T::preflight(&settings).unwrap();
    let catalogue = T::catalogue();
    let applies = |check: &&Check<T>| {
        let requirement = &check.requirement;
        requirement.dialects.includes(settings.dialect) && is_selected(requirement.id)
    };
    let checks: Vec<_> = catalogue.iter().filter(applies).collect();
    suite::run(&checks, &settings, OPTIONS, &AtomicBool::new(false), |_| {})
}

fn assert_all_pass(results: &[CheckResult], min_checks: usize) {
    assert!(results.len() >= min_checks, "only {} checks", results.len());
    for result in results {
        let (CheckOutcome::Failed(failure) | CheckOutcome::NotJudged(failure)) = &result.outcome
        else {
            continue;
        };
        let exchanges: Vec<_> = result.exchanges.iter().map(ToString::to_string).collect();
        let drawing = failure.drawing.as_deref().unwrap_or_default();
        let id = result.requirement.id;
        panic!("{id}: {failure:#?}\n{drawing}\n{}", exchanges.join("\n"));
    }
}

/// Our program passes all checks, with every seed.
fn assert_passes<T: TestRun>(
    words: &[&str],
    dialect: Dialect,
    loss_percent: u32,
    min_checks: usize,
) {
    for seed in 1..=runs() {
        let settings = TestSettings { seed, loss_percent, ..settings(words, dialect) };
        assert_all_pass(&run::<T>(settings, |_| true), min_checks);
    }
}

#[test]
fn our_server_passes_in_2021() {
    assert_passes::<ServerTest>(SERVER, Dialect::V2021, 0, 80);
}

#[test]
fn our_server_passes_in_2019() {
    let words = [SERVER, &["--dialect", "2019"]].concat();
    assert_passes::<ServerTest>(&words, Dialect::V2019, 0, 80);
}

#[test]
fn our_server_passes_where_datagrams_are_lost() {
    assert_passes::<ServerTest>(SERVER, Dialect::V2021, 5, 80);
}

/// A server with a vision of 170 gridpoints is right on all our maps and wrong in a longer room.
#[test]
fn given_maps_are_tested_too() {
    let outcome_with = |maps: Vec<TestMap>| {
        let words = [SERVER, &["--vision", "170"]].concat();
        let settings = TestSettings { maps, ..settings(&words, Dialect::V2021) };
        run::<ServerTest>(settings, |id| id == "sight.walks").remove(0).outcome
    };
    assert_eq!(outcome_with(vec![]), CheckOutcome::Passed);
    let wall = "-".repeat(250);
    let floor = ".".repeat(250);
    let room = format!("+{wall}+\n|{floor}|\n+{wall}+\n");
    let outcome = outcome_with(vec![TestMap::new("long.txt", &room).unwrap()]);
    let CheckOutcome::Failed(failure) = outcome else { panic!("the map was not used") };
    assert!(failure.expected.contains("long.txt"), "{failure:?}");
}

#[test]
fn our_player_passes_in_2021() {
    assert_passes::<ClientTest>(&[PLAYER], Dialect::V2021, 0, 60);
}

#[test]
fn our_player_passes_in_2019() {
    assert_passes::<ClientTest>(&[PLAYER], Dialect::V2019, 0, 60);
}

#[test]
fn our_player_passes_where_datagrams_are_lost() {
    assert_passes::<ClientTest>(&[PLAYER], Dialect::V2021, 5, 60);
}
