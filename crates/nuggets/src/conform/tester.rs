//! Tests one program of any kind and shows the progress.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressState};
use nuggets_conformance::server::TestMap;
use nuggets_conformance::suite::{self, SuiteOptions, TestRun};
use nuggets_conformance::{
    CannotRun, Check, CheckOutcome, CheckResult, Clock, ConformanceReport, TestSettings,
    find_causes,
};
use nuggets_subprocess::{CommandLine, shell_quote};

use super::time_left::TimeLeft;
use crate::args::conform::SelectionArgs;
use crate::{map_file, print};

/// A failure that a lost datagram may explain counts after this many attempts in a row.
const TRIES: u32 = 3;
/// The same where the tester itself drops datagrams.
const TRIES_WITH_LOSS: u32 = 25;

/// The interval at which the remaining time is drawn again.
const REDRAW_INTERVAL: Duration = Duration::from_millis(250);
/// The number of checks that run at the same time if the program answers slowly: they mostly wait.
const JOBS_IF_SLOW: usize = 24;

#[derive(Clone, Copy)]
pub(super) struct Tester<'a> {
    pub(super) args: &'a SelectionArgs,
    pub(super) maps: &'a [PathBuf],
    pub(super) stop: &'a AtomicBool,
}

impl Tester<'_> {
    /// Runs these checks on a program. The label is shown before the progress bar.
    pub(super) fn test<T: TestRun>(
        &self,
        command: &CommandLine,
        checks: &[Check<T>],
        label: &str,
    ) -> Result<ConformanceReport, CannotRun> {
        let clock = Clock::start();
        let maps = self.maps.iter().map(|map| test_map(map)).collect::<anyhow::Result<_>>();
        let settings = Arc::new(TestSettings {
            maps: maps.map_err(|error| CannotRun(format!("{error:#}")))?,
            seed: self.args.loss_seed,
            loss_percent: self.args.loss,
            ..TestSettings::new(command.clone(), self.args.dialect)
        });
        let bar = progress_bar(checks.len(), label);
        T::preflight(&settings).inspect_err(|_| bar.finish_and_clear())?;
        let options = self.suite_options(T::answers_slowly(&settings));
        let failed = AtomicUsize::new(0);
        let checks: Vec<&Check<T>> = checks.iter().collect();
        let on_result = |result: &CheckResult| show_progress(&bar, result, &failed);
        let mut results = suite::run(&checks, &settings, options, self.stop, on_result);
        bar.finish_and_clear();
        find_causes(T::KIND, &mut results);
        for result in &mut results {
            result.repeat = self.repeat_command::<T>(command, result.requirement.id);
        }
        Ok(ConformanceReport {
            kind: T::KIND,
            program: command.to_string(),
            dialect: self.args.dialect.to_string(),
            tester: env!("CARGO_PKG_VERSION").into(),
            millis: u64::try_from(clock.elapsed().as_millis()).unwrap_or(u64::MAX),
            results,
        })
    }

    fn suite_options(&self, answers_slowly: bool) -> SuiteOptions {
        let usual = jobs(self.args);
        let is_chosen = self.args.jobs.is_some();
        SuiteOptions {
            jobs: if answers_slowly && !is_chosen { usual.max(JOBS_IF_SLOW) } else { usual },
            tries: if self.args.loss > 0 { TRIES_WITH_LOSS } else { TRIES },
        }
    }

    /// The command that repeats one check.
    fn repeat_command<T: TestRun>(&self, command: &CommandLine, id: &str) -> String {
        let SelectionArgs { dialect, loss, loss_seed, .. } = self.args;
        let mut words = vec![format!("nuggets conform {} --dialect {dialect}", T::KIND)];
        let map = |map: &PathBuf| format!("--map {}", shell_quote(&map.to_string_lossy()));
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

fn test_map(source: &Path) -> anyhow::Result<TestMap> {
    let unusable = || format!("can't use the map '{}'", source.display());
    let text = String::from_utf8(map_file::read(source)?).with_context(unusable)?;
    TestMap::new(&source.to_string_lossy(), &text).with_context(unusable)
}

/// The number of checks that run at the same time.
pub(super) fn jobs(args: &SelectionArgs) -> usize {
    args.jobs.map_or_else(crate::arena::processors, usize::from)
}

/// Returns a progress bar with the time that is left.
fn progress_bar(checks: usize, label: &str) -> ProgressBar {
    let bar =
        print::progress_bar(checks as u64, "{prefix}{bar:40} {pos}/{len} checks  {msg}  {left}");
    if bar.is_hidden() {
        return bar;
    }
    let time_left = Arc::new(Mutex::new(TimeLeft::default()));
    let write_left = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let mut time_left = time_left.lock().unwrap_or_else(PoisonError::into_inner);
        let left = time_left.update(state.elapsed(), state.pos(), state.len().unwrap_or(0));
        // A bar without the remaining time is not a reason to stop.
        let _ = left.map(|left| write!(out, "{} s left", left.as_secs()));
    };
    bar.set_style(bar.style().with_key("left", write_left));
    bar.set_prefix(label.to_owned());
    bar.set_message("0 failed");
    bar.enable_steady_tick(REDRAW_INTERVAL);
    bar
}

fn show_progress(bar: &ProgressBar, result: &CheckResult, failed: &AtomicUsize) {
    if matches!(result.outcome, CheckOutcome::Failed(_)) {
        let before = failed.fetch_add(1, Ordering::Relaxed);
        bar.set_message(format!("{} failed", before + 1));
    }
    bar.inc(1);
}
