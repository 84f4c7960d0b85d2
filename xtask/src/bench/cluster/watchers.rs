//! Watchers at a node that does not run the game: they cost its owner one connection.

use std::path::Path;

use anyhow::ensure;

use super::PLAYERS;
use super::load::Load;
use super::processes::{Cluster, Database, counter};
use crate::bench::host::Pace;
use crate::bench::report::Goal;
use crate::tools::print_line;

const WATCHERS: [usize; 3] = [0, 1000, 5000];
const PACE: Pace = Pace { keys_per_s: 100, keys: 500 };

/// Measures it, and prints a table.
pub(super) fn measure(nuggets: &Path) -> anyhow::Result<Vec<Goal>> {
    let cluster = Cluster::start(nuggets, Database::alone(), 2)?;
    let mut load = Load::of_cluster("", &cluster, 1)?;
    print_line(&format!(
        "\nWatchers and {PLAYERS} players at another node, {} keys per second; medians of 3 turns\n\n\
         | watchers | WebSockets of the owner | p50 | p99 | owner per key | other node per key |\n|---|---|---|---|---|---|",
        PACE.keys_per_s
    ));
    let mut owner_sockets = Vec::new();
    for watchers in WATCHERS {
        load.world.add_watchers(watchers)?;
        load.play(PACE)?;
        load.forget_turns();
        let [owner, edge] = [0, 1].map(|number| cluster.nodes[number].cpu_ns());
        for _ in 0..3 {
            load.play(PACE)?;
        }
        let keys = f64::from(3 * PACE.keys);
        let [owner, edge] = [(0, owner?), (1, edge?)].map(|(number, before)| {
            let after = cluster.nodes[number].cpu_ns();
            after.map(|after| super::float(after - before) / 1e3 / keys)
        });
        let sockets = counter(&cluster.nodes[0], "nuggets_websockets")?;
        let cost = load.cost();
        print_line(&format!(
            "| {watchers} | {sockets} | {:.2} ms | {:.2} ms | {:.0} µs | {:.0} µs |",
            cost.ms.p50, cost.ms.p99, owner?, edge?
        ));
        owner_sockets.push(sockets);
    }
    let more = owner_sockets[WATCHERS.len() - 1] - owner_sockets[0];
    ensure!(more == 1, "5,000 watchers at another node cost the owner {more} WebSockets, not 1");
    Ok(Vec::new())
}
