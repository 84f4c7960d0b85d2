//! Processor time and memory of a measured process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::process::Child;

use anyhow::{Context, anyhow};

/// Processor time so far, in nanoseconds. Linux only: other systems have no such file.
pub(crate) fn cpu_ns(child: &Child) -> anyhow::Result<u64> {
    let file = format!("/proc/{}/schedstat", child.id());
    let text = fs::read_to_string(&file).with_context(|| format!("can't read {file}"))?;
    first_number(&text)
}

/// Processor time of each thread so far, in nanoseconds.
pub(crate) fn cpu_ns_of_threads(pid: u32) -> anyhow::Result<BTreeMap<OsString, u64>> {
    let folder = format!("/proc/{pid}/task");
    let threads = fs::read_dir(&folder).with_context(|| format!("can't read {folder}"))?;
    let mut times = BTreeMap::new();
    for thread in threads {
        let thread = thread?;
        // A thread that has just ended has no file any more.
        if let Ok(text) = fs::read_to_string(thread.path().join("schedstat")) {
            times.insert(thread.file_name(), first_number(&text)?);
        }
    }
    Ok(times)
}

/// Processor time of all children that have ended, in nanoseconds.
pub(crate) fn cpu_ns_of_ended_children(pid: u32) -> anyhow::Result<u64> {
    let file = format!("/proc/{pid}/stat");
    let text = fs::read_to_string(&file).with_context(|| format!("can't read {file}"))?;
    let (_, fields) = text.rsplit_once(')').with_context(|| format!("{file} has no name"))?;
    // cutime and cstime, the 16th and 17th field: counted in hundredths of a second.
    let ticks = fields.split_whitespace().skip(13).take(2).map(str::parse::<u64>);
    Ok(ticks.sum::<Result<u64, _>>()? * 10_000_000)
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
