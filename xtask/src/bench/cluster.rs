//! A cluster of three brokers and three nodes beside a single host, all on this machine, in one run. They take turns, and
//! this process plays and watches.

mod growth;
mod processes;

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;

use super::PLAYERS;
use super::host::{HostWorld, Pace, Percentiles, Round, ServerProcess, median, raise_open_files};
use crate::tools::print_line;
use processes::{Cluster, SyncMode, Traffic};

const PACE: Pace = Pace { keys_per_s: 100, keys: 500 };
const TURNS: usize = 5;
/// Watchers at an edge.
const WATCHERS: [usize; 3] = [0, 1000, 5000];
/// Open files of a process besides watchers.
const OTHER_FILES: u64 = 1000;
/// How long an idle cluster is looked at.
const IDLE: Duration = Duration::from_secs(10);

/// What one load costs. Each figure is the median of all turns.
#[derive(Debug)]
struct Cost {
    what: String,
    /// From key to picture.
    ms: Percentiles,
    /// Processor time for each key, in microseconds.
    owner_us: f64,
    edge_us: f64,
    brokers_us: f64,
    /// Through all brokers, for each key.
    bytes: f64,
    messages: f64,
    stored: f64,
}

/// One load: who owns the game, who has the connections.
struct Load<'a> {
    what: String,
    world: HostWorld,
    owner: Arc<ServerProcess>,
    cluster: Option<&'a Cluster>,
    rounds: Vec<Turn>,
}

/// What one turn used.
struct Turn {
    round: Round,
    owner_ns: u64,
    edge_ns: u64,
    brokers_ns: u64,
    traffic: Traffic,
}

/// One of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClusterTable {
    /// A key, beside a single host
    Keys,
    /// Watchers at an edge
    Watchers,
    /// Many games on 1, 2 and 3 nodes
    Growth,
    /// Nodes on which nobody plays
    Idle,
}

/// Measures everything, or one table.
pub(crate) fn measure(
    nuggets: &Path,
    nats_server: &Path,
    only: Option<ClusterTable>,
) -> anyhow::Result<String> {
    raise_open_files(WATCHERS[2] as u64 + OTHER_FILES)?;
    let mut text = String::new();
    for table in ClusterTable::value_variants() {
        if only.is_some_and(|only| only != *table) {
            continue;
        }
        text += &match table {
            ClusterTable::Keys => measure_keys(nuggets, nats_server)?,
            ClusterTable::Watchers => measure_watchers(nuggets, nats_server)?,
            ClusterTable::Growth => growth::measure(nuggets, nats_server)?,
            ClusterTable::Idle => measure_idle(nuggets, nats_server)?,
        };
    }
    Ok(text)
}

/// A single host, and clusters with both ways to write to the disk, over the owner and over another node.
fn measure_keys(nuggets: &Path, nats_server: &Path) -> anyhow::Result<String> {
    print_line("xtask: measuring keys: a single host beside two clusters");
    let host = ServerProcess::host(nuggets)?;
    let lazy = Cluster::start(nuggets, nats_server, SyncMode::Lazy, 3)?;
    let always = Cluster::start(nuggets, nats_server, SyncMode::Always, 3)?;
    let mut loads = vec![Load::new("single host", &host, &host, None)?];
    for (name, cluster) in [("lazy sync", &lazy), ("`sync_interval: always`", &always)] {
        let [one, two] = [&cluster.nodes[0], &cluster.nodes[1]];
        loads.push(Load::new(&format!("{name}, at the owner"), one, one, Some(cluster))?);
        loads.push(Load::new(&format!("{name}, over an edge"), two, one, Some(cluster))?);
    }
    for turn in 0..=TURNS {
        for load in &mut loads {
            load.play()?;
            // The first turn warms up.
            if turn == 0 {
                load.rounds.clear();
            }
        }
    }
    let title = format!(
        "{PLAYERS} players in one game, {} keys a second; {TURNS} turns of {} keys",
        PACE.keys_per_s, PACE.keys
    );
    Ok(table(&title, &loads.iter().map(Load::cost).collect::<Vec<_>>()))
}

/// Watchers of a game at an edge that does not own it.
fn measure_watchers(nuggets: &Path, nats_server: &Path) -> anyhow::Result<String> {
    let cluster = Cluster::start(nuggets, nats_server, SyncMode::Lazy, 3)?;
    let mut load = Load::new("", &cluster.nodes[1], &cluster.nodes[0], Some(&cluster))?;
    let mut costs = Vec::new();
    for count in WATCHERS {
        print_line(&format!("xtask: measuring {count} watchers at an edge"));
        load.world.add_watchers(count)?;
        load.what = format!("{count} watchers");
        load.play()?;
        load.rounds.clear();
        for _ in 0..3 {
            load.play()?;
        }
        costs.push(load.cost());
    }
    Ok(table("Watchers at one edge, lazy sync, 3 turns", &costs))
}

