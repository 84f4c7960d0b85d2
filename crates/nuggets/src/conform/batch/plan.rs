//! The plan for each team: keep the results of an earlier run, or build and test its
//! programs.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use indicatif::ProgressBar;
use nuggets_conformance::report::batch::{self as tables, Build, Team};
use nuggets_conformance::report::escape_invisible;
use nuggets_conformance::suite::in_parallel;
use nuggets_conformance::{CannotRun, ProgramKind, Requirement};
use tempfile::TempDir;

use super::build::{self, Built};
use super::submissions::{Submission, SubmittedProgram, find_programs};
use super::{file_name, files};
use crate::args::conform::{BatchArgs, SelectionArgs};
use crate::conform::tester::jobs;
use crate::print;

/// The files of one team.
#[derive(Debug)]
pub(super) struct TeamFiles {
    pub(super) page: PathBuf,
    /// The results as JSON, for a later run.
    pub(super) results: PathBuf,
}

pub(super) enum TeamPlan {
    Keep(Team),
    Test(Prepared),
}

/// A team whose programs are built, if a build was asked for.
pub(super) struct Prepared {
    /// `None` if some of its files could not be read, because a change would then go unnoticed.
    pub(super) fingerprint: Option<String>,
    pub(super) build: Option<Build>,
    /// The server and the client.
    pub(super) programs: [SubmittedProgram; 2],
    /// The folder of the build; dropping it deletes it.
    pub(super) copy: Option<TempDir>,
}

/// A plan for each team. Several teams' programs are built at the same time.
pub(super) fn make(
    args: &BatchArgs,
    submissions: &[Submission],
    team_files: &[TeamFiles],
    requirements: impl Fn(ProgramKind) -> Vec<Requirement>,
    stop: &AtomicBool,
) -> Vec<TeamPlan> {
    let words = words_of_run(args);
    let fingerprints: Vec<Option<String>> =
        submissions.iter().map(|submission| fingerprint(submission, &words)).collect();
    let kept = team_files.iter().zip(&fingerprints).map(|(files, fingerprint)| {
        let fingerprint = fingerprint.as_ref().filter(|_| args.resume)?;
        let text = std::fs::read_to_string(&files.results).ok()?;
        let team = tables::load(&text, fingerprint, &requirements)?;
        // A program that could not be run is tried again: the cause may be this machine.
        let is_complete = team.programs.iter().all(|program| program.result.is_ok());
        is_complete.then(|| Team { page: file_name(&files.page), ..team })
    });
    let kept: Vec<Option<Team>> = kept.collect();
    if args.resume {
        note_kept(submissions, &kept);
    }
    let teams = kept.iter().filter(|team| args.build.is_some() && team.is_none()).count();
    let bar = match teams as u64 {
        0 => ProgressBar::hidden(),
        teams => print::progress_bar(teams, "building  {bar:40} {pos}/{len} teams"),
    };
    let plans = in_parallel(jobs(&args.checks), submissions, |index, submission| {
        if let Some(team) = &kept[index] {
            return TeamPlan::Keep(team.clone());
        }
        let plan = prepare(args, submission, fingerprints[index].clone(), stop);
        bar.inc(1);
        TeamPlan::Test(plan)
    });
    bar.finish_and_clear();
    plans
}

/// Everything besides the team's files on which its results depend.
fn words_of_run(args: &BatchArgs) -> Vec<String> {
    let SelectionArgs { dialect, only, loss, loss_seed, .. } = &args.checks;
    vec![
        env!("CARGO_PKG_VERSION").to_owned(),
        format!("{dialect} {only:?} {loss} {loss_seed}"),
        format!("{:?} {:?} {:?} {:?}", args.kind, args.build, args.server, args.client),
    ]
}

fn fingerprint(submission: &Submission, words: &[String]) -> Option<String> {
    let result = files::fingerprint(&submission.folder, words);
    let note = |why: &anyhow::Error| {
        let team = escape_invisible(&submission.team);
        let why = escape_invisible(&format!("{why:#}"));
        print::to_stderr(format_args!("{team}: {why}. It will be tested again by --resume"));
    };
    result.inspect_err(note).ok()
}

fn note_kept(submissions: &[Submission], kept: &[Option<Team>]) {
    let count = kept.iter().flatten().count();
    let rest = submissions.iter().zip(kept).filter(|(_, kept)| kept.is_none());
    let rest: Vec<String> =
        rest.map(|(submission, _)| escape_invisible(&submission.team)).collect();
    let rest = if rest.is_empty() { "none".to_owned() } else { rest.join(", ") };
    print::to_stderr(format_args!(
        "{count} of {} teams have not changed since they were tested; to test: {rest}",
        kept.len()
    ));
}

fn prepare(
    args: &BatchArgs,
    submission: &Submission,
    fingerprint: Option<String>,
    stop: &AtomicBool,
) -> Prepared {
    let own = &submission.folder;
    let Some(command) = &args.build else {
        let programs = find_programs(args, own, own);
        return Prepared { fingerprint, build: None, programs, copy: None };
    };
    match build::build(own, command, Duration::from_secs(args.build_timeout), stop) {
        Ok(Built { copy, build }) => {
            let programs = match build::failure(&build) {
                Some(why) => missing(&why),
                None => find_programs(args, own, copy.path()),
            };
            Prepared { fingerprint, build: Some(build), programs, copy: Some(copy) }
        }
        Err(why) => {
            let programs = missing(&CannotRun(format!("{why:#}")));
            Prepared { fingerprint, build: None, programs, copy: None }
        }
    }
}

/// No programs, for this reason.
fn missing(why: &CannotRun) -> [SubmittedProgram; 2] {
    [(); 2].map(|()| SubmittedProgram::Missing(why.clone()))
}
