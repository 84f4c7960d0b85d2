//! A mark in the environment of a stranger. Its children inherit it, so that they are found even
//! where they have left its process group or its session.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// The name of the variable.
const NAME: &str = "NUGGETS_STRANGER";

/// Between two looks whether all have ended.
const GLANCE: Duration = Duration::from_millis(1);

/// A killed process ends as soon as it gets a processor. One that is there after so many looks is
/// held by the system (a disk that hangs) and left to it.
const LOOKS: u32 = 20_000;

/// One stranger's mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    value: String,
}

impl Mark {
    /// A mark that nobody else has.
    pub fn new() -> std::io::Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
        Ok(Self { value: format!("{:032x}", u128::from_ne_bytes(bytes)) })
    }

    /// The variable and its value, for the environment of whoever is to be found again.
    pub fn variable(&self) -> (&'static str, &str) {
        (NAME, &self.value)
    }

    /// Ends everybody who carries the mark and returns when they are gone. Where the system doesn't
    /// show environments (anywhere but on Linux) nobody is found.
    pub fn end_all(&self) {
        for _ in 0..LOOKS {
            let look = self.look();
            if look.bearers.is_empty() && !look.is_unsure {
                return;
            }
            for pid in look.bearers {
                // It may have ended in between.
                let _ = kill_process(pid, Signal::KILL);
            }
            std::thread::sleep(GLANCE);
        }
    }

    /// Who carries the mark and has not ended.
    pub fn bearers(&self) -> Vec<Pid> {
        self.look().bearers
    }

    fn look(&self) -> Look {
        let line = format!("{NAME}={}", self.value);
        let mut look = Look { bearers: vec![], is_unsure: false };
        let Ok(entries) = std::fs::read_dir("/proc") else { return look };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(pid) = name.to_str().and_then(|name| Pid::from_raw(name.parse().ok()?)) else {
                continue;
            };
            // Others' processes don't show their environment.
            let Ok(environment) = std::fs::read(entry.path().join("environ")) else { continue };
            if environment.split(|&byte| byte == 0).any(|variable| variable == line.as_bytes()) {
                look.bearers.push(pid);
            } else if environment.is_empty() {
                let stat = std::fs::read_to_string(entry.path().join("stat"));
                look.is_unsure |= stat.is_ok_and(|stat| is_between_programs(&stat));
            }
        }
        look
    }
}

/// What one look over all processes found.
struct Look {
    bearers: Vec<Pid>,
    /// Somebody was just between two programs and showed no environment.
    is_unsure: bool,
}

/// Whether a process, by its line in `/proc/PID/stat`, is just changing from one program into another:
/// for a moment it has no environment at all, not even an empty one. Neither have the kernel's own
/// threads and the dead, for ever.
fn is_between_programs(stat: &str) -> bool {
    const KERNEL_THREAD: u64 = 0x0020_0000;
    // Its name, in parentheses, may hold anything; the third field comes behind it.
    let Some((_, behind)) = stat.rsplit_once(')') else { return false };
    let fields: Vec<&str> = behind.split_whitespace().collect();
    let field = |number: usize| fields.get(number - 3).copied();
    let number = |at: usize| field(at).and_then(|field| field.parse::<u64>().ok());
    let is_dead = field(3).is_none_or(|state| matches!(state, "Z" | "X" | "x"));
    let is_kernels = number(9).is_none_or(|flags| flags & KERNEL_THREAD != 0);
    let environment_end = number(51);
    !is_dead && !is_kernels && environment_end == Some(0)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn who_carries_the_mark_is_found_and_ended() {
        let mark = Mark::new().unwrap();
        let (name, value) = mark.variable();
        let mut child = Command::new("sleep").arg("1000").env(name, value).spawn().unwrap();
        while mark.bearers().is_empty() {
            std::thread::yield_now();
        }
        mark.end_all();
        assert!(!child.wait().unwrap().success());
        assert!(mark.bearers().is_empty());
        assert!(Mark::new().unwrap() != mark);
    }

    /// A line of `/proc/PID/stat`.
    fn stat(name: &str, state: char, flags: u32, environment_end: u64) -> String {
        let between = "0 ".repeat(41);
        format!("7 ({name}) {state} 1 7 7 0 -1 {flags} {between}{environment_end} 0")
    }

    #[test]
    fn who_is_between_two_programs_is_told_from_the_dead_and_the_kernels() {
        assert!(is_between_programs(&stat("sh", 'R', 0x40, 0)));
        assert!(is_between_programs(&stat("a) Z 1 (b", 'D', 0x40, 0)));
        assert!(!is_between_programs(&stat("sh", 'R', 0x40, 4096)));
        assert!(!is_between_programs(&stat("sh", 'Z', 0x40, 0)));
        assert!(!is_between_programs(&stat("kworker", 'I', 0x0020_8040, 0)));
        let own = std::fs::read_to_string("/proc/self/stat").unwrap();
        assert!(!is_between_programs(&own));
        assert_eq!(stat("sh", 'R', 0, 0).split(' ').count(), own.split_whitespace().count());
    }
}
