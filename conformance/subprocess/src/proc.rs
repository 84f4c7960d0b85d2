//! The processes in `/proc`, which only Linux has.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

const POLL_INTERVAL: Duration = Duration::from_millis(1);
/// A killed process ends as soon as it gets a processor. One that is still there after this many
/// polls is stuck in the kernel (on a hung disk, for example), and waiting longer does not help.
const MAX_POLLS: u32 = 20_000;
/// A process that forks and exits while the process table is read can be missed in it, together with its child.
/// It is not missed twice.
const EMPTY_SCANS: u32 = 2;

/// Returns all processes of this machine.
pub(crate) fn all() -> impl Iterator<Item = Pid> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
}

/// Reads a file about a process, such as `stat`; `None` if it has ended or belongs to another user.
pub fn read(pid: Pid, file: &str) -> Option<String> {
    let bytes = std::fs::read(format!("/proc/{}/{file}", pid.as_raw_nonzero())).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the fields of a line of `/proc/PID/stat` after the name of the program: the state, the parent, and so on.
/// The name, in parentheses, may contain blanks and parentheses.
pub fn stat_fields(stat: &str) -> impl Iterator<Item = &str> {
    stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace()
}

/// Kills the processes that `find` finds, until it finds none. `after_kill` is called for each of them.
pub(crate) fn kill_all(find: impl Fn() -> Vec<Pid>, after_kill: impl Fn(Pid)) {
    let mut empty_scans = 0;
    for _ in 0..MAX_POLLS {
        let pids = find();
        empty_scans = if pids.is_empty() { empty_scans + 1 } else { 0 };
        if empty_scans == EMPTY_SCANS {
            return;
        }
        for pid in pids {
            // The process may have ended since the scan.
            let _ = kill_process(pid, Signal::KILL);
            after_kill(pid);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Returns the first value that `find` finds, or `None` after this time without any.
pub(crate) fn poll<T>(
    interval: Duration,
    limit: Duration,
    mut find: impl FnMut() -> Option<T>,
) -> Option<T> {
    let mut waited = Duration::ZERO;
    loop {
        let found = find();
        if found.is_some() || waited >= limit {
            return found;
        }
        std::thread::sleep(interval);
        waited += interval;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_after_any_name() {
        for (stat, fields) in [
            ("7 (sh) R 1 7", &["R", "1", "7"][..]),
            ("7 (a) Z 3 (b) D 12", &["D", "12"]),
            ("7 (sh", &[]),
            ("", &[]),
        ] {
            assert_eq!(stat_fields(stat).collect::<Vec<_>>(), fields, "{stat:?}");
        }
    }
}
