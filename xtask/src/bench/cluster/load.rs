//! One load: players whose games a node of a cluster, or a single host, runs. Each figure is the median of all turns.

use std::sync::Arc;
use std::time::Duration;

use super::float;
use super::processes::{MeasuredCluster, Used};
use crate::bench::host::{BenchRound, HostWorld, MeasuredServer, Pace, Percentiles, median};

/// A load, and what its turns used.
pub(super) struct ClusterLoad {
    pub(super) what: String,
    /// Players at different nodes, who press keys at the same time.
    pub(super) worlds: Vec<HostWorld>,
    /// The cluster, and those of its nodes that take part. None for a single host.
    cluster: Option<(Arc<MeasuredCluster>, Vec<Arc<MeasuredServer>>)>,
    turns: Vec<LoadTurn>,
}

struct LoadTurn {
    keys: f64,
    latencies: Vec<Duration>,
    used: Used,
}

/// Medians of a load, for each key.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClusterCost {
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

impl ClusterLoad {
    pub(super) fn single(what: &str, host: &Arc<MeasuredServer>) -> anyhow::Result<Self> {
        let worlds = vec![HostWorld::join(host)?];
        Ok(Self { what: what.to_owned(), worlds, cluster: None, turns: Vec::new() })
    }

    /// Games of the first node, with players at the node with this number.
    pub(super) fn of_cluster(
        what: &str,
        cluster: &Arc<MeasuredCluster>,
        at: usize,
    ) -> anyhow::Result<Self> {
        let worlds = vec![HostWorld::join_over(&cluster.nodes[at], &cluster.nodes[0])?];
        let nodes = cluster.nodes[..=at.min(1)].to_vec();
        let cluster = Some((Arc::clone(cluster), nodes));
        Ok(Self { what: what.to_owned(), worlds, cluster, turns: Vec::new() })
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
        let cluster = Some((Arc::clone(cluster), cluster.nodes.clone()));
        Ok(Self { what: String::new(), worlds, cluster, turns: Vec::new() })
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
        let single = Used { nodes_ns: rounds[0].cpu_ns, ..Used::default() };
        let used = self.used()?.zip(before);
        self.turns.push(LoadTurn {
            keys: rounds.iter().map(|round| f64::from(round.keys)).sum(),
            latencies: rounds.into_iter().flat_map(|round| round.latencies).collect(),
            used: used.map_or(single, |(after, before)| after.since(before)),
        });
        Ok(())
    }

    fn used(&self) -> anyhow::Result<Option<Used>> {
        self.cluster.as_ref().map(|(cluster, nodes)| cluster.used_by(nodes)).transpose()
    }

    fn cost(&self) -> ClusterCost {
        let of =
            |figure: &dyn Fn(&LoadTurn) -> f64| median(self.turns.iter().map(figure).collect());
        let per_key = |figure: fn(&Used) -> u64| of(&|turn| float(figure(&turn.used)) / turn.keys);
        let ms =
            |figure: fn(&Percentiles) -> f64| of(&|turn| figure(&Percentiles::of(&turn.latencies)));
        ClusterCost {
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
    loads: &mut [ClusterLoad],
    pace: Pace,
    turns: usize,
) -> anyhow::Result<Vec<ClusterCost>> {
    for turn in 0..=turns {
        for load in &mut *loads {
            if turn <= 1 {
                load.turns.clear();
            }
            load.play(pace)?;
        }
    }
    Ok(loads.iter().map(ClusterLoad::cost).collect())
}