/// What nodes and brokers use while nobody plays.
fn measure_idle(nuggets: &Path, nats_server: &Path) -> anyhow::Result<String> {
    let mut text = String::from(
        "\nIdle, with lazy sync: processor time in each second\n\n\
         | nodes | each node | all brokers | messages through brokers | bytes through brokers |\n|---|---|---|---|---|\n",
    );
    for count in [1, 3, 5, 7] {
        print_line(&format!("xtask: measuring {count} idle nodes"));
        let cluster = Cluster::start(nuggets, nats_server, SyncMode::Lazy, count)?;
        std::thread::sleep(Duration::from_secs(2));
        let nodes = || cluster.nodes.iter().map(|node| node.cpu_ns()).sum::<anyhow::Result<u64>>();
        let before = (nodes()?, cluster.brokers.cpu_ns()?, cluster.brokers.traffic()?);
        std::thread::sleep(IDLE);
        let after = (nodes()?, cluster.brokers.cpu_ns()?, cluster.brokers.traffic()?);
        let per_s = |before: u64, after: u64| float(after - before) / IDLE.as_secs_f64();
        let node_ms = per_s(before.0, after.0) / 1e6 / float(count as u64);
        let brokers_ms = per_s(before.1, after.1) / 1e6;
        let messages = per_s(before.2.messages, after.2.messages);
        let bytes = per_s(before.2.bytes, after.2.bytes);
        writeln!(
            text,
            "| {count} | {node_ms:.1} ms | {brokers_ms:.1} ms | {messages:.0} | {bytes:.0} |"
        )?;
    }
    Ok(text)
}

impl<'a> Load<'a> {
    fn new(
        what: &str,
        edge: &Arc<ServerProcess>,
        owner: &Arc<ServerProcess>,
        cluster: Option<&'a Cluster>,
    ) -> anyhow::Result<Self> {
        let world = HostWorld::join_over(edge, owner)?;
        let owner = Arc::clone(owner);
        Ok(Self { what: what.to_owned(), world, owner, cluster, rounds: Vec::new() })
    }

    fn is_relayed(&self) -> bool {
        !Arc::ptr_eq(&self.owner, &self.world.process)
    }

    fn play(&mut self) -> anyhow::Result<()> {
        let brokers_ns = || self.cluster.map_or(Ok(0), |cluster| cluster.brokers.cpu_ns());
        let traffic =
            || self.cluster.map_or(Ok(Traffic::default()), |cluster| cluster.brokers.traffic());
        let owner_before = self.owner.cpu_ns()?;
        let (brokers_before, traffic_before) = (brokers_ns()?, traffic()?);
        let round = self.world.play(PACE)?;
        let (brokers, after) = (brokers_ns()?, traffic()?);
        let edge_ns = if self.is_relayed() { round.cpu_ns } else { 0 };
        self.rounds.push(Turn {
            owner_ns: self.owner.cpu_ns()? - owner_before,
            edge_ns,
            brokers_ns: brokers - brokers_before,
            traffic: Traffic {
                bytes: after.bytes - traffic_before.bytes,
                messages: after.messages - traffic_before.messages,
                stored: after.stored.saturating_sub(traffic_before.stored),
            },
            round,
        });
        Ok(())
    }

    fn cost(&self) -> Cost {
        let of = |figure: &dyn Fn(&Turn) -> f64| median(self.rounds.iter().map(figure).collect());
        let per_key =
            |figure: fn(&Turn) -> u64| of(&|turn| float(figure(turn)) / f64::from(turn.round.keys));
        let ms = |figure: fn(&Percentiles) -> f64| {
            of(&|turn| figure(&Percentiles::of(&turn.round.latencies)))
        };
        Cost {
            what: self.what.clone(),
            ms: Percentiles { p50: ms(|it| it.p50), p99: ms(|it| it.p99), max: ms(|it| it.max) },
            owner_us: per_key(|turn| turn.owner_ns) / 1e3,
            edge_us: per_key(|turn| turn.edge_ns) / 1e3,
            brokers_us: per_key(|turn| turn.brokers_ns) / 1e3,
            bytes: per_key(|turn| turn.traffic.bytes),
            messages: per_key(|turn| turn.traffic.messages),
            stored: per_key(|turn| turn.traffic.stored),
        }
    }
}

fn table(title: &str, costs: &[Cost]) -> String {
    let mut text = format!(
        "\n{title}\n\n| | p50 | p99 | owner | edge | brokers | messages | bytes | stored |\n|---|---|---|---|---|---|---|---|---|\n"
    );
    for Cost { what, ms, owner_us, edge_us, brokers_us, bytes, messages, stored } in costs {
        // Writing to a string can't fail.
        let _ = writeln!(
            text,
            "| {what} | {:.2} ms | {:.2} ms | {owner_us:.0} µs | {edge_us:.0} µs | {brokers_us:.0} µs | {messages:.1} | \
             {bytes:.0} | {stored:.0} |",
            ms.p50, ms.p99
        );
    }
    text
}

#[expect(clippy::cast_precision_loss, reason = "figures of a report")]
fn float(number: u64) -> f64 {
    number as f64
}
