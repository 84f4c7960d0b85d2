//! Many games on 1, 2 and 3 nodes: what a key costs when nodes are added and each brings its own players.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use super::processes::{Cluster, SyncMode, Traffic};
use super::{PACE, PLAYERS, float};
use crate::bench::host::{HostWorld, Percentiles, Round, median};
use crate::tools::print_line;

const NODES: [usize; 3] = [1, 2, 3];
/// Games that each node owns.
const GAMES: usize = 6;
const TURNS: usize = 3;

/// What one turn of all nodes together used.
struct Turn {
    keys: u64,
    latencies: Vec<Duration>,
    nodes_ns: u64,
    brokers_ns: u64,
    traffic: Traffic,
}

/// Measures it; returns a table.
pub(super) fn measure(nuggets: &Path, nats_server: &Path) -> anyhow::Result<String> {
    let mut text = format!(
        "\nGrowth: each node owns {GAMES} games of {PLAYERS}, whose players are at the next node and press {} keys a second; \
         lazy sync, {TURNS} turns\n\n\
         | nodes | games | players | keys a second | p50 | p99 | nodes | brokers | messages | bytes |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
        PACE.keys_per_s
    );
    for count in NODES {
        print_line(&format!("xtask: measuring {} games on {count} nodes", GAMES * count));
        let cluster = Cluster::start(nuggets, nats_server, SyncMode::Lazy, count)?;
        let mut worlds = Vec::new();
        for number in 0..count {
            let (owner, edge) = (&cluster.nodes[number], &cluster.nodes[(number + 1) % count]);
            let mut world = HostWorld::join_over(edge, owner)?;
            world.add_games(GAMES)?;
            worlds.push(world);
        }
        // The first turn warms up.
        play(&cluster, &mut worlds)?;
        let turns = (0..TURNS).map(|_| play(&cluster, &mut worlds));
        let turns = turns.collect::<anyhow::Result<Vec<Turn>>>()?;
        let of = |figure: &dyn Fn(&Turn) -> f64| median(turns.iter().map(figure).collect());
        let per_key = |figure: fn(&Turn) -> u64| of(&|turn| float(figure(turn)) / float(turn.keys));
        let ms =
            |figure: fn(&Percentiles) -> f64| of(&|turn| figure(&Percentiles::of(&turn.latencies)));
        writeln!(
            text,
            "| {count} | {} | {} | {} | {:.2} ms | {:.2} ms | {:.0} µs | {:.0} µs | {:.1} | {:.0} |",
            GAMES * count,
            GAMES * count * PLAYERS,
            PACE.keys_per_s as usize * count,
            ms(|it| it.p50),
            ms(|it| it.p99),
            per_key(|turn| turn.nodes_ns) / 1e3,
            per_key(|turn| turn.brokers_ns) / 1e3,
            per_key(|turn| turn.traffic.messages),
            per_key(|turn| turn.traffic.bytes),
        )?;
    }
    Ok(text)
}

/// All players of all nodes press keys at the same time.
fn play(cluster: &Cluster, worlds: &mut [HostWorld]) -> anyhow::Result<Turn> {
    let nodes = || cluster.nodes.iter().map(|node| node.cpu_ns()).sum::<anyhow::Result<u64>>();
    let before = (nodes()?, cluster.brokers.cpu_ns()?, cluster.brokers.traffic()?);
    let rounds = std::thread::scope(|scope| {
        let playing: Vec<_> =
            worlds.iter_mut().map(|world| scope.spawn(|| world.play(PACE))).collect();
        let ended = playing.into_iter().map(|thread| {
            thread.join().map_err(|_| anyhow::anyhow!("the players of a node have panicked"))?
        });
        ended.collect::<anyhow::Result<Vec<Round>>>()
    })?;
    let after = (nodes()?, cluster.brokers.cpu_ns()?, cluster.brokers.traffic()?);
    Ok(Turn {
        keys: rounds.iter().map(|round| u64::from(round.keys)).sum(),
        latencies: rounds.iter().flat_map(|round| round.latencies.clone()).collect(),
        nodes_ns: after.0 - before.0,
        brokers_ns: after.1 - before.1,
        traffic: Traffic {
            bytes: after.2.bytes - before.2.bytes,
            messages: after.2.messages - before.2.messages,
            stored: after.2.stored.saturating_sub(before.2.stored),
        },
    })
}
