//! Builds a team's programs: in a copy of its folder, so that the submission stays as it was handed in,
//! and within limits, because a build runs whatever the team has written.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use nuggets_conformance::report::batch::Build;
use nuggets_conformance::{CannotRun, Clock};
use nuggets_subprocess::{CommandLine, Exit, ResourceLimits, Subprocess};
use tempfile::TempDir;

use super::files;

/// The resource limits of a build, besides its timeout.
const MAX_PROCESSES: usize = 256;
const MAX_MEMORY_BYTES: u64 = 4 << 30;
/// The wait for the last output after the exit.
const OUTPUT_WAIT: Duration = Duration::from_secs(1);

/// The copy with the built programs, and the result of the build.
pub(super) struct Built {
    pub(super) copy: TempDir,
    pub(super) build: Build,
}

/// Copies the folder and runs the command in the copy.
pub(super) fn build(
    folder: &Path,
    command: &str,
    timeout: Duration,
    stop: &AtomicBool,
) -> anyhow::Result<Built> {
    let clock = Clock::start();
    let copy = tempfile::tempdir().context("can't create a folder for a copy")?;
    files::copy(folder, copy.path())?;
    // Keep errors and other output in their order, without colours.
    let script = format!("TERM=dumb; export TERM; exec 2>&1\n{command}\n");
    let words = ["sh", "-c", &script].map(Into::into);
    let mut process = Subprocess::start(&CommandLine::new(&words, copy.path())?, copy.path())?;
    let started = clock.elapsed();
    let elapsed = || clock.elapsed().saturating_sub(started);
    let limits =
        ResourceLimits { time: timeout, processes: MAX_PROCESSES, memory_bytes: MAX_MEMORY_BYTES };
    let ended = process.wait_within(&limits, elapsed, || stop.load(Ordering::Relaxed));
    let error = match ended {
        Ok(Exit::Code(0)) => None,
        Ok(exit) => Some(exit.to_string()),
        Err(breach) => Some(breach.to_string()),
    };
    process.wait_for_output(OUTPUT_WAIT, |_, _| None::<()>);
    let output = String::from_utf8_lossy(&process.stdout()).into_owned();
    let millis = u64::try_from(clock.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Built { copy, build: Build { command: command.to_owned(), error, output, millis } })
}

/// Why a team's programs can't be run, if its build failed.
pub(super) fn failure(build: &Build) -> Option<CannotRun> {
    let why = build.error.as_ref()?;
    let telling = telling_line(&build.output);
    let telling = telling.map(|line| format!("; it printed: {line}")).unwrap_or_default();
    Some(CannotRun(format!("the build `{}` failed: {why}{telling}", build.command)))
}

/// The first line about an error, as compilers and linkers write it, else the last line. `make` and `collect2` repeat
/// at the end that there was an error, not which.
fn telling_line(output: &str) -> Option<&str> {
    let mut lines = output.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_linker_error =
        |line: &str| line.contains("undefined reference") || line.contains("ld: cannot find");
    let is_error = |line: &&str| line.contains("error:") && !line.starts_with("collect2:");
    let error = lines.clone().find(|line| is_error(line) || is_linker_error(line));
    error.or_else(|| lines.next_back())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn run(command: &str, timeout: Duration) -> (TempDir, Built) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("main.c"), "source").unwrap();
        let built = build(folder.path(), command, timeout, &AtomicBool::new(false)).unwrap();
        (folder, built)
    }

    const LONG: Duration = Duration::from_secs(120);

    #[test]
    fn the_build_runs_in_a_copy_and_its_output_is_kept_in_order() {
        let command = "echo one; echo two >&2; cp main.c server; echo three";
        let (folder, Built { copy, build }) = run(command, LONG);
        assert_eq!((build.output.as_str(), build.error.clone()), ("one\ntwo\nthree\n", None));
        assert_eq!((build.command.as_str(), failure(&build)), (command, None));
        assert!(copy.path().join("server").exists());
        assert!(!folder.path().join("server").exists(), "the submission is unchanged");
        let path = copy.path().to_owned();
        drop(copy);
        assert!(!path.exists());
    }

    #[test]
    fn a_failed_build_is_reported_with_its_first_error_or_its_last_line() {
        let (_, Built { build, .. }) = run("echo begun; echo no compiler; echo; exit 2", LONG);
        assert_eq!(
            failure(&build).unwrap().0,
            "the build `echo begun; echo no compiler; echo; exit 2` failed: it exited with code 2; it \
             printed: no compiler"
        );
        let output = "cc main.c\nmain.c:1: error: one\nmain.c:2: error: two\nmake: *** Error 1\n";
        assert_eq!(telling_line(output), Some("main.c:1: error: one"));
        let output = "cc main.o\n/usr/bin/ld: main.c:3: undefined reference to `f'\n\
                      collect2: error: ld returned 1 exit status\nmake: *** Error 1\n";
        assert_eq!(telling_line(output), Some("/usr/bin/ld: main.c:3: undefined reference to `f'"));
        let output =
            "/usr/bin/ld: cannot find lib.a: No such file\ncollect2: error: ld returned 1\n";
        assert_eq!(telling_line(output), Some("/usr/bin/ld: cannot find lib.a: No such file"));
        assert_eq!(telling_line("\n \n"), None);
    }

    #[test]
    fn a_build_that_never_ends_is_ended_with_its_children() {
        let command = "echo begun; sleep 1000 & setsid sleep 1000 & read line; sleep 1000";
        let (_, Built { build, .. }) = run(command, Duration::from_secs(5));
        assert_eq!(build.error.as_deref(), Some("it did not end within 5 s"));
        assert_eq!(build.output, "begun\n");
    }

    /// It starts at most 600 processes, in case the limit fails.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_build_that_only_starts_processes_is_ended() {
        let command = "i=0; while [ $i -lt 600 ]; do sleep 1000 & i=$((i+1)); done; wait";
        let (_, Built { build, .. }) = run(command, LONG);
        assert_eq!(build.error.as_deref(), Some("it started more than 256 processes"));
    }

    #[test]
    fn output_without_end_is_cut_off() {
        let (_, Built { build, .. }) = run("head -c 9000000 /dev/zero | tr '\\0' x", LONG);
        assert_eq!(build.error, None);
        assert_eq!(build.output.len(), nuggets_subprocess::MAX_OUTPUT_BYTES);
    }

    #[test]
    fn a_stop_ends_the_build() {
        let folder = tempfile::tempdir().unwrap();
        let stop = AtomicBool::new(true);
        let built = build(folder.path(), "sleep 1000", LONG, &stop).unwrap();
        assert_eq!(built.build.error.as_deref(), Some("it was stopped"));
    }
}
