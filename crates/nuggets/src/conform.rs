//! `nuggets conform`: tests other people's programs and writes the reports. `nuggets-conformance` owns the
//! checks.

mod batch;
#[cfg(test)]
mod fake;
mod rubric;
mod selection;
mod tester;
mod time_left;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use nuggets_conformance::client::ClientTest;
use nuggets_conformance::report::text::{self, Coloring};
use nuggets_conformance::report::{escape_invisible, html, json, junit};
use nuggets_conformance::server::ServerTest;
use nuggets_conformance::suite::TestRun;
use nuggets_conformance::{CannotRun, ConformanceReport};
use nuggets_subprocess::CommandLine;
use nuggets_tui::{ColorChoice, wants_color};

use crate::args::BadArgument;
use crate::args::conform::{ConformCommand, ReportArgs, SelectionArgs};
use crate::print;
use crate::signals::stop_on_signals;
use tester::Tester;

/// The exit code that shells use for a program ended by Ctrl-C.
const STOPPED: u8 = 130;

pub(crate) fn run(command: &ConformCommand) -> anyhow::Result<ExitCode> {
    let done = match command {
        ConformCommand::Server(args) => {
            run_one::<ServerTest>(&args.program, &args.map, &args.checks, &args.reports)
        }
        ConformCommand::Client(args) => {
            run_one::<ClientTest>(&args.program, &[], &args.checks, &args.reports)
        }
        ConformCommand::Batch(args) => batch::run::<ServerTest, ClientTest>(args),
    };
    // The message may quote output of the program, which may contain control characters.
    done.map_err(|error| CannotRun(escape_invisible(&format!("{error:#}"))).into())
}

fn run_one<T: TestRun>(
    program: &[OsString],
    maps: &[PathBuf],
    args: &SelectionArgs,
    reports: &ReportArgs,
) -> anyhow::Result<ExitCode> {
    let catalogue = T::catalogue();
    let list = format!("nuggets conform {} --list", T::KIND);
    selection::ensure_known(&selection::requirements(&catalogue), args, &list)?;
    let checks = selection::select(&catalogue, args);
    if reports.list {
        print::text(&selection::list(&checks))?;
        return Ok(ExitCode::SUCCESS);
    }
    let here = std::env::current_dir().context("can't find the current directory")?;
    let command = CommandLine::new(program, &here)?;
    let files = report_files(reports);
    ensure_writable(files.iter().map(|(path, _)| *path), args.force)?;
    let stop = stop_on_signals()?;
    let report = Tester { args, maps, stop: &stop }.test::<T>(&command, &checks, "")?;
    let colored = wants_color(ColorChoice::Auto);
    let coloring = if colored { Coloring::Ansi } else { Coloring::Plain };
    print::text(&text::render(&report, coloring))?;
    for (path, render) in files {
        print::file(path, render(&report).as_bytes(), args.force)?;
    }
    Ok(exit_code(&report, &stop))
}

fn exit_code(report: &ConformanceReport, stop: &AtomicBool) -> ExitCode {
    if stop.load(Ordering::Relaxed) {
        return ExitCode::from(STOPPED);
    }
    if report.all_musts_pass() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

type Render = fn(&ConformanceReport) -> String;

/// The report files that were asked for, each with the function that renders it.
fn report_files(args: &ReportArgs) -> Vec<(&Path, Render)> {
    let mut files: Vec<(&Path, Render)> = vec![];
    files.extend(args.json.iter().map(|path| (path.as_path(), json::render as _)));
    files.extend(args.junit.iter().map(|path| (path.as_path(), junit::render as _)));
    files.extend(args.html.iter().map(|path| (path.as_path(), html::render as _)));
    files
}

/// Checks before a long run that all these files can be written and that no two are the same.
fn ensure_writable<'a>(
    paths: impl IntoIterator<Item = &'a Path>,
    force: bool,
) -> anyhow::Result<()> {
    let mut seen = vec![];
    for path in paths {
        if seen.contains(&path) {
            let path = path.display();
            let why = format!("'{path}' is given for two reports. Give each report its own file");
            return Err(BadArgument(why).into());
        }
        print::check_file(path, force)?;
        seen.push(path);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
