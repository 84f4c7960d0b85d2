//! `nuggets conform`: judges programs of others and says what came out. How they are judged is not
//! known here.

mod batch;
mod catalogue;
mod doors;
#[cfg(test)]
mod fake;
mod outputs;
mod trial;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, anyhow};
use nuggets_client::{ColorChoice, wants_color};
use nuggets_conform::Report;
use nuggets_conform::report::{text, visible};
use nuggets_stranger::CommandLine;
use thiserror::Error;

use crate::args::conform::{ConformCommand, JudgeArgs, ReportArgs};
use crate::print;
use crate::signals::stop_on_signals;
use doors::{Door, OfClients, OfServers};
use outputs::Outputs;
use trial::Trial;

/// As shells have it for a program that Ctrl-C has ended.
const STOPPED: u8 = 130;

/// Nothing could be judged. The text says all.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct CouldNotRun(String);

pub(crate) fn run(command: &ConformCommand) -> anyhow::Result<ExitCode> {
    let done = match command {
        ConformCommand::Server(args) => {
            run_one::<OfServers>(&args.program, &args.map, &args.judging, &args.reports)
        }
        ConformCommand::Client(args) => {
            run_one::<OfClients>(&args.program, &[], &args.judging, &args.reports)
        }
        ConformCommand::Batch(args) => batch::run::<OfServers, OfClients>(args),
    };
    // A program that can't be run may have said anything.
    done.map_err(|why| CouldNotRun(visible(&format!("{why:#}"))).into())
}

/// Judges one program.
fn run_one<D: Door>(
    program: &[OsString],
    maps: &[PathBuf],
    judging: &JudgeArgs,
    reports: &ReportArgs,
) -> anyhow::Result<ExitCode> {
    let checks = catalogue::in_dialect(&D::catalogue(), judging.dialect);
    let command = format!("nuggets conform {} --list", D::KIND);
    catalogue::check_words(&catalogue::clauses(&checks), judging, &command)?;
    let checks = catalogue::meant(&checks, judging);
    if reports.list {
        let list = catalogue::list(&checks);
        print::out(|out| out.write_all(list.as_bytes()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let here = std::env::current_dir().context("can't find the current directory")?;
    let command = CommandLine::new(program, &here)?;
    let outputs = Outputs::of(reports, judging.force);
    outputs.check()?;
    let stop = stop_on_signals()?;
    let trial = Trial { judging, maps, stop: &stop };
    let report = trial.judge::<D>(&command, &checks, "").map_err(|why| anyhow!(why))?;
    show(&report)?;
    outputs.write(&report)?;
    Ok(verdict(&report, &stop))
}

fn show(report: &Report) -> anyhow::Result<()> {
    let colored = wants_color(ColorChoice::Auto, io::stdout().is_terminal());
    let text = text::render(report, colored);
    print::out(|out| out.write_all(text.as_bytes()))
}

fn verdict(report: &Report, stop: &AtomicBool) -> ExitCode {
    if stop.load(Ordering::Relaxed) {
        return ExitCode::from(STOPPED);
    }
    if report.all_musts_hold() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(test)]
mod tests;
