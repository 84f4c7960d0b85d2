//! The processes that are measured: hosts, and the bare loop that they are compared with.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::Context;
use nuggets_testkit::{HttpClient, ServerProcess};
use rustix::process::Signal;
use serde_json::json;
use tempfile::TempDir;

use crate::bench::process::ProcessUsage;

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
        command.arg("serve").arg("--data").arg(data.path());
        Ok(Self::serve(command, Some(data)))
    }

    /// Starts `nuggets serve` as a node that shares this database.
    pub(crate) fn node(nuggets: &Path, name: &str, database: &str) -> Arc<Self> {
        let mut command = Command::new(nuggets);
        command.args(["serve", "--database", database, "--node", name]);
        Self::serve(command, None)
    }

    fn serve(mut command: Command, data: Option<TempDir>) -> Arc<Self> {
        command.args(["--listen", "127.0.0.1:0", "--log", "off"]);
        command.args(["--max-games", "20000", "--max-watchers", "20000"]);
        Arc::new(Self::start(&mut command, data))
    }

    /// Starts a program that announces its address.
    pub(crate) fn start(command: &mut Command, data: Option<TempDir>) -> Self {
        let process = ServerProcess::start(command);
        let (usage, address) = (ProcessUsage::of(process.id()), process.address());
        Self { process, usage, address, _data: data }
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

/// A new visitor. Visitors come from 127.0.0.2 and the addresses after it, so that the limits per source are those of
/// many people.
pub(crate) fn visitor(address: SocketAddr) -> HttpClient {
    static VISITORS: AtomicU32 = AtomicU32::new(0);
    let number = VISITORS.fetch_add(1, Ordering::Relaxed) / CONNECTIONS_PER_SOURCE;
    let source = Ipv4Addr::from_bits(Ipv4Addr::LOCALHOST.to_bits() + 1 + number);
    HttpClient { source: Some(source), ..HttpClient::new(address) }
}
