//! The processes of a server, read from `/proc`.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

/// Returns the direct children of a process. All processes of PostgreSQL are children of the postmaster.
pub(super) fn children(parent: u32) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(|pid| parent_of(*pid) == Some(parent)).collect()
}

/// True while the process runs. A zombie does not count.
pub(super) fn exists(pid: u32) -> bool {
    fields(pid).is_some_and(|fields| fields.first().is_some_and(|state| state != "Z"))
}

/// Sends a signal; does nothing if the process has ended.
pub(super) fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let _ = pid.map(|pid| kill_process(pid, signal));
}

fn parent_of(pid: u32) -> Option<u32> {
    fields(pid)?.get(1)?.parse().ok()
}

/// Returns the fields after the name of the program, which may contain blanks: state, parent and more.
fn fields(pid: u32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    Some(fields.split_whitespace().map(str::to_owned).collect())
}
