//! `nuggets conform batch`: tests the programs of many teams, one team after the other. No program
//! keeps the next from being tested.

mod submissions;

use std::collections::BTreeSet;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, anyhow};
use nuggets_conformance::report::batch::{self as tables, Team, TeamProgram};
use nuggets_conformance::report::escape_invisible;
use nuggets_conformance::{CannotRun, Check, ConformanceReport, ProgramKind};

use super::subject::Subject;
use super::tester::Tester;
use super::{STOPPED, ensure_writable, selection};
use crate::args::conform::BatchArgs;
use crate::print;
use crate::signals::stop_on_signals;
use submissions::{Submission, SubmittedProgram};

pub(super) fn run<S: Subject, C: Subject>(args: &BatchArgs) -> anyhow::Result<ExitCode> {
    let requirements =
        [selection::requirements(&S::catalogue()), selection::requirements(&C::catalogue())];
    let list = "nuggets conform server --list";
    selection::ensure_known(&requirements.concat(), &args.checks, list)?;
    let submissions = submissions::find_all(args)?;
    let pages = pages(args, &submissions);
    create_folder(&args.html)?;
    let files = [Some(&args.html), args.json.as_ref()].into_iter().flatten().chain(&pages);
    ensure_writable(files.map(PathBuf::as_path), args.checks.force)?;
    let stop = stop_on_signals()?;
    let teams = test_all::<S, C>(args, &submissions, &pages, &stop)?;
    finish(args, &submissions, &teams, &stop)
}

/// The folder for the pages, which need not exist because there are many of them.
fn create_folder(html: &Path) -> anyhow::Result<()> {
    let folder = html.parent().unwrap_or(Path::new(""));
    std::fs::create_dir_all(folder)
        .with_context(|| format!("can't create the folder '{}' for the pages", folder.display()))
}

/// Tests every team and writes its page at once, so that a stop loses nothing.
fn test_all<S: Subject, C: Subject>(
    args: &BatchArgs,
    submissions: &[Submission],
    pages: &[PathBuf],
    stop: &AtomicBool,
) -> anyhow::Result<Vec<Team>> {
    let tester = Tester { args: &args.checks, maps: &[], stop };
    let server_checks = selection::select(&S::catalogue(), &args.checks);
    let client_checks = selection::select(&C::catalogue(), &args.checks);
    let kinds = tested_kinds(args, submissions);
    let mut teams = vec![];
    for (index, (submission, page)) in submissions.iter().zip(pages).enumerate() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let team = escape_invisible(&submission.team);
        let label = format!("{team} ({} of {})  ", index + 1, submissions.len());
        let test = |kind| match kind {
            ProgramKind::Server => test_one(&tester, &submission.server, &server_checks, &label),
            ProgramKind::Client => test_one(&tester, &submission.client, &client_checks, &label),
        };
        let programs = kinds.iter().map(|&kind| TeamProgram { kind, result: test(kind) }).collect();
        let team = Team { name: submission.team.clone(), page: file_name(page), programs };
        print::file(page, tables::team_page(&team).as_bytes(), args.checks.force)?;
        teams.push(team);
    }
    Ok(teams)
}

/// The kinds that at least one team has, unless one is asked for.
fn tested_kinds(args: &BatchArgs, submissions: &[Submission]) -> Vec<ProgramKind> {
    let all = [ProgramKind::Server, ProgramKind::Client];
    let wanted = all.into_iter().filter(|kind| args.kind.is_none_or(|only| only == *kind));
    let is_submitted = |kind: &ProgramKind| {
        let mut programs = submissions.iter().map(|submission| submission.program(*kind));
        programs.any(|program| !matches!(program, SubmittedProgram::Missing(_)))
    };
    let submitted: Vec<ProgramKind> = wanted.clone().filter(is_submitted).collect();
    if submitted.is_empty() { wanted.collect() } else { submitted }
}

fn test_one<S: Subject>(
    tester: &Tester<'_>,
    program: &SubmittedProgram,
    checks: &[Check<S>],
    label: &str,
) -> Result<ConformanceReport, CannotRun> {
    let command = match program {
        SubmittedProgram::Runnable(command) => command,
        SubmittedProgram::Missing(why) | SubmittedProgram::Unusable(why) => {
            return Err(why.clone());
        }
    };
    let result = catch_unwind(AssertUnwindSafe(|| tester.test(command, checks, label)));
    result.unwrap_or_else(|_| {
        Err(CannotRun("the tester crashed: this is a bug in nuggets, not in the program".into()))
    })
}

fn finish(
    args: &BatchArgs,
    submissions: &[Submission],
    teams: &[Team],
    stop: &AtomicBool,
) -> anyhow::Result<ExitCode> {
    let summary = tables::text(teams);
    print::out(|out| out.write_all(summary.as_bytes()))?;
    let title = format!("Conformance of {}", args.dir.display());
    print::file(&args.html, tables::index(&title, teams).as_bytes(), args.checks.force)?;
    if let Some(file) = &args.json {
        print::file(file, tables::json(teams).as_bytes(), args.checks.force)?;
    }
    if stop.load(Ordering::Relaxed) {
        let rest = submissions.len() - teams.len();
        print::to_stderr(format_args!("stopped: {rest} teams were not tested"));
        return Ok(ExitCode::from(STOPPED));
    }
    exit_code(teams)
}

fn exit_code(teams: &[Team]) -> anyhow::Result<ExitCode> {
    let programs = || teams.iter().flat_map(|team| &team.programs);
    if programs().all(|program| program.result.is_err()) {
        return Err(anyhow!(
            "no team has a program that can be run. Build the programs, or give their paths with \
             --server and --client"
        ));
    }
    let all_ran = programs().all(|program| program.result.is_ok());
    Ok(if all_ran { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A page for each team beside the table, with unique names (ignoring case).
fn pages(args: &BatchArgs, submissions: &[Submission]) -> Vec<PathBuf> {
    let beside = args.html.parent().unwrap_or(Path::new(""));
    let mut used = BTreeSet::from([file_name(&args.html).to_lowercase()]);
    let mut page = |Submission { team, .. }: &Submission| {
        let names = (1..).map(|number| match number {
            1 => format!("{team}.html"),
            number => format!("{team}-{number}.html"),
        });
        let mut unused = names.filter(|name| used.insert(name.to_lowercase()));
        beside.join(unused.next().expect("there is always another number"))
    };
    submissions.iter().map(&mut page).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
