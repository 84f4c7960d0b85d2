//! Descendants of this process that have lost their parent. They become its children, so that even those that have left
//! group and session and have removed every mark are found.
//!
//! Being a child subreaper is a property of the whole process, and nothing shows which of several programs an orphan
//! belongs to. So orphans are left alone while programs run, and killed together at the end.

use std::collections::BTreeMap;

use rustix::process::{Pid, WaitOptions, getpid, waitpid};

use crate::proc::{self, stat_fields};

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
        // An ended process waits for its parent, perhaps for us.
        proc::kill_all(
            || descendants(getpid()),
            |pid| {
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            },
        );
    }
}

/// Returns all processes below this one. Finds them only on Linux, where `/proc` shows them.
fn descendants(ancestor: Pid) -> Vec<Pid> {
    let parent = |pid| stat_fields(&proc::read(pid, "stat")?).nth(1)?.parse().ok();
    let parents: BTreeMap<i32, i32> =
        proc::all().filter_map(|pid| Some((pid.as_raw_pid(), parent(pid)?))).collect();
    let is_below = |pid: &&i32| {
        let line = std::iter::successors(parents.get(pid), |pid| parents.get(pid));
        // Processes that end while the table is read could introduce a cycle.
        line.take(parents.len()).any(|pid| *pid == ancestor.as_raw_pid())
    };
    parents.keys().filter(is_below).filter_map(|pid| Pid::from_raw(*pid)).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Child, Command, Stdio};

    use rustix::process::{Signal, kill_process};

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
            std::thread::yield_now();
        }
        let [sleep] = below()[..] else { panic!("{:?}", below()) };
        assert!(descendants(getpid()).contains(&pid) && descendants(getpid()).contains(&sleep));
        assert!(descendants(sleep).is_empty());
        kill_process(sleep, Signal::KILL).unwrap();
        shell.wait().unwrap();
    }
}
