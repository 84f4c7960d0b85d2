//! The processes of a cluster that is measured: three brokers with the configurations of dist, and nodes.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use serde_json::Value;
use tempfile::TempDir;

use crate::bench::host::ServerProcess;
use crate::top;

/// How long brokers may take to find each other.
const ATTEMPTS: u32 = 600;
const PAUSE: Duration = Duration::from_millis(100);

/// When a broker writes to its disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SyncMode {
    /// Before it acknowledges.
    Always,
    /// Every two minutes.
    Lazy,
}

/// Three brokers.
pub(super) struct Brokers {
    pub(super) processes: Vec<ServerProcess>,
    urls: String,
    _folder: TempDir,
}

/// What the brokers have carried and stored so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Traffic {
    /// To and from nodes and each other.
    pub(super) bytes: u64,
    pub(super) messages: u64,
    /// On the disk of one broker.
    pub(super) stored: u64,
}

impl Brokers {
    pub(super) fn start(program: &Path, sync: SyncMode) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("can't make a folder for brokers")?;
        let dist = top().join("dist");
        fs::copy(dist.join("nats-common.conf"), folder.path().join("nats-common.conf"))?;
        let mut ports = Vec::new();
        for _ in 0..9 {
            // Held until all are known, so that none is given twice.
            ports.push(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?);
        }
        let numbers: Result<Vec<u16>, _> =
            ports.iter().map(|port| port.local_addr().map(|address| address.port())).collect();
        let ports_of = numbers?;
        drop(ports);
        let (mut processes, mut urls) = (Vec::new(), Vec::new());
        for number in 1..=3_u16 {
            let mut text = fs::read_to_string(dist.join(format!("nats-{number}.conf")))?;
            for (broker, ports) in (1..).zip(ports_of.chunks_exact(3)) {
                for (base, port) in [4221, 8221, 6221].iter().zip(ports) {
                    let from = format!("127.0.0.1:{}", base + broker);
                    text = text.replace(&from, &format!("127.0.0.1:{port}"));
                }
            }
            let data = folder.path().join(number.to_string());
            text = text.replace(&format!("nats-data/{number}"), &data.to_string_lossy());
            if sync == SyncMode::Lazy {
                ensure!(text.contains("sync_interval: always"), "dist has no sync_interval");
                text = text.replace("sync_interval: always", "");
            }
            let config = folder.path().join(format!("nats-{number}.conf"));
            fs::write(&config, text)?;
            let own = &ports_of[usize::from(number - 1) * 3..];
            let monitoring = SocketAddr::from((Ipv4Addr::LOCALHOST, own[1]));
            processes.push(ServerProcess::broker(program, &config, monitoring)?);
            urls.push(format!("nats://nuggets:nuggets@127.0.0.1:{}", own[0]));
        }
        let brokers = Self { processes, urls: urls.join(","), _folder: folder };
        brokers.wait_until_healthy()?;
        Ok(brokers)
    }

    fn wait_until_healthy(&self) -> anyhow::Result<()> {
        let is_healthy = |broker: &ServerProcess| {
            broker.get("/healthz").is_ok_and(|answer| answer.contains(r#""status":"ok""#))
        };
        for _ in 0..ATTEMPTS {
            if self.processes.iter().all(is_healthy) {
                return Ok(());
            }
            std::thread::sleep(PAUSE);
        }
        bail!("the brokers don't find each other")
    }

    pub(super) fn cpu_ns(&self) -> anyhow::Result<u64> {
        self.processes.iter().map(ServerProcess::cpu_ns).sum()
    }

    pub(super) fn traffic(&self) -> anyhow::Result<Traffic> {
        let mut traffic = Traffic::default();
        for broker in &self.processes {
            let (varz, jsz) = (json(broker, "/varz")?, json(broker, "/jsz")?);
            let number = |value: &Value, name: &str| value[name].as_u64().unwrap_or(0);
            traffic.bytes += number(&varz, "in_bytes") + number(&varz, "out_bytes");
            traffic.messages += number(&varz, "in_msgs") + number(&varz, "out_msgs");
            traffic.stored = traffic.stored.max(number(&jsz, "storage"));
        }
        Ok(traffic)
    }
}

fn json(broker: &ServerProcess, path: &str) -> anyhow::Result<Value> {
    let answer = broker.get(path)?;
    let (_, body) = answer.split_once("\r\n\r\n").context("an answer without a body")?;
    serde_json::from_str(body).with_context(|| format!("{path} of a broker is no JSON"))
}

/// Brokers and nodes.
pub(super) struct Cluster {
    pub(super) nodes: Vec<Arc<ServerProcess>>,
    pub(super) brokers: Brokers,
}

impl Cluster {
    pub(super) fn start(
        nuggets: &Path,
        nats_server: &Path,
        sync: SyncMode,
        nodes: usize,
    ) -> anyhow::Result<Self> {
        let brokers = Brokers::start(nats_server, sync)?;
        let node = |number| ServerProcess::node(nuggets, &format!("node{number}"), &brokers.urls);
        let nodes = (0..nodes).map(node).collect::<anyhow::Result<_>>()?;
        Ok(Self { nodes, brokers })
    }
}
