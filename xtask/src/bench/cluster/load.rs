//! The servers of a load, and its players: hosts that share a PostgreSQL database, or a single host.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use nuggets_testkit::Postgres;

use super::float;
use crate::bench::figures::{FigureRows, Figures};
use crate::bench::host::{BenchRound, HostWorld, Pace};
use crate::bench::process::{MeasuredServer, ProcessUsage};

/// Nodes that share a database, or a single host. Nodes end first.
pub(super) struct LoadServers {
    pub(super) nodes: Vec<Arc<MeasuredServer>>,
    /// The primary, perhaps with a standby; none for a single host.
    databases: Vec<Postgres>,
}

impl LoadServers {
    /// Starts nodes that share a database, or a single host without one.
    pub(super) fn start(
        nuggets: &Path,
        databases: Vec<Postgres>,
        nodes: usize,
    ) -> anyhow::Result<Arc<Self>> {
        let node = |number| match databases.first() {
            Some(it) => Ok(MeasuredServer::node(nuggets, &format!("node{number}"), &it.url())),
            None => MeasuredServer::host(nuggets),
        };
        let nodes = (0..nodes).map(node).collect::<anyhow::Result<_>>()?;
        Ok(Arc::new(Self { nodes, databases }))
    }

    /// The output of a statement.
    pub(super) fn psql(&self, sql: &str) -> String {
        self.databases[0].psql(sql)
    }

    /// The number that a query answers.
    pub(super) fn number(&self, sql: &str) -> anyhow::Result<u64> {
        let answer = self.psql(sql);
        answer.parse().with_context(|| format!("'{sql}' answers {answer:?}"))
    }

    /// Processor time, group commits and the rows of journals in them so far, of some nodes and of the whole database.
    pub(super) fn used_by(&self, nodes: &[Arc<MeasuredServer>]) -> anyhow::Result<Figures> {
        let sum = |figure: &dyn Fn(&MeasuredServer) -> anyhow::Result<u64>| {
            nodes.iter().map(|node| figure(node)).sum::<anyhow::Result<u64>>().map(float)
        };
        let counter = |name| {
            if self.databases.is_empty() { Ok(0.0) } else { sum(&|node| node.counter(name)) }
        };
        let database_ns: u64 =
            self.databases.iter().map(cpu_ns_of_database).sum::<anyhow::Result<_>>()?;
        Ok(Figures::new([
            ("nodes ns", sum(&|node| node.usage.cpu_ns())?),
            ("database ns", float(database_ns)),
            ("commits", counter("nuggets_cluster_commits_total")?),
            ("records", counter("nuggets_cluster_records_total")?),
        ]))
    }
}

/// Processor time of all processes of a database server so far, in nanoseconds.
fn cpu_ns_of_database(server: &Postgres) -> anyhow::Result<u64> {
    // A process that ends meanwhile is among the ended children.
    let living = server.pids().into_iter().filter_map(|pid| ProcessUsage::of(pid).cpu_ns().ok());
    Ok(living.sum::<u64>() + ProcessUsage::of(server.pid()).cpu_ns_of_ended_children()?)
}

/// A load, and the figures of its turns for each key: the time from key to picture, processor time of all nodes and of
/// the database with its standby, group commits, and rows of journals in each commit.
pub(super) struct ClusterLoad {
    what: String,
    /// Players at different nodes, who press keys at the same time.
    pub(super) worlds: Vec<HostWorld>,
    servers: Arc<LoadServers>,
    /// The nodes that take part.
    nodes: Vec<Arc<MeasuredServer>>,
    turns: Vec<Figures>,
}

impl ClusterLoad {
    /// Groups of players, each with games: the node that they are at, and the node that runs their games.
    pub(super) fn new(
        what: &str,
        servers: &Arc<LoadServers>,
        groups: &[[usize; 2]],
        games: usize,
    ) -> anyhow::Result<Self> {
        let join = |[edge, owner]: &[usize; 2]| {
            let mut world = HostWorld::join(&servers.nodes[*edge], &servers.nodes[*owner])?;
            world.add_games(games)?;
            Ok(world)
        };
        let worlds = groups.iter().map(join).collect::<anyhow::Result<_>>()?;
        let numbers: BTreeSet<usize> = groups.iter().flatten().copied().collect();
        let nodes = numbers.into_iter().map(|number| Arc::clone(&servers.nodes[number])).collect();
        let (what, servers) = (what.to_owned(), Arc::clone(servers));
        Ok(Self { what, worlds, servers, nodes, turns: Vec::new() })
    }

    /// One turn of all players.
    fn play(&mut self, pace: Pace) -> anyhow::Result<()> {
        let before = self.servers.used_by(&self.nodes)?;
        let rounds = std::thread::scope(|scope| {
            let worlds = self.worlds.iter_mut();
            let playing: Vec<_> =
                worlds.map(|world| scope.spawn(move || world.play(pace))).collect();
            let ended = playing.into_iter().map(|thread| {
                thread.join().map_err(|_| anyhow::anyhow!("the players of a node have panicked"))?
            });
            ended.collect::<anyhow::Result<Vec<BenchRound>>>()
        })?;
        let used = self.servers.used_by(&self.nodes)?.since(&before);
        let keys: f64 = rounds.iter().map(|round| f64::from(round.keys)).sum();
        let latencies: Vec<Duration> =
            rounds.into_iter().flat_map(|round| round.latencies).collect();
        let commits = used.get("commits");
        let turn = Figures::new([
            ("nodes µs", used.get("nodes ns") / 1e3 / keys),
            ("database µs", used.get("database ns") / 1e3 / keys),
            ("commits", commits / keys),
            ("rows per commit", used.get("records") / commits.max(1.0)),
        ]);
        self.turns.push(turn.with_times("key", &latencies));
        Ok(())
    }
}

/// Lets loads take turns, and returns the medians of each. The first turn warms up.
pub(super) fn take_turns(
    loads: &mut [ClusterLoad],
    pace: Pace,
    turns: usize,
) -> anyhow::Result<FigureRows> {
    for turn in 0..=turns {
        for load in &mut *loads {
            if turn <= 1 {
                load.turns.clear();
            }
            load.play(pace)?;
        }
    }
    Ok(loads.iter().map(|load| (load.what.clone(), Figures::medians(&load.turns))).collect())
}
