//! One load: players whose games a node of a cluster, or a single host, runs.

use std::sync::Arc;
use std::time::Duration;

use super::processes::MeasuredCluster;
use crate::bench::figures::Figures;
use crate::bench::host::{BenchRound, HostWorld, MeasuredServer, Pace};

/// A load, and the figures of its turns for each key: the time from key to picture, processor time of all nodes and of
/// the database with its standby, group commits, and rows of journals in each commit.
pub(super) struct ClusterLoad {
    pub(super) what: String,
    /// Players at different nodes, who press keys at the same time.
    pub(super) worlds: Vec<HostWorld>,
    /// The cluster of the nodes; none for a single host.
    cluster: Option<Arc<MeasuredCluster>>,
    /// The nodes that take part.
    nodes: Vec<Arc<MeasuredServer>>,
    turns: Vec<Figures>,
}

impl ClusterLoad {
    pub(super) fn single(what: &str, host: &Arc<MeasuredServer>) -> anyhow::Result<Self> {
        Ok(Self::new(what, vec![HostWorld::join(host)?], None, std::slice::from_ref(host)))
    }

    /// Games of the first node, with players at the node with this number.
    pub(super) fn of_cluster(
        what: &str,
        cluster: &Arc<MeasuredCluster>,
        at: usize,
    ) -> anyhow::Result<Self> {
        let worlds = vec![HostWorld::join_over(&cluster.nodes[at], &cluster.nodes[0])?];
        Ok(Self::new(what, worlds, Some(cluster), &cluster.nodes[..=at.min(1)]))
    }

    /// Some games of each node, with players at the next one.
    pub(super) fn of_all_nodes(
        cluster: &Arc<MeasuredCluster>,
        games: usize,
    ) -> anyhow::Result<Self> {
        let count = cluster.nodes.len();
        let join = |number: usize| {
            let (owner, edge) = (&cluster.nodes[number], &cluster.nodes[(number + 1) % count]);
            let mut world = HostWorld::join_over(edge, owner)?;
            world.add_games(games)?;
            Ok(world)
        };
        let worlds = (0..count).map(join).collect::<anyhow::Result<_>>()?;
        Ok(Self::new("", worlds, Some(cluster), &cluster.nodes))
    }

    fn new(
        what: &str,
        worlds: Vec<HostWorld>,
        cluster: Option<&Arc<MeasuredCluster>>,
        nodes: &[Arc<MeasuredServer>],
    ) -> Self {
        let (cluster, nodes) = (cluster.cloned(), nodes.to_vec());
        Self { what: what.to_owned(), worlds, cluster, nodes, turns: Vec::new() }
    }

    /// One turn of all players.
    fn play(&mut self, pace: Pace) -> anyhow::Result<()> {
        let before = self.used()?;
        let rounds = std::thread::scope(|scope| {
            let worlds = self.worlds.iter_mut();
            let playing: Vec<_> =
                worlds.map(|world| scope.spawn(move || world.play(pace))).collect();
            let ended = playing.into_iter().map(|thread| {
                thread.join().map_err(|_| anyhow::anyhow!("the players of a node have panicked"))?
            });
            ended.collect::<anyhow::Result<Vec<BenchRound>>>()
        })?;
        let used = self.used()?.since(&before);
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

    fn used(&self) -> anyhow::Result<Figures> {
        if let Some(cluster) = &self.cluster {
            return cluster.used_by(&self.nodes);
        }
        let nodes_ns = super::float(self.nodes[0].usage.cpu_ns()?);
        let none = [("database ns", 0.0), ("commits", 0.0), ("records", 0.0)];
        Ok(Figures::new([("nodes ns", nodes_ns)]).with(none))
    }
}

/// Lets loads take turns, and returns the medians of each. The first turn warms up.
pub(super) fn take_turns(
    loads: &mut [ClusterLoad],
    pace: Pace,
    turns: usize,
) -> anyhow::Result<Vec<Figures>> {
    for turn in 0..=turns {
        for load in &mut *loads {
            if turn <= 1 {
                load.turns.clear();
            }
            load.play(pace)?;
        }
    }
    Ok(loads.iter().map(|load| Figures::medians(&load.turns)).collect())
}
