//! The processes that are measured: a PostgreSQL server, perhaps with a standby, and hosts that share its database.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use nuggets_testkit::Postgres;

use crate::bench::host::ServerProcess;
use crate::bench::process;

/// The server of the database, with its standby.
pub(super) struct Database {
    pub(super) primary: Postgres,
    standby: Option<Postgres>,
}

impl Database {
    /// A server whose commits wait for nothing but its disk.
    pub(super) fn alone() -> Self {
        Self { primary: Postgres::start(), standby: None }
    }

    /// A server whose commits wait for a standby, too.
    pub(super) fn with_standby() -> Self {
        let (primary, standby) = Postgres::start_with_standby();
        Self { primary, standby: Some(standby) }
    }

    /// Processor time of all processes so far, in nanoseconds.
    pub(super) fn cpu_ns(&self) -> anyhow::Result<u64> {
        let servers = [Some(&self.primary), self.standby.as_ref()];
        servers.into_iter().flatten().map(cpu_ns_of).sum()
    }

    /// The number that a query answers.
    pub(super) fn number(&self, sql: &str) -> anyhow::Result<u64> {
        let answer = self.primary.psql(sql);
        answer.parse().with_context(|| format!("'{sql}' answers {answer:?}"))
    }
}

fn cpu_ns_of(server: &Postgres) -> anyhow::Result<u64> {
    // A process that ends meanwhile is among the ended children.
    let living = server.pids().into_iter().filter_map(|pid| process::cpu_ns_of_threads(pid).ok());
    let living: u64 = living.flat_map(BTreeMap::into_values).sum();
    Ok(living + process::cpu_ns_of_ended_children(server.pid())?)
}

/// A database, and the nodes that share it. Nodes end first.
pub(super) struct Cluster {
    pub(super) nodes: Vec<Arc<ServerProcess>>,
    pub(super) database: Database,
}

impl Cluster {
    pub(super) fn start(
        nuggets: &Path,
        database: Database,
        nodes: usize,
    ) -> anyhow::Result<Arc<Self>> {
        let url = database.primary.url();
        let node = |number| ServerProcess::node(nuggets, &format!("node{number}"), &url);
        let nodes = (0..nodes).map(node).collect::<anyhow::Result<_>>()?;
        Ok(Arc::new(Self { nodes, database }))
    }

    /// Processor time and counters so far, of all nodes.
    pub(super) fn used(&self) -> anyhow::Result<Used> {
        self.used_by(&self.nodes)
    }

    /// The same of some nodes, and of the whole database.
    pub(super) fn used_by(&self, nodes: &[Arc<ServerProcess>]) -> anyhow::Result<Used> {
        let mut used = Used { database_ns: self.database.cpu_ns()?, ..Used::default() };
        for node in nodes {
            used.nodes_ns += node.cpu_ns()?;
            used.commits += counter(node, "nuggets_cluster_commits_total")?;
            used.records += counter(node, "nuggets_cluster_records_total")?;
        }
        Ok(used)
    }
}

/// Processor time, group commits, and the rows of journals in them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Used {
    pub(super) nodes_ns: u64,
    pub(super) database_ns: u64,
    pub(super) commits: u64,
    pub(super) records: u64,
}

impl Used {
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            nodes_ns: self.nodes_ns - before.nodes_ns,
            database_ns: self.database_ns.saturating_sub(before.database_ns),
            commits: self.commits - before.commits,
            records: self.records - before.records,
        }
    }
}

/// A counter or gauge of a node.
pub(super) fn counter(node: &ServerProcess, name: &str) -> anyhow::Result<u64> {
    let answer = node.get("/metrics")?;
    let line = answer.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let value = line.with_context(|| format!("/metrics has no {name}"))?;
    value.trim().parse().with_context(|| format!("{name} is {value}"))
}
