//! Processor time and memory of a measured process.

use std::fs;
use std::process::Child;

use anyhow::{Context, anyhow};

/// Processor time so far, in nanoseconds. Linux only: other systems have no such file.
pub(crate) fn cpu_ns(child: &Child) -> anyhow::Result<u64> {
    let file = format!("/proc/{}/schedstat", child.id());
    let text = fs::read_to_string(&file).with_context(|| format!("can't read {file}"))?;
    first_number(&text)
}

/// The same of all its threads.
pub(crate) fn cpu_ns_of_threads(child: &Child) -> anyhow::Result<u64> {
    let folder = format!("/proc/{}/task", child.id());
    let threads = fs::read_dir(&folder).with_context(|| format!("can't read {folder}"))?;
    let mut sum = 0;
    for thread in threads {
        // A thread that has just ended has no file any more.
        if let Ok(text) = fs::read_to_string(thread?.path().join("schedstat")) {
            sum += first_number(&text)?;
        }
    }
    Ok(sum)
}

fn first_number(schedstat: &str) -> anyhow::Result<u64> {
    let first = schedstat.split(' ').next().context("schedstat is empty")?;
    first.parse().with_context(|| format!("schedstat contains {schedstat:?}"))
}

/// The peak resident memory, in KiB.
pub(crate) fn peak_kib(child: &Child) -> anyhow::Result<u64> {
    status_kib(child, "VmHWM:")
}

/// The resident memory, in KiB.
pub(crate) fn rss_kib(child: &Child) -> anyhow::Result<u64> {
    status_kib(child, "VmRSS:")
}

fn status_kib(child: &Child, name: &str) -> anyhow::Result<u64> {
    let file = format!("/proc/{}/status", child.id());
    let text = fs::read_to_string(&file).with_context(|| format!("can't read {file}"))?;
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kib.and_then(|kib| kib.parse().ok()).ok_or_else(|| anyhow!("{file} has no {name}"))
}

/// The number of cores, the processor and the architecture.
pub(crate) fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.and_then(|line| line.split_once(": ")).map_or("some processor", |(_, m)| m);
    format!("{cores} cores of {}, {}", model.trim(), std::env::consts::ARCH)
}
