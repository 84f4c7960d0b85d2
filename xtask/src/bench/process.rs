//! Processor time and memory of measured processes, as `/proc` shows them. Linux only.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::sync::{Mutex, PoisonError};

use anyhow::Context;

/// The resources that a process has used.
pub(crate) struct ProcessUsage {
    pid: u32,
    /// Processor time of every thread that was seen, the ended ones included.
    threads: Mutex<BTreeMap<OsString, u64>>,
}

impl ProcessUsage {
    pub(crate) fn of(pid: u32) -> Self {
        Self { pid, threads: Mutex::default() }
    }

    /// Processor time of all threads so far, in nanoseconds.
    pub(crate) fn cpu_ns(&self) -> anyhow::Result<u64> {
        let folder = format!("/proc/{}/task", self.pid);
        let found = fs::read_dir(&folder).with_context(|| format!("can't read {folder}"))?;
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for thread in found {
            let thread = thread?;
            // A thread that has just ended has no file any more.
            let Ok(text) = fs::read_to_string(thread.path().join("schedstat")) else { continue };
            let first = text.split(' ').next().context("schedstat is empty")?;
            threads.insert(thread.file_name(), first.parse()?);
        }
        Ok(threads.values().sum())
    }

    /// Processor time of all children that have ended, in nanoseconds.
    pub(crate) fn cpu_ns_of_ended_children(&self) -> anyhow::Result<u64> {
        let text = self.read("stat")?;
        let (_, fields) = text.rsplit_once(')').context("a process without a name")?;
        // cutime and cstime, the 16th and 17th field: counted in hundredths of a second.
        let ticks = fields.split_whitespace().skip(13).take(2).map(str::parse::<u64>);
        Ok(ticks.sum::<Result<u64, _>>()? * 10_000_000)
    }

    /// The resident memory, in KiB.
    pub(crate) fn rss_kib(&self) -> anyhow::Result<u64> {
        self.status_kib("VmRSS:")
    }

    /// The peak of the resident memory, in KiB.
    pub(crate) fn peak_kib(&self) -> anyhow::Result<u64> {
        self.status_kib("VmHWM:")
    }

    fn status_kib(&self, name: &str) -> anyhow::Result<u64> {
        let text = self.read("status")?;
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
        kib.with_context(|| format!("no {name} of process {}", self.pid))
    }

    fn read(&self, name: &str) -> anyhow::Result<String> {
        let file = format!("/proc/{}/{name}", self.pid);
        fs::read_to_string(&file).with_context(|| format!("can't read {file}"))
    }
}

/// The number of cores, the processor and the architecture.
pub(crate) fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.and_then(|line| line.split_once(": ")).map_or("some processor", |(_, m)| m);
    format!("{cores} cores of {}, {}", model.trim(), std::env::consts::ARCH)
}
