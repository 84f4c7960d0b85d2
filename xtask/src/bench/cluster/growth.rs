//! 1, 2 and 3 nodes, idle and with many games each: what a key costs when nodes are added and each brings its own players.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use super::load::{ClusterLoad, take_turns};
use super::processes::{DatabaseServers, MeasuredCluster};
use super::{PLAYERS, float};
use crate::bench::host::Pace;
use crate::bench::report::{BenchGoal, table};
use crate::tools::print_line;

/// Games that each node runs.
const GAMES: usize = 6;
const PACE: Pace = Pace { keys_per_s: 100, keys: 500 };
const TURNS: usize = 3;
/// The time for which an idle cluster is looked at.
const IDLE: Duration = Duration::from_secs(10);

/// Measures it, and prints a table.
pub(super) fn measure(nuggets: &Path) -> anyhow::Result<Vec<BenchGoal>> {
    let mut rows = Vec::new();
    for count in 1..=3 {
        let cluster = MeasuredCluster::start(nuggets, DatabaseServers::alone(), count);
        let idle = look_at_idle(&cluster)?;
        let cost = take_turns(&mut [ClusterLoad::of_all_nodes(&cluster, GAMES)?], PACE, TURNS)?[0];
        let figures = format!(
            "{:.2} ms | {:.2} ms | {:.0} µs | {:.0} µs | {:.2}",
            cost.ms.p50, cost.ms.p99, cost.nodes_us, cost.database_us, cost.commits
        );
        let counts = [count, GAMES * count, PACE.keys_per_s as usize * count];
        rows.push([&counts.map(|count| count.to_string())[..], &[figures, idle]].concat());
    }
    print_line(&format!(
        "\nGrowth: each node runs {GAMES} games of {PLAYERS} players, who are at the next node and press {} keys per \
         second; medians of {TURNS} turns\n\n{}",
        PACE.keys_per_s,
        table(
            "nodes | games | keys per second | p50 | p99 | nodes per key | database per key | commits per key | \
             idle: each node | idle: database | idle: transactions per second",
            rows
        )
    ));
    Ok(Vec::new())
}

/// The columns about a cluster without games: processor time in each second, and transactions.
fn look_at_idle(cluster: &MeasuredCluster) -> anyhow::Result<String> {
    let transactions = || {
        // A server counts a transaction up to a second later.
        sleep(Duration::from_secs(2));
        let sql = "SELECT xact_commit FROM pg_stat_database WHERE datname = 'nuggets'";
        cluster.database.number(sql)
    };
    let (transactions_before, before) = (transactions()?, cluster.used_by(&cluster.nodes)?);
    sleep(IDLE);
    let used = cluster.used_by(&cluster.nodes)?.since(before);
    let transactions = transactions()? - transactions_before;
    // The two seconds before the second look belong to it.
    let transactions_per_s = float(transactions) / (IDLE + Duration::from_secs(2)).as_secs_f64();
    let ms_per_s = |ns: u64| float(ns) / 1e6 / IDLE.as_secs_f64();
    let node = ms_per_s(used.nodes_ns) / float(cluster.nodes.len() as u64);
    let database = ms_per_s(used.database_ns);
    Ok(format!("{node:.1} ms/s | {database:.1} ms/s | {transactions_per_s:.0}"))
}
