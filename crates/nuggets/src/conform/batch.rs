//! `nuggets conform batch`: many teams in turn. Whatever one team's program does, the next is judged.

mod find;

use std::collections::HashSet;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, anyhow};
use nuggets_conform::report::batch::{Team, Tried, html, json, text};
use nuggets_conform::report::visible;
use nuggets_conform::{Check, Kind, Report};
use nuggets_stranger::CommandLine;

use super::doors::Door;
use super::outputs::check_files;
use super::trial::Trial;
use super::{STOPPED, catalogue};
use crate::args::conform::BatchArgs;
use crate::print;
use crate::signals::stop_on_signals;
use find::{Folder, Found};

pub(super) fn run<S: Door, C: Door>(args: &BatchArgs) -> anyhow::Result<ExitCode> {
    let clauses = [catalogue::clauses(&S::catalogue()), catalogue::clauses(&C::catalogue())];
    let list = "nuggets conform server --list";
    catalogue::check_words(&clauses.concat(), &args.judging, list)?;
    let folders = find::folders(args)?;
    let pages = pages(args, &folders);
    make_folder(&args.html)?;
    let mut files = vec![args.html.as_path()];
    files.extend(args.json.as_deref());
    files.extend(pages.iter().map(PathBuf::as_path));
    check_files(&files, args.judging.force)?;
    let stop = stop_on_signals()?;
    let teams = judge_all::<S, C>(args, &folders, &pages, &stop)?;
    finish(args, &folders, &teams, &stop)
}

/// The pages are many, so they may have a folder that isn't there yet.
fn make_folder(html: &Path) -> anyhow::Result<()> {
    let folder = html.parent().unwrap_or(Path::new(""));
    let unmade = || format!("can't make the folder '{}' for the pages", folder.display());
    std::fs::create_dir_all(folder).with_context(unmade)
}

/// Judges every team and writes its page at once, so that a stop loses nothing.
fn judge_all<S: Door, C: Door>(
    args: &BatchArgs,
    folders: &[Folder],
    pages: &[PathBuf],
    stop: &AtomicBool,
) -> anyhow::Result<Vec<Team>> {
    let trial = Trial { judging: &args.judging, maps: &[], stop };
    let dialect = args.judging.dialect;
    let of_servers = catalogue::in_dialect(&S::catalogue(), dialect);
    let of_clients = catalogue::in_dialect(&C::catalogue(), dialect);
    let of_servers = catalogue::meant(&of_servers, &args.judging);
    let of_clients = catalogue::meant(&of_clients, &args.judging);
    let kinds = kinds(args, folders);
    let mut teams = vec![];
    for (place, (folder, page)) in folders.iter().zip(pages).enumerate() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let name = visible(&folder.name);
        let label = format!("{name} ({} of {})  ", place + 1, folders.len());
        let judge = |kind| match kind {
            Kind::Server => try_one::<S>(&trial, &folder.server, &of_servers, &label),
            Kind::Client => try_one::<C>(&trial, &folder.client, &of_clients, &label),
        };
        let tried = kinds.iter().map(|&kind| Tried { kind, result: judge(kind) }).collect();
        let team = Team { name: folder.name.clone(), page: file_name(page), tried };
        print::file(page, html::team(&team).as_bytes(), args.judging.force)?;
        teams.push(team);
    }
    Ok(teams)
}

/// Only a kind that at least one team has, unless one is asked for.
fn kinds(args: &BatchArgs, folders: &[Folder]) -> Vec<Kind> {
    let all = [Kind::Server, Kind::Client];
    let wanted = all.into_iter().filter(|kind| args.kind.is_none_or(|only| only == *kind));
    let is_there = |kind: &Kind| {
        folders.iter().any(|folder| !matches!(folder.program(*kind), Found::Nothing(_)))
    };
    let there: Vec<Kind> = wanted.clone().filter(is_there).collect();
    if there.is_empty() { wanted.collect() } else { there }
}

fn try_one<D: Door>(
    trial: &Trial<'_>,
    found: &Found,
    checks: &[&Check<D::Stage>],
    label: &str,
) -> Result<Report, String> {
    let program = match found {
        Found::Program(path) => path.clone().into_os_string(),
        Found::Nothing(why) | Found::Unfit(why) => return Err(why.clone()),
    };
    let here = std::env::current_dir().map_err(|why| why.to_string())?;
    let command = CommandLine::new(&[program], &here).map_err(|why| why.to_string())?;
    let judged = catch_unwind(AssertUnwindSafe(|| trial.judge::<D>(&command, checks, label)));
    judged.unwrap_or_else(|_| Err("the tester itself failed on it: a defect of nuggets".into()))
}

fn finish(
    args: &BatchArgs,
    folders: &[Folder],
    teams: &[Team],
    stop: &AtomicBool,
) -> anyhow::Result<ExitCode> {
    let summary = text::render(teams);
    print::out(|out| out.write_all(summary.as_bytes()))?;
    let title = format!("Conformance of {}", args.dir.display());
    print::file(&args.html, html::index(&title, teams).as_bytes(), args.judging.force)?;
    if let Some(file) = &args.json {
        print::file(file, json::render(teams).as_bytes(), args.judging.force)?;
    }
    if stop.load(Ordering::Relaxed) {
        let rest = folders.len() - teams.len();
        // Nobody can be told that nobody can be told.
        let _ = writeln!(std::io::stderr(), "stopped: {rest} teams were not judged");
        return Ok(ExitCode::from(STOPPED));
    }
    verdict(teams)
}

fn verdict(teams: &[Team]) -> anyhow::Result<ExitCode> {
    let tried = || teams.iter().flat_map(|team| &team.tried);
    if tried().all(|tried| tried.result.is_err()) {
        return Err(anyhow!(
            "no team has a program that can be run. Build them, or say where they are with --server \
             and --client"
        ));
    }
    let all_ran = tried().all(|tried| tried.result.is_ok());
    Ok(if all_ran { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A page for each team beside the table, under a name that no other has.
fn pages(args: &BatchArgs, folders: &[Folder]) -> Vec<PathBuf> {
    let beside = args.html.parent().unwrap_or(Path::new(""));
    let mut taken = HashSet::from([file_name(&args.html).to_lowercase()]);
    let mut page = |folder: &Folder| {
        let names = (1..).map(|number| match number {
            1 => format!("{}.html", folder.name),
            number => format!("{}-{number}.html", folder.name),
        });
        let mut free = names.filter(|name| taken.insert(name.to_lowercase()));
        beside.join(free.next().expect("there is always another number"))
    };
    folders.iter().map(&mut page).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
