//! One program on trial, whatever its kind.

use std::io::IsTerminal;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
use nuggets_conform::suite::{self, Plan};
use nuggets_conform::{Check, Clock, Judged, Outcome, Report};
use nuggets_stranger::{CommandLine, quoted};

use super::doors::Door;
use crate::args::conform::JudgeArgs;

/// A silence counts when it has come so often in a row.
const TRIES: u32 = 3;
/// Where datagrams are thrown away on purpose, any failure may be our own doing.
const TRIES_WITH_LOSS: u32 = 25;

/// How programs are judged.
#[derive(Clone, Copy)]
pub(super) struct Trial<'a> {
    pub(super) judging: &'a JudgeArgs,
    pub(super) maps: &'a [PathBuf],
    pub(super) stop: &'a AtomicBool,
}

impl Trial<'_> {
    /// Sees whether a program can be run, then judges it. The label stands before the bar.
    pub(super) fn judge<D: Door>(
        &self,
        command: &CommandLine,
        checks: &[&Check<D::Stage>],
        label: &str,
    ) -> Result<Report, String> {
        let clock = Clock::start();
        let settings = D::settings(command, self).map_err(|why| format!("{why:#}"))?;
        let bar = progress_bar(checks.len(), label);
        D::preflight(&settings).inspect_err(|_| bar.finish_and_clear())?;
        let failed = AtomicUsize::new(0);
        let told = |judged: &Judged| tell(&bar, judged, &failed);
        let set_up =
            |check: &Check<D::Stage>, attempt| D::stage(&settings, check.clause.id, attempt);
        let mut results = suite::run(checks, self.plan(), self.stop, set_up, told);
        bar.finish_and_clear();
        for judged in &mut results {
            judged.repeat = self.repeat::<D>(command, judged.id);
        }
        Ok(Report {
            kind: D::KIND,
            program: command.to_string(),
            dialect: self.judging.dialect.to_string(),
            tester: env!("CARGO_PKG_VERSION").into(),
            millis: u64::try_from(clock.elapsed().as_millis()).unwrap_or(u64::MAX),
            results,
        })
    }

    fn plan(&self) -> Plan {
        let jobs = self.judging.jobs.map_or_else(processors, usize::from);
        Plan { jobs, tries: if self.judging.loss > 0 { TRIES_WITH_LOSS } else { TRIES } }
    }

    /// The command that does this one check again.
    fn repeat<D: Door>(&self, command: &CommandLine, id: &str) -> String {
        let JudgeArgs { dialect, loss, loss_seed, .. } = self.judging;
        let mut words = vec![format!("nuggets conform {} --dialect {dialect}", D::KIND)];
        let map = |map: &PathBuf| format!("--map {}", quoted(&map.to_string_lossy()));
        words.extend(self.maps.iter().map(map));
        if *loss > 0 {
            words.push(format!("--loss {loss}"));
        }
        if *loss_seed != 1 {
            words.push(format!("--loss-seed {loss_seed}"));
        }
        words.push(format!("--only {id} -- {command}"));
        words.join(" ")
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// On stderr, and only where somebody watches.
fn progress_bar(checks: usize, label: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = "{prefix}{bar:40} {pos}/{len} checks  {msg}  {eta} left";
    let style = ProgressStyle::with_template(style).expect("the template is well formed");
    let bar = ProgressBar::new(checks as u64).with_style(style);
    bar.set_prefix(label.to_owned());
    bar.set_message("0 failed");
    // The first check may take long.
    bar.tick();
    bar
}

fn tell(bar: &ProgressBar, judged: &Judged, failed: &AtomicUsize) {
    if matches!(judged.outcome, Outcome::Failed(_)) {
        let before = failed.fetch_add(1, Ordering::Relaxed);
        bar.set_message(format!("{} failed", before + 1));
    }
    bar.inc(1);
}
