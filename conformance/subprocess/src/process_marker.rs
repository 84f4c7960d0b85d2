//! A mark on a subprocess that all its descendants inherit, so that the tester finds them even after they have left the
//! process group, the session or their parent.
//!
//! It is a unique limit of processor time, which only root can raise again, and which is years longer than any program
//! runs. Where that limit can't be set, a unique environment variable marks the same processes.

use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::Pid;

use crate::proc::{self, stat_fields};

const VARIABLE: &str = "NUGGETS_SUBPROCESS";

/// The limits are between three and twenty years. The kernel counts nanoseconds in 64 bits.
const MIN_CPU_LIMIT_S: u64 = 100_000_000;
const CPU_LIMIT_BITS: u32 = 29;

/// Identifies the processes that descend from one subprocess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessMarker {
    value: String,
    cpu_limit_s: u64,
}

impl ProcessMarker {
    /// A marker with random values.
    pub fn new() -> std::io::Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
        let random = u128::from_ne_bytes(bytes);
        let below = u128::from(1_u64 << CPU_LIMIT_BITS);
        let offset = u64::try_from(random % below).map_err(std::io::Error::other)?;
        Ok(Self { value: format!("{random:032x}"), cpu_limit_s: MIN_CPU_LIMIT_S + offset })
    }

    /// Returns a marked shell in a process group of its own, which runs this script.
    pub fn shell(&self, script: &str) -> Command {
        let mut shell = Command::new("sh");
        // It must come before anything that starts a process.
        shell.args(["-c", &format!("ulimit -t {} 2>/dev/null\n{script}", self.cpu_limit_s)]);
        shell.env(VARIABLE, &self.value).process_group(0);
        shell
    }

    /// The marked processes that are still running. Finds processes only on Linux, where `/proc` shows their limits
    /// and environments.
    pub fn pids(&self) -> Vec<Pid> {
        proc::all().filter(|pid| self.is_on(*pid)).collect()
    }

    /// True if the process is marked and has not ended.
    fn is_on(&self, pid: Pid) -> bool {
        let line = format!("{VARIABLE}={}", self.value);
        // A process in the middle of `exec` has no environment, and those of other users are not readable.
        let is_marked = proc::read(pid, "limits")
            .is_some_and(|limits| cpu_limit_s(&limits) == Some(self.cpu_limit_s))
            || proc::read(pid, "environ")
                .is_some_and(|environment| environment.split('\0').any(|it| it == line));
        is_marked && proc::read(pid, "stat").is_some_and(|stat| is_alive(&stat))
    }
}

/// The hard limit of processor time in `/proc/PID/limits`.
fn cpu_limit_s(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max cpu time"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// True unless the process with this line in `/proc/PID/stat` has ended and only waits to be reaped.
fn is_alive(stat: &str) -> bool {
    stat_fields(stat).next().is_some_and(|state| !matches!(state, "Z" | "X" | "x"))
}

#[cfg(all(test, target_os = "linux"))]
impl ProcessMarker {
    /// Waits until this many marked processes run.
    pub(crate) fn wait_for(&self, count: usize) {
        for _ in 0..60_000 {
            if self.pids().len() >= count {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        panic!("{} marked processes, not {count}", self.pids().len());
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn processes_are_found_by_their_limit_and_by_their_environment_and_killed() {
        for is_limited in [true, false] {
            let marker = ProcessMarker::new().unwrap();
            let mut limited = marker.shell("exec sleep 1000");
            let mut with_variable = Command::new("sleep");
            let command = if is_limited {
                limited.env_clear()
            } else {
                with_variable.arg("1000").env(VARIABLE, &marker.value)
            };
            let mut child = command.spawn().unwrap();
            marker.wait_for(1);
            proc::kill_all(|| marker.pids(), drop);
            assert!(!child.wait().unwrap().success());
            assert!(marker.pids().is_empty());
            assert!(ProcessMarker::new().unwrap() != marker);
        }
    }

    #[test]
    fn a_process_that_waits_to_be_reaped_has_ended() {
        for (stat, expected) in
            [("7 (sh) R 1 7", true), ("7 (sh) Z 1 7", false), ("7 (sh) X 1 7", false), ("", false)]
        {
            assert_eq!(is_alive(stat), expected, "{stat:?}");
        }
        assert!(is_alive(&std::fs::read_to_string("/proc/self/stat").unwrap()));
        assert_eq!(cpu_limit_s("Limit\nMax cpu time  unlimited  123  seconds\n"), Some(123));
        let own = std::fs::read_to_string("/proc/self/limits").unwrap();
        assert!(own.contains("Max cpu time "), "{own}");
    }
}
