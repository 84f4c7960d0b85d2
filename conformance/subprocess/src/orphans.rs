//! Descendants of this process that have lost their parent. They become its children, so that even those that have left
//! group and session and have removed every mark are found.
//!
//! Being a child subreaper is a property of the whole process, and nothing shows which of several programs an orphan
//! belongs to. So orphans are left alone while programs run, and killed together at the end.

use std::collections::BTreeMap;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};

use crate::stat_fields;

const POLL_INTERVAL: Duration = Duration::from_millis(1);
/// The maximum number of polls; a process that is still there after that is stuck in the kernel.
const MAX_POLLS: u32 = 20_000;
/// The number of empty scans in a row that end the search. A process that forks and exits while the process table is
/// read can be missed once, but not twice.
const EMPTY_SCANS: u32 = 2;

/// While it exists, orphans become children of this process (Linux only). Dropping it kills every descendant of this
/// process, so it is only for a program that has no other children.
#[derive(Debug)]
#[must_use = "dropping it kills all descendants"]
pub struct Orphans {
    _private: (),
}

impl Orphans {
    /// Makes this process the parent of orphans.
    pub fn adopt() -> Self {
        // An old kernel does not support it; then the marks of the programs have to suffice.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::set_child_subreaper(Some(getpid()));
        Self { _private: () }
    }
}

impl Drop for Orphans {
    fn drop(&mut self) {
        let mut empty_scans = 0;
        for _ in 0..MAX_POLLS {
            let found = descendants(getpid());
            empty_scans = if found.is_empty() { empty_scans + 1 } else { 0 };
            if empty_scans == EMPTY_SCANS {
                return;
            }
            for pid in found {
                // It may have ended since the scan. An ended process waits for its parent, perhaps for us.
                let _ = kill_process(pid, Signal::KILL);
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }
}

/// Returns all processes below this one. Finds them only on Linux, where `/proc` shows them.
fn descendants(ancestor: Pid) -> Vec<Pid> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let parents: BTreeMap<i32, i32> = entries
        .flatten()
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            Some((pid, stat_fields(&stat).nth(1)?.parse().ok()?))
        })
        .collect();
    let is_below = |pid: &&i32| {
        let line = std::iter::successors(parents.get(pid), |pid| parents.get(pid));
        // Processes that end while the table is read could introduce a cycle.
        line.take(parents.len()).any(|pid| *pid == ancestor.as_raw_nonzero().get())
    };
    parents.keys().filter(is_below).filter_map(|pid| Pid::from_raw(*pid)).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    #[test]
    fn children_and_their_children_are_descendants() {
        let mut shell: Child = Command::new("sh")
            .args(["-c", "sleep 1000 & wait"])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&shell);
        let below = || descendants(pid);
        while below().is_empty() {
            std::thread::sleep(POLL_INTERVAL);
        }
        let [sleep] = below()[..] else { panic!("{:?}", below()) };
        assert!(descendants(getpid()).contains(&pid) && descendants(getpid()).contains(&sleep));
        assert!(descendants(sleep).is_empty());
        kill_process(sleep, Signal::KILL).unwrap();
        shell.wait().unwrap();
    }
}
