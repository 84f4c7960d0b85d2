//! Processes that are measured: hosts, and loops that they are compared with. Processor time and memory are those that
//! `/proc` shows. Linux only.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use nuggets_testkit::{HttpClient, ServerProcess};
use rustix::process::Signal;
use serde_json::json;
use tempfile::TempDir;

/// Connections from one source address: the host limits new guests of each source, and so do ephemeral ports.
const CONNECTIONS_PER_SOURCE: u32 = 100;

/// A process that listens.
pub(crate) struct MeasuredServer {
    process: ServerProcess,
    pub(crate) usage: ProcessUsage,
    pub(crate) address: SocketAddr,
    /// Its files, removed afterwards.
    _data: Option<TempDir>,
}

impl MeasuredServer {
    /// Starts `nuggets serve` with a folder of its own.
    pub(crate) fn host(nuggets: &Path) -> anyhow::Result<Arc<Self>> {
        let data = tempfile::tempdir().context("can't make a folder for the host")?;
        let mut command = Command::new(nuggets);
        let host = Self::serve(command.arg("serve").arg("--data").arg(data.path()));
        Ok(Arc::new(Self { _data: Some(data), ..host }))
    }

    /// Starts `nuggets serve` as a node that shares this database.
    pub(crate) fn node(nuggets: &Path, name: &str, database: &str) -> Arc<Self> {
        let args = ["serve", "--database", database, "--node", name];
        Arc::new(Self::serve(Command::new(nuggets).args(args)))
    }

    fn serve(command: &mut Command) -> Self {
        let args = ["--listen", "127.0.0.1:0", "--log", "off"];
        let limits = ["--max-games", "20000", "--max-watchers", "20000"];
        Self::start(command.args(args).args(limits))
    }

    /// Starts a program that announces its address.
    pub(crate) fn start(command: &mut Command) -> Self {
        let process = ServerProcess::start(command);
        let (usage, address) = (ProcessUsage::of(process.id()), process.address());
        Self { process, usage, address, _data: None }
    }

    /// Stops it for a while, so that another can be measured alone, or lets it run again.
    pub(crate) fn signal(&self, signal: Signal) {
        self.process.signal(signal);
    }

    /// True if it knows a game.
    pub(crate) fn knows(&self, game: &str) -> bool {
        visitor(self.address).get(&format!("/api/games/{game}")).status == 200
    }

    /// The value of a counter or gauge.
    pub(crate) fn counter(&self, name: &str) -> anyhow::Result<u64> {
        let answer = visitor(self.address).get("/metrics");
        let mut lines = answer.text().lines();
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let value = value.with_context(|| format!("/metrics has no {name}"))?;
        value.trim().parse().with_context(|| format!("{name} is {value}"))
    }

    /// Creates a game on the map of the specification, as a new guest.
    pub(crate) fn create_game(&self) -> String {
        let spec = json!({"map": {"built_in": "main"}, "visibility": "link"});
        visitor(self.address).create_game(&spec)
    }
}

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

    /// The resident memory in KiB, or with the name `VmHWM:` its peak.
    pub(crate) fn memory_kib(&self, name: &str) -> anyhow::Result<u64> {
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

/// A new visitor. Visitors come from 127.0.0.2 and the addresses after it, so that the limits per source are those of
/// many people.
pub(crate) fn visitor(address: SocketAddr) -> HttpClient {
    static VISITORS: AtomicU32 = AtomicU32::new(0);
    let number = VISITORS.fetch_add(1, Ordering::Relaxed) / CONNECTIONS_PER_SOURCE;
    let source = Ipv4Addr::from_bits(Ipv4Addr::LOCALHOST.to_bits() + 1 + number);
    HttpClient { source: Some(source), ..HttpClient::new(address) }
}

/// The number of cores, the processor and the architecture.
pub(crate) fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.and_then(|line| line.split_once(": ")).map_or("some processor", |(_, m)| m);
    format!("{cores} cores of {}, {}", model.trim(), std::env::consts::ARCH)
}
