//! `nuggets conform batch`: builds and tests the programs of many teams. No team keeps the next from
//! being tested.

mod build;
mod files;
mod plan;
mod submissions;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, anyhow};
use nuggets_conformance::report::batch::{self as tables, Team, TeamProgram};
use nuggets_conformance::report::escape_invisible;
use nuggets_conformance::report::rubric::Rubric;
use nuggets_conformance::suite::TestRun;
use nuggets_conformance::{CannotRun, Check, ConformanceReport, ProgramKind, Requirement};

use super::tester::Tester;
use super::{STOPPED, ensure_writable, rubric, selection};
use crate::args::conform::BatchArgs;
use crate::print;
use crate::signals::stop_on_signals;
use plan::{Prepared, TeamFiles, TeamPlan};
use submissions::{Submission, SubmittedProgram};

pub(super) fn run<S: TestRun, C: TestRun>(args: &BatchArgs) -> anyhow::Result<ExitCode> {
    let servers = selection::requirements(&S::catalogue());
    let clients = selection::requirements(&C::catalogue());
    let list = "nuggets conform server --list";
    selection::ensure_known(&[&servers[..], &clients].concat(), &args.checks, list)?;
    let rubric = args.rubric.as_ref().map(|path| rubric::read(path, &servers, &clients));
    let rubric = rubric.transpose()?;
    let submissions = submissions::find_all(args)?;
    let team_files = team_files(args, &submissions);
    create_folder(&args.html)?;
    let tables = [Some(&args.html), args.json.as_ref(), args.csv.as_ref()].into_iter().flatten();
    let of_teams = team_files.iter().flat_map(|files| [&files.page, &files.results]);
    ensure_writable(tables.chain(of_teams).map(PathBuf::as_path), may_overwrite(args))?;
    let stop = stop_on_signals()?;
    let teams = test_all::<S, C>(args, &submissions, &team_files, &stop)?;
    finish(args, rubric.as_ref(), &submissions, &teams, &stop)
}

/// True if existing files may be replaced: a resumed batch replaces those of the earlier run.
fn may_overwrite(args: &BatchArgs) -> bool {
    args.checks.force || args.resume
}

/// The folder for the pages, which need not exist because there are many of them.
fn create_folder(html: &Path) -> anyhow::Result<()> {
    let folder = html.parent().unwrap_or(Path::new(""));
    std::fs::create_dir_all(folder)
        .with_context(|| format!("can't create the folder '{}' for the pages", folder.display()))
}

/// Builds and tests every team, and writes its page at once, so that a stop loses nothing.
fn test_all<S: TestRun, C: TestRun>(
    args: &BatchArgs,
    submissions: &[Submission],
    team_files: &[TeamFiles],
    stop: &AtomicBool,
) -> anyhow::Result<Vec<Team>> {
    let tester = Tester { args: &args.checks, maps: &[], stop };
    let server_checks = selection::select(&S::catalogue(), &args.checks);
    let client_checks = selection::select(&C::catalogue(), &args.checks);
    let requirements = |kind| -> Vec<Requirement> {
        match kind {
            ProgramKind::Server => selection::requirements(&server_checks),
            ProgramKind::Client => selection::requirements(&client_checks),
        }
    };
    let plans = plan::make(args, submissions, team_files, requirements, stop);
    let kinds = tested_kinds(args, &plans);
    let mut teams = vec![];
    let numbered = (1..).zip(submissions).zip(plans.into_iter().zip(team_files));
    for ((number, submission), (plan, files)) in numbered {
        let Prepared { fingerprint, build, programs, copy } = match plan {
            TeamPlan::Keep(team) => {
                teams.push(team);
                continue;
            }
            TeamPlan::Test(_) if stop.load(Ordering::Relaxed) => break,
            TeamPlan::Test(prepared) => prepared,
        };
        let team = escape_invisible(&submission.team);
        let label = format!("{team} ({number} of {})  ", submissions.len());
        let test = |kind| match kind {
            ProgramKind::Server => test_one(&tester, &programs[0], &server_checks, &label),
            ProgramKind::Client => test_one(&tester, &programs[1], &client_checks, &label),
        };
        let programs = kinds.iter().map(|&kind| TeamProgram { kind, result: test(kind) }).collect();
        let page = file_name(&files.page);
        let team = Team { name: submission.team.clone(), page, build, programs };
        drop(copy);
        print::file(&files.page, tables::team_page(&team).as_bytes(), may_overwrite(args))?;
        if let Some(fingerprint) = fingerprint.filter(|_| !stop.load(Ordering::Relaxed)) {
            let results = tables::save(&team, &fingerprint);
            print::file(&files.results, results.as_bytes(), may_overwrite(args))?;
        }
        teams.push(team);
    }
    Ok(teams)
}

/// The kinds that at least one team has, unless one is asked for.
fn tested_kinds(args: &BatchArgs, plans: &[TeamPlan]) -> Vec<ProgramKind> {
    let all = [ProgramKind::Server, ProgramKind::Client];
    let wanted = all.into_iter().filter(|kind| args.kind.is_none_or(|only| only == *kind));
    let is_submitted = |kind: &ProgramKind| {
        plans.iter().any(|plan| match plan {
            TeamPlan::Keep(team) => team.programs.iter().any(|program| program.kind == *kind),
            TeamPlan::Test(prepared) => {
                !matches!(prepared.programs[*kind as usize], SubmittedProgram::Missing(_))
            }
        })
    };
    let submitted: Vec<ProgramKind> = wanted.clone().filter(is_submitted).collect();
    if submitted.is_empty() { wanted.collect() } else { submitted }
}

fn test_one<T: TestRun>(
    tester: &Tester<'_>,
    program: &SubmittedProgram,
    checks: &[Check<T>],
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
    rubric: Option<&Rubric>,
    submissions: &[Submission],
    teams: &[Team],
    stop: &AtomicBool,
) -> anyhow::Result<ExitCode> {
    print::text(&tables::text(teams, rubric))?;
    let title = format!("Conformance of {}", args.dir.display());
    let write = |file: &Path, text: String| print::file(file, text.as_bytes(), may_overwrite(args));
    write(&args.html, tables::index(&title, teams, rubric))?;
    if let Some(file) = &args.json {
        write(file, tables::json(teams, rubric))?;
    }
    if let Some(file) = &args.csv {
        write(file, tables::csv(teams, rubric))?;
    }
    if stop.load(Ordering::Relaxed) {
        let rest = print::count(submissions.len() - teams.len(), "team");
        print::to_stderr(format_args!(
            "stopped with {rest} left to test. The same command with --resume continues"
        ));
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

/// The files of each team beside the table, with unique names (ignoring case).
fn team_files(args: &BatchArgs, submissions: &[Submission]) -> Vec<TeamFiles> {
    let beside = args.html.parent().unwrap_or(Path::new(""));
    let table = args.html.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let mut used = BTreeSet::from([table]);
    let mut files = |Submission { team, .. }: &Submission| {
        let names = (1..).map(|number| match number {
            1 => team.clone(),
            number => format!("{team}-{number}"),
        });
        let mut unused = names.filter(|name| used.insert(name.to_lowercase()));
        let name = unused.next().expect("there is always another number");
        TeamFiles {
            page: beside.join(format!("{name}.html")),
            results: beside.join(format!("{name}.json")),
        }
    };
    submissions.iter().map(&mut files).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
