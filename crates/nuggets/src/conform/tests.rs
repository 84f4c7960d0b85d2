//! Test runs with the fake catalogue.

use nuggets_conformance::{CheckOutcome, RequirementLevel};

use super::fake::{FakeTest, check_args};
use super::*;

static RUNNING: AtomicBool = AtomicBool::new(false);
static STOP: AtomicBool = AtomicBool::new(true);

fn test(
    words: &[&str],
    maps: &[PathBuf],
    script: &str,
    stop: &AtomicBool,
) -> Result<ConformanceReport, CannotRun> {
    let args = &check_args(words);
    let words = ["sh", "-c", script].map(Into::into);
    let command = CommandLine::new(&words, Path::new("/")).unwrap();
    let checks = selection::select(&FakeTest::catalogue(), args);
    Tester { args, maps, stop }.test(&command, &checks, "")
}

#[test]
fn every_check_is_run_and_can_be_repeated() {
    let report = test(&["--jobs", "2"], &[], "exit 1", &RUNNING).unwrap();
    assert_eq!((report.program.as_str(), report.dialect.as_str()), ("sh -c 'exit 1'", "2021"));
    assert_eq!(report.score_of(RequirementLevel::Must).to_string(), "1/2");
    assert_eq!(
        report.results[1].repeat,
        "nuggets conform server --dialect 2021 --only join.order -- sh -c 'exit 1'"
    );
    assert_eq!(exit_code(&report, &RUNNING), ExitCode::FAILURE);
    assert_eq!(exit_code(&report, &STOP), ExitCode::from(130));
    let good = test(&[], &[], "exit 0", &RUNNING).unwrap();
    assert_eq!(exit_code(&good, &RUNNING), ExitCode::SUCCESS, "a should may fail");
}

#[test]
fn the_command_to_repeat_a_check_has_maps_and_losses() {
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("my map.txt");
    std::fs::write(&map, nuggets_game::shipped::find("main").unwrap().text).unwrap();
    let words = ["--dialect", "2019", "--loss", "5", "--loss-seed", "7", "--only", "keys.old"];
    let report = test(&words, std::slice::from_ref(&map), "exit 0", &RUNNING).unwrap();
    assert_eq!(
        report.results[0].repeat,
        format!(
            "nuggets conform server --dialect 2019 --map '{}' --loss 5 --loss-seed 7 --only keys.old -- \
             sh -c 'exit 0'",
            map.display()
        )
    );
}

#[test]
fn a_program_that_cannot_run_is_not_tested() {
    let result = test(&[], &[], "exit 3", &RUNNING);
    assert_eq!(result.unwrap_err().to_string(), "it never announces a port");
}

#[test]
fn after_a_stop_the_rest_is_reported_as_skipped() {
    let report = test(&[], &[], "exit 0", &STOP).unwrap();
    assert_eq!(report.results.len(), 3);
    assert!(
        report.results.iter().all(|result| matches!(result.outcome, CheckOutcome::Skipped { .. }))
    );
}
