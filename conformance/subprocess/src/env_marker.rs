//! A unique variable in the environment of a subprocess. Descendants inherit it, so they are found
//! even after they have left the process group or the session.

use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

const VARIABLE: &str = "NUGGETS_SUBPROCESS";
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// A killed process ends as soon as it gets a processor. One that is still there after this many
/// polls is stuck in the kernel (on a hung disk, for example), and waiting longer does not help.
const MAX_POLLS: u32 = 20_000;

/// Identifies the processes that descend from one subprocess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvMarker {
    value: String,
}

impl EnvMarker {
    /// A marker with a random 128-bit value.
    pub fn new() -> std::io::Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
        Ok(Self { value: format!("{:032x}", u128::from_ne_bytes(bytes)) })
    }

    /// The name and value to set in the environment of the program.
    pub fn variable(&self) -> (&'static str, &str) {
        (VARIABLE, &self.value)
    }

    /// Kills all marked processes and returns when they are gone. Finds processes only on Linux,
    /// where `/proc` shows their environments.
    pub fn kill_all(&self) {
        for _ in 0..MAX_POLLS {
            let scan = self.scan();
            if scan.marked.is_empty() && !scan.saw_exec {
                return;
            }
            for pid in scan.marked {
                // The process may have ended since the scan.
                let _ = kill_process(pid, Signal::KILL);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// The marked processes that are still running.
    pub fn pids(&self) -> Vec<Pid> {
        self.scan().marked
    }

    fn scan(&self) -> Scan {
        let line = format!("{VARIABLE}={}", self.value);
        let mut scan = Scan::default();
        let Ok(entries) = std::fs::read_dir("/proc") else { return scan };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(pid) = name.to_str().and_then(|name| Pid::from_raw(name.parse().ok()?)) else {
                continue;
            };
            // The environments of other users' processes are not readable.
            let Ok(environment) = std::fs::read(entry.path().join("environ")) else { continue };
            if environment.split(|&byte| byte == 0).any(|variable| variable == line.as_bytes()) {
                scan.marked.push(pid);
            }
            scan.saw_exec |= environment.is_empty() && is_in_exec_at(&entry.path());
        }
        scan
    }
}

#[derive(Default)]
struct Scan {
    marked: Vec<Pid>,
    /// True if a process in the middle of `exec` was seen. Its environment is not readable, so it
    /// may be marked.
    saw_exec: bool,
}

fn is_in_exec_at(process: &Path) -> bool {
    std::fs::read_to_string(process.join("stat")).is_ok_and(|stat| is_in_exec(&stat))
}

/// True if the process with this line in `/proc/PID/stat` is in the middle of `exec`, when it has no
/// environment yet. Kernel threads and zombies never have one.
fn is_in_exec(stat: &str) -> bool {
    const KERNEL_THREAD: u64 = 0x0020_0000;
    // The second field, the name in parentheses, may contain blanks and parentheses.
    let Some((_, after_name)) = stat.rsplit_once(')') else { return false };
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let field = |number: usize| fields.get(number - 3).copied();
    let number = |at: usize| field(at).and_then(|field| field.parse::<u64>().ok());
    let is_dead = field(3).is_none_or(|state| matches!(state, "Z" | "X" | "x"));
    let is_kernel_thread = number(9).is_none_or(|flags| flags & KERNEL_THREAD != 0);
    let environment_end = number(51);
    !is_dead && !is_kernel_thread && environment_end == Some(0)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn marked_processes_are_found_and_killed() {
        let marker = EnvMarker::new().unwrap();
        let (name, value) = marker.variable();
        let mut child = Command::new("sleep").arg("1000").env(name, value).spawn().unwrap();
        while marker.pids().is_empty() {
            std::thread::yield_now();
        }
        marker.kill_all();
        assert!(!child.wait().unwrap().success());
        assert!(marker.pids().is_empty());
        assert!(EnvMarker::new().unwrap() != marker);
    }

    /// A line of `/proc/PID/stat`.
    fn stat(name: &str, state: char, flags: u32, environment_end: u64) -> String {
        let between = "0 ".repeat(41);
        format!("7 ({name}) {state} 1 7 7 0 -1 {flags} {between}{environment_end} 0")
    }

    #[test]
    fn a_process_in_exec_differs_from_zombies_and_kernel_threads() {
        assert!(is_in_exec(&stat("sh", 'R', 0x40, 0)));
        assert!(is_in_exec(&stat("a) Z 1 (b", 'D', 0x40, 0)));
        assert!(!is_in_exec(&stat("sh", 'R', 0x40, 4096)));
        assert!(!is_in_exec(&stat("sh", 'Z', 0x40, 0)));
        assert!(!is_in_exec(&stat("kworker", 'I', 0x0020_8040, 0)));
        let own = std::fs::read_to_string("/proc/self/stat").unwrap();
        assert!(!is_in_exec(&own));
        assert_eq!(stat("sh", 'R', 0, 0).split(' ').count(), own.split_whitespace().count());
    }
}
