//! One load: players at one node whose games another one, or the same, runs. Each figure is the median of all turns.

use std::sync::Arc;
use std::time::Duration;

use super::float;
use super::processes::{Cluster, Used};
use crate::bench::host::{HostWorld, Pace, Percentiles, ServerProcess, median};

/// A load, and what its turns used.
pub(super) struct Load {
    pub(super) what: String,
    pub(super) world: HostWorld,
    /// The cluster, and those of its nodes that take part. None for a single host.
    cluster: Option<(Arc<Cluster>, Vec<Arc<ServerProcess>>)>,
    turns: Vec<Turn>,
}

struct Turn {
    keys: u32,
    latencies: Vec<Duration>,
    used: Used,
}

/// Medians of a load, for each key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    /// From key to picture.
    pub(super) ms: Percentiles,
    /// Processor time of all nodes, in microseconds.
    pub(super) nodes_us: f64,
    /// Processor time of the database with its standby, in microseconds.
    pub(super) database_us: f64,
    pub(super) commits: f64,
    /// Rows of journals in each commit.
    pub(super) records_per_commit: f64,
}

impl Load {
    pub(super) fn single(what: &str, host: &Arc<ServerProcess>) -> anyhow::Result<Self> {
        let world = HostWorld::join(host)?;
        Ok(Self { what: what.to_owned(), world, cluster: None, turns: Vec::new() })
    }

    /// Games of the first node, with players at the node with this number.
    pub(super) fn of_cluster(
        what: &str,
        cluster: &Arc<Cluster>,
        at: usize,
    ) -> anyhow::Result<Self> {
        let world = HostWorld::join_over(&cluster.nodes[at], &cluster.nodes[0])?;
        let nodes = [0, at].map(|number| Arc::clone(&cluster.nodes[number]));
        let nodes = nodes.into_iter().take(1 + at.min(1)).collect();
        let cluster = Some((Arc::clone(cluster), nodes));
        Ok(Self { what: what.to_owned(), world, cluster, turns: Vec::new() })
    }

    pub(super) fn play(&mut self, pace: Pace) -> anyhow::Result<()> {
        let before = self.used()?;
        let round = self.world.play(pace)?;
        let single = Used { nodes_ns: round.cpu_ns, ..Used::default() };
        let used = self.used()?.zip(before);
        let used = used.map_or(single, |(after, before)| after.since(before));
        self.turns.push(Turn { keys: round.keys, latencies: round.latencies, used });
        Ok(())
    }

    fn used(&self) -> anyhow::Result<Option<Used>> {
        self.cluster.as_ref().map(|(cluster, nodes)| cluster.used_by(nodes)).transpose()
    }

    pub(super) fn forget_turns(&mut self) {
        self.turns.clear();
    }

    pub(super) fn cost(&self) -> Cost {
        let of = |figure: &dyn Fn(&Turn) -> f64| median(self.turns.iter().map(figure).collect());
        let per_key =
            |figure: fn(&Used) -> u64| of(&|turn| float(figure(&turn.used)) / f64::from(turn.keys));
        let ms =
            |figure: fn(&Percentiles) -> f64| of(&|turn| figure(&Percentiles::of(&turn.latencies)));
        Cost {
            ms: Percentiles { p50: ms(|it| it.p50), p99: ms(|it| it.p99), max: ms(|it| it.max) },
            nodes_us: per_key(|used| used.nodes_ns) / 1e3,
            database_us: per_key(|used| used.database_ns) / 1e3,
            commits: per_key(|used| used.commits),
            records_per_commit: of(&|turn| {
                float(turn.used.records) / float(turn.used.commits.max(1))
            }),
        }
    }
}

/// Lets loads take turns. The first turn warms up.
pub(super) fn take_turns(
    loads: &mut [Load],
    pace: Pace,
    turns: usize,
) -> anyhow::Result<Vec<Cost>> {
    loads.iter_mut().for_each(Load::forget_turns);
    for turn in 0..=turns {
        for load in &mut *loads {
            load.play(pace)?;
            if turn == 0 {
                load.forget_turns();
            }
        }
    }
    Ok(loads.iter().map(Load::cost).collect())
}
