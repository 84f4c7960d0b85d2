//! The processes that are measured: a PostgreSQL server, perhaps with a standby, and hosts that share its database.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use nuggets_testkit::Postgres;

use super::float;
use crate::bench::figures::Figures;
use crate::bench::host::MeasuredServer;
use crate::bench::process::ProcessUsage;

/// The server of the database, with its standby.
pub(super) struct DatabaseServers {
    pub(super) primary: Postgres,
    standby: Option<Postgres>,
}

impl DatabaseServers {
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
    let living = server.pids().into_iter().filter_map(|pid| ProcessUsage::of(pid).cpu_ns().ok());
    Ok(living.sum::<u64>() + ProcessUsage::of(server.pid()).cpu_ns_of_ended_children()?)
}

/// A database, and the nodes that share it. Nodes end first.
pub(super) struct MeasuredCluster {
    pub(super) nodes: Vec<Arc<MeasuredServer>>,
    pub(super) database: DatabaseServers,
}

impl MeasuredCluster {
    pub(super) fn start(nuggets: &Path, database: DatabaseServers, nodes: usize) -> Arc<Self> {
        let url = database.primary.url();
        let node = |number| MeasuredServer::node(nuggets, &format!("node{number}"), &url);
        Arc::new(Self { nodes: (0..nodes).map(node).collect(), database })
    }

    /// Processor time, group commits and the rows of journals in them so far, of some nodes and of the whole database.
    pub(super) fn used_by(&self, nodes: &[Arc<MeasuredServer>]) -> anyhow::Result<Figures> {
        let sum = |figure: &dyn Fn(&MeasuredServer) -> anyhow::Result<u64>| {
            nodes.iter().map(|node| figure(node)).sum::<anyhow::Result<u64>>().map(float)
        };
        Ok(Figures::new([
            ("nodes ns", sum(&|node| node.usage.cpu_ns())?),
            ("database ns", float(self.database.cpu_ns()?)),
            ("commits", sum(&|node| node.counter("nuggets_cluster_commits_total"))?),
            ("records", sum(&|node| node.counter("nuggets_cluster_records_total"))?),
        ]))
    }
}
