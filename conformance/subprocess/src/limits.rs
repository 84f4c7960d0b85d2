//! Limits on everything that a program and its descendants use together.

use std::time::Duration;

use thiserror::Error;

use crate::{Exit, ProcessMarker, Subprocess, proc};

/// The interval for measuring usage. In this time even a program that only forks starts a few hundred processes.
const MEASURE_INTERVAL: Duration = Duration::from_millis(25);

/// Resource limits for a program and all its descendants together. Processes and memory are measured only on Linux.
#[derive(Clone, Copy, Debug)]
pub struct ResourceLimits {
    /// The time limit until its exit.
    pub time: Duration,
    /// The maximum number of simultaneous processes.
    pub processes: usize,
    /// Resident memory in bytes, the sum over all processes.
    pub memory_bytes: u64,
}

/// The reason why the wait for a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Breach {
    /// It ran too long.
    #[error("it did not end within {} s", .0.as_secs())]
    Time(Duration),
    /// It had too many processes.
    #[error("it started more than {0} processes")]
    Processes(usize),
    /// It used too much memory.
    #[error("it used more than {} MB of memory", .0 >> 20)]
    Memory(u64),
    /// The caller asked to stop.
    #[error("it was stopped")]
    Stopped,
}

impl Subprocess {
    /// Waits for its exit while it stays within these limits. `elapsed` returns the time since its start; `is_stopped`
    /// ends the wait. After a breach the program still runs: drop it.
    pub fn wait_within(
        &mut self,
        limits: &ResourceLimits,
        elapsed: impl Fn() -> Duration,
        is_stopped: impl Fn() -> bool,
    ) -> Result<Exit, Breach> {
        loop {
            if let Some(exit) = self.wait_for_exit(MEASURE_INTERVAL) {
                return Ok(exit);
            }
            if is_stopped() {
                return Err(Breach::Stopped);
            }
            if elapsed() > limits.time {
                return Err(Breach::Time(limits.time));
            }
            let (processes, memory_bytes) = use_of(self.marker());
            if processes > limits.processes {
                return Err(Breach::Processes(limits.processes));
            }
            if memory_bytes > limits.memory_bytes {
                return Err(Breach::Memory(limits.memory_bytes));
            }
        }
    }
}

/// Returns the number of processes, and their resident memory in bytes.
fn use_of(marker: &ProcessMarker) -> (usize, u64) {
    let pids = marker.pids();
    let memory = |pid| resident_bytes(&proc::read(pid, "status").unwrap_or_default());
    (pids.len(), pids.iter().copied().map(memory).sum())
}

/// The resident memory in `/proc/PID/status`; 0 for a process that has ended.
fn resident_bytes(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subprocess::tests::start;

    const LIMITS: ResourceLimits =
        ResourceLimits { time: Duration::from_secs(60), processes: 64, memory_bytes: 256 << 20 };

    fn run(script: &str, limits: &ResourceLimits, elapsed: Duration) -> Result<Exit, Breach> {
        let (mut program, _folder) = start(script);
        let ended = program.wait_within(limits, || elapsed, || false);
        let marker = program.marker().clone();
        drop(program);
        assert!(marker.pids().is_empty(), "nothing is left");
        ended
    }

    #[test]
    fn a_program_within_its_limits_exits_by_itself() {
        let ended = run("sleep 0.1; sh -c true; exit 4", &LIMITS, Duration::ZERO);
        assert_eq!(ended, Ok(Exit::Code(4)));
    }

    #[test]
    fn time_is_limited() {
        let ended = run("sleep 1000", &LIMITS, Duration::from_secs(61));
        assert_eq!(ended, Err(Breach::Time(LIMITS.time)));
        assert_eq!(ended.unwrap_err().to_string(), "it did not end within 60 s");
    }

    /// Every process starts two more, down to a depth that bounds the harm if the limit fails.
    #[test]
    #[cfg(target_os = "linux")]
    fn processes_are_limited() {
        let bomb =
            "bomb() { [ $1 -gt 0 ] && { bomb $(($1 - 1)) & bomb $(($1 - 1)) & }; sleep 1000; }";
        let ended = run(&format!("{bomb}; bomb 9"), &LIMITS, Duration::ZERO);
        assert_eq!(ended, Err(Breach::Processes(64)));
        let detached = "for i in 1 2 3 4 5 6; do setsid sleep 1000 & done; sleep 1000";
        let ended = run(detached, &ResourceLimits { processes: 5, ..LIMITS }, Duration::ZERO);
        assert_eq!(ended.unwrap_err().to_string(), "it started more than 5 processes");
    }

    /// The string doubles until the program is killed.
    #[test]
    #[cfg(target_os = "linux")]
    fn memory_is_limited() {
        let script = "text=xxxxxxxx; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 \
                      24; do text=$text$text; done; sleep 1000";
        let ended =
            run(script, &ResourceLimits { memory_bytes: 64 << 20, ..LIMITS }, Duration::ZERO);
        assert_eq!(ended, Err(Breach::Memory(64 << 20)));
        assert_eq!(ended.unwrap_err().to_string(), "it used more than 64 MB of memory");
    }

    #[test]
    fn a_stop_ends_the_waiting() {
        let (mut program, _folder) = start("sleep 1000");
        let ended = program.wait_within(&LIMITS, || Duration::ZERO, || true);
        assert_eq!(ended, Err(Breach::Stopped));
    }

    #[test]
    fn resident_memory_is_read_from_the_status() {
        assert_eq!(resident_bytes("Name:\tsh\nVmRSS:\t    1234 kB\n"), 1234 << 10);
        assert_eq!(resident_bytes("Name:\tsh\nState:\tZ\n"), 0);
    }
}
