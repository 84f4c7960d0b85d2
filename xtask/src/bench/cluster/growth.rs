//! 1, 2 and 3 nodes, idle and with many games each: what a key costs when nodes are added and each brings its own players.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use super::load::{ClusterLoad, take_turns};
use super::processes::{DatabaseServers, MeasuredCluster};
use super::{PLAYERS, float};
use crate::bench::figures::{BenchGoal, figures_table};
use crate::bench::host::Pace;
use crate::tools::print_line;

/// Games that each node runs.
const GAMES: u32 = 6;
const PACE: Pace = Pace { keys_per_s: 100, keys: 500 };
const TURNS: usize = 3;
/// The time for which an idle cluster is looked at.
const IDLE: Duration = Duration::from_secs(10);

const COLUMNS: &str = "games:0 | keys per second:0 | p50=key p50:2 ms | p99=key p99:2 ms | \
                    nodes per key=nodes µs:0 µs | database per key=database µs:0 µs | \
                    commits per key=commits:2 | idle: each node=idle node:1 ms/s | \
                    idle: database=idle database:1 ms/s | idle: transactions per second=idle transactions:0";

/// Measures it, and prints a table.
pub(super) fn measure(nuggets: &Path) -> anyhow::Result<Vec<BenchGoal>> {
    let mut rows = Vec::new();
    for count in 1..=3 {
        let cluster = MeasuredCluster::start(nuggets, DatabaseServers::alone(), count);
        let idle = look_at_idle(&cluster)?;
        let mut load = [ClusterLoad::of_all_nodes(&cluster, GAMES as usize)?];
        let cost = take_turns(&mut load, PACE, TURNS)?.remove(0);
        let count = u32::try_from(count)?;
        let (games, keys) = (f64::from(GAMES * count), f64::from(PACE.keys_per_s * count));
        let cost = cost.with([("games", games), ("keys per second", keys)]);
        rows.push((count.to_string(), cost.with(idle)));
    }
    print_line(&format!(
        "\nGrowth: each node runs {GAMES} games of {PLAYERS} players, who are at the next node and press {} keys per \
         second; medians of {TURNS} turns\n\n{}",
        PACE.keys_per_s,
        figures_table("nodes", COLUMNS, rows.iter().map(|(nodes, cost)| (nodes.clone(), cost)))
    ));
    Ok(Vec::new())
}

/// The figures of a cluster without games: processor time in each second, and transactions.
fn look_at_idle(cluster: &MeasuredCluster) -> anyhow::Result<[(&'static str, f64); 3]> {
    let transactions = || {
        // A server counts a transaction up to a second later.
        sleep(Duration::from_secs(2));
        let sql = "SELECT xact_commit FROM pg_stat_database WHERE datname = 'nuggets'";
        cluster.database.number(sql)
    };
    let (transactions_before, before) = (transactions()?, cluster.used_by(&cluster.nodes)?);
    sleep(IDLE);
    let used = cluster.used_by(&cluster.nodes)?.since(&before);
    let transactions = transactions()? - transactions_before;
    // The two seconds before the second look belong to it.
    let transactions_per_s = float(transactions) / (IDLE + Duration::from_secs(2)).as_secs_f64();
    let ms_per_s = |name: &str| used.get(name) / 1e6 / IDLE.as_secs_f64();
    Ok([
        ("idle node", ms_per_s("nodes ns") / float(cluster.nodes.len() as u64)),
        ("idle database", ms_per_s("database ns")),
        ("idle transactions", transactions_per_s),
    ])
}
