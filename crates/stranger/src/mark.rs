//! A mark in the environment of a stranger. Its children inherit it, so that they are found even
//! where they have left its process group or its session.

use rustix::process::{Pid, Signal, kill_process};

/// The name of the variable.
const NAME: &str = "NUGGETS_STRANGER";

/// So often it is looked again for processes that were just being born.
const SWEEPS: u32 = 20;

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

    /// Ends everybody who carries the mark. Where the system doesn't show environments (anywhere but
    /// on Linux) nobody is found.
    pub fn end_all(&self) {
        for _ in 0..SWEEPS {
            let bearers = self.bearers();
            if bearers.is_empty() {
                return;
            }
            for pid in bearers {
                // It may have ended in between.
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }

    /// Who carries the mark and has not ended.
    pub fn bearers(&self) -> Vec<Pid> {
        let line = format!("{NAME}={}", self.value);
        let Ok(entries) = std::fs::read_dir("/proc") else { return vec![] };
        let numbers =
            entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        // Of the dead, and of others' processes, the environment can't be read.
        let carries = |number: &i32| {
            let environment = std::fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|variable| variable == line.as_bytes())
        };
        numbers.filter(carries).filter_map(Pid::from_raw).collect()
    }
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
}
