//! Watchers at a node that does not run the game: they cost its owner one connection.

use std::path::Path;

use anyhow::ensure;

use super::PLAYERS;
use super::load::{ClusterLoad, take_turns};
use super::processes::{DatabaseServers, MeasuredCluster};
use crate::bench::figures::{BenchGoal, table};
use crate::bench::host::Pace;
use crate::tools::print_line;

const WATCHERS: [usize; 3] = [0, 1000, 5000];
const PACE: Pace = Pace { keys_per_s: 100, keys: 500 };
const TURNS: u32 = 3;

/// Measures it, and prints a table.
pub(super) fn measure(nuggets: &Path) -> anyhow::Result<Vec<BenchGoal>> {
    let cluster = MeasuredCluster::start(nuggets, DatabaseServers::alone(), 2);
    let mut loads = [ClusterLoad::of_cluster("", &cluster, 1)?];
    let mut rows = Vec::new();
    let mut owner_sockets = Vec::new();
    for watchers in WATCHERS {
        loads[0].worlds[0].add_watchers(watchers)?;
        let cpu = || -> anyhow::Result<Vec<u64>> {
            cluster.nodes.iter().map(|node| node.usage.cpu_ns()).collect()
        };
        let before = cpu()?;
        let cost = take_turns(&mut loads, PACE, TURNS as usize)?.remove(0);
        // The turn that warms up has as many keys as the others.
        let keys = f64::from((TURNS + 1) * PACE.keys);
        let us = cpu()?.into_iter().zip(before).map(|(after, before)| super::float(after - before));
        let us: Vec<String> = us.map(|ns| format!("{:.0} µs", ns / 1e3 / keys)).collect();
        let sockets = cluster.nodes[0].counter("nuggets_websockets")?;
        let ms = format!("{:.2} ms | {:.2} ms", cost.get("key p50"), cost.get("key p99"));
        rows.push(vec![watchers.to_string(), sockets.to_string(), ms, us.join(" | ")]);
        owner_sockets.push(sockets);
    }
    print_line(&format!(
        "\nWatchers and {PLAYERS} players at another node, {} keys per second; medians of {TURNS} turns\n\n{}",
        PACE.keys_per_s,
        table(
            "watchers | WebSockets of the owner | p50 | p99 | owner per key | other node per key",
            rows
        )
    ));
    let more = owner_sockets[WATCHERS.len() - 1] - owner_sockets[0];
    ensure!(more == 1, "5,000 watchers at another node cost the owner {more} WebSockets, not 1");
    Ok(Vec::new())
}
