//! Trials by a made-up catalogue.

use std::path::Path;

use nuggets_conform::{Level, Outcome};

use super::fake::{OfFakes, judging};
use super::*;

fn judge(words: &[&str], maps: &[PathBuf], script: &str, stop: bool) -> Result<Report, String> {
    let judging = judging(words);
    let stop = AtomicBool::new(stop);
    let trial = Trial { judging: &judging, maps, stop: &stop };
    let words = ["sh", "-c", script].map(Into::into);
    let command = CommandLine::new(&words, Path::new("/")).unwrap();
    let checks = OfFakes::catalogue();
    trial.judge::<OfFakes>(&command, &catalogue::meant(&checks, &judging), "")
}

#[test]
fn a_program_is_held_to_every_check_and_each_can_be_repeated() {
    let report = judge(&["--jobs", "2"], &[], "exit 1", false).unwrap();
    assert_eq!((report.program.as_str(), report.dialect.as_str()), ("sh -c 'exit 1'", "2021"));
    assert_eq!(report.score_of(Level::Must).to_string(), "1/2");
    assert_eq!(
        report.results[1].repeat,
        "nuggets conform server --dialect 2021 --only join.order -- sh -c 'exit 1'"
    );
    let code = |report: &Report, stop| verdict(report, &AtomicBool::new(stop));
    assert_eq!(code(&report, false), ExitCode::FAILURE);
    assert_eq!(code(&report, true), ExitCode::from(130));
    let good = judge(&[], &[], "exit 0", false).unwrap();
    assert_eq!(code(&good, false), ExitCode::SUCCESS, "a should that doesn't hold is forgiven");
}

#[test]
fn what_was_said_about_maps_and_losses_is_said_again_to_repeat() {
    let words = ["--dialect", "2019", "--loss", "5", "--loss-seed", "7", "--only", "keys.old"];
    let report = judge(&words, &["my map.txt".into()], "exit 0", false).unwrap();
    assert_eq!(
        report.results[0].repeat,
        "nuggets conform server --dialect 2019 --map 'my map.txt' --loss 5 --loss-seed 7 --only \
         keys.old -- sh -c 'exit 0'"
    );
}

#[test]
fn a_program_that_cant_be_run_is_not_judged() {
    let refused = judge(&[], &[], "exit 3", false);
    assert_eq!(refused.unwrap_err(), "it never announces a port");
}

#[test]
fn after_a_stop_the_rest_is_told_as_not_judged() {
    let report = judge(&[], &[], "exit 0", true).unwrap();
    assert_eq!(report.results.len(), 3);
    assert!(report.results.iter().all(|judged| matches!(judged.outcome, Outcome::Skipped { .. })));
}
