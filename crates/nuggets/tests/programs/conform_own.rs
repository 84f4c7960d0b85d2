//! Our own server and player meet every requirement, in both dialects, also where datagrams are lost.
//! `NUGGETS_RUNS=100` runs everything a hundred times with other seeds.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nuggets_conformance::client::{self, ClientTest, ClientTestSettings};
use nuggets_conformance::server::{self, ServerTest, ServerTestSettings, TestMap};
use nuggets_conformance::suite::{self, SuiteOptions, TestRun};
use nuggets_conformance::{Check, CheckOutcome, CheckResult};
use nuggets_protocol::Dialect;
use nuggets_subprocess::CommandLine;

use crate::starting::PLAYER;

const OPTIONS: SuiteOptions = SuiteOptions { jobs: 4, tries: 6 };

fn runs() -> u32 {
    std::env::var("NUGGETS_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(1)
}

fn run<T: TestRun>(
    catalogue: &[Check<T>],
    dialect: Dialect,
    set_up: impl Fn(&str, u32) -> T + Sync,
) -> Vec<CheckResult> {
    let applies = |check: &&Check<T>| check.requirement.dialects.includes(dialect);
    let checks: Vec<_> = catalogue.iter().filter(applies).collect();
    let set_up = |check: &Check<T>, attempt| set_up(check.requirement.id, attempt);
    suite::run(&checks, OPTIONS, &AtomicBool::new(false), set_up, |_| {})
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

fn server_settings(options: &[&str], dialect: Dialect) -> ServerTestSettings {
    let server = [env!("CARGO_BIN_EXE_server"), "--log", "off"];
    let words: Vec<_> = server.iter().chain(options).map(Into::into).collect();
    ServerTestSettings::new(CommandLine::new(&words, Path::new("/")).unwrap(), dialect)
}

fn run_on_server(
    settings: ServerTestSettings,
    catalogue: &[Check<ServerTest>],
) -> Vec<CheckResult> {
    let settings = Arc::new(settings);
    server::preflight(&settings).unwrap();
    run(catalogue, settings.dialect, |id, attempt| ServerTest::new(&settings, id, attempt))
}

fn server_check(id: &str) -> Vec<Check<ServerTest>> {
    server::catalogue().into_iter().filter(|check| check.requirement.id == id).collect()
}

fn assert_server_passes(dialect: Dialect, options: &[&str], loss_percent: u32) {
    for seed in 1..=runs() {
        let settings =
            ServerTestSettings { seed, loss_percent, ..server_settings(options, dialect) };
        assert_all_pass(&run_on_server(settings, &server::catalogue()), 80);
    }
}

#[test]
fn our_server_passes_in_2021() {
    assert_server_passes(Dialect::V2021, &[], 0);
}

#[test]
fn our_server_passes_in_2019() {
    assert_server_passes(Dialect::V2019, &["--dialect", "2019"], 0);
}

#[test]
fn our_server_passes_where_datagrams_are_lost() {
    assert_server_passes(Dialect::V2021, &[], 5);
}

#[test]
fn a_server_with_house_rules_fails_the_requirements_that_they_change() {
    for (options, id) in [
        (&["--sprint-stops"][..], "gold.sprint"),
        (&["--sprint-stops"], "swap.sprint"),
        (&["--steal"], "swap.purses"),
        (&["--vision", "3"], "sight.room"),
        (&["--gold", "200"], "join.gold"),
        (&["--min-piles", "3", "--max-piles", "3"], "gold.piles"),
        (&["--dialect", "2019"], "sight.passage-dark"),
        (&["--dialect", "2019"], "over.head"),
        (&["--changed-only"], "move.to-all"),
        (&["--end-when-empty"], "over.empty-goes-on"),
    ] {
        let settings = ServerTestSettings { seed: 2, ..server_settings(options, Dialect::V2021) };
        let results = run_on_server(settings, &server_check(id));
        assert!(matches!(results[0].outcome, CheckOutcome::Failed(_)), "{options:?} passes {id}");
    }
}

/// A server with a vision of 170 gridpoints is right on all our maps and wrong in a longer room.
#[test]
fn given_maps_are_tested_too() {
    let outcome_with = |maps: Vec<TestMap>| {
        let settings = server_settings(&["--vision", "170"], Dialect::V2021);
        let settings = ServerTestSettings { maps, ..settings };
        run_on_server(settings, &server_check("sight.walks")).remove(0).outcome
    };
    assert_eq!(outcome_with(vec![]), CheckOutcome::Passed);
    let wall = "-".repeat(250);
    let floor = ".".repeat(250);
    let room = format!("+{wall}+\n|{floor}|\n+{wall}+\n");
    let outcome = outcome_with(vec![TestMap::new("long.txt", &room).unwrap()]);
    let CheckOutcome::Failed(failure) = outcome else { panic!("the map was not used") };
    assert!(failure.expected.contains("long.txt"), "{failure:?}");
}

fn client_settings(dialect: Dialect) -> ClientTestSettings {
    let command = CommandLine::new(&[PLAYER.into()], Path::new("/")).unwrap();
    ClientTestSettings::new(command, dialect)
}

fn assert_client_passes(dialect: Dialect, loss_percent: u32) {
    for seed in 1..=runs() {
        let settings =
            Arc::new(ClientTestSettings { seed, loss_percent, ..client_settings(dialect) });
        let results = run(&client::catalogue(), dialect, |id, attempt| {
            ClientTest::new(&settings, id, attempt)
        });
        assert_all_pass(&results, 60);
    }
}

#[test]
fn our_player_can_be_tested() {
    client::preflight(&Arc::new(client_settings(Dialect::V2021))).unwrap();
}

#[test]
fn our_player_passes_in_2021() {
    assert_client_passes(Dialect::V2021, 0);
}

#[test]
fn our_player_passes_in_2019() {
    assert_client_passes(Dialect::V2019, 0);
}

#[test]
fn our_player_passes_where_datagrams_are_lost() {
    assert_client_passes(Dialect::V2021, 5);
}
