//! Hosts that share a PostgreSQL database beside a single host, all on this machine, in one run. They take turns, and this
//! process plays and watches.

mod growth;
mod load;
mod processes;
mod tables;
mod watchers;

use std::path::Path;

use clap::ValueEnum;

use super::PLAYERS;
use super::host::{MeasuredServer, Pace, raise_open_files};
use super::process::machine;
use super::report::{BenchGoal, table};
use crate::tools::print_line;
use load::{ClusterCost, ClusterLoad, take_turns};
use processes::{DatabaseServers, MeasuredCluster};

const ONE_GAME: Pace = Pace { keys_per_s: 250, keys: 1000 };
const TURNS: usize = 5;
/// Games of the loads with many games.
const GAMES: usize = 100;
/// Keys per second of all those games.
const KEYS_PER_S: [u32; 4] = [50, 250, 1000, 2600];
/// Connections of the players, and what a process opens besides.
const OPEN_FILES: u64 = 10_000;

/// One of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClusterTable {
    /// A key in one game, with and without a standby
    Keys,
    /// A key in 100 games, at several rates
    Games,
    /// 1, 2 and 3 nodes, with and without games
    Growth,
    /// Watchers at another node
    Watchers,
    /// The size of the tables after 10,000 finished games
    Tables,
}

/// Measures everything, or one table, and prints it. Returns what was to be reached.
pub(crate) fn measure(
    nuggets: &Path,
    only: Option<ClusterTable>,
) -> anyhow::Result<Vec<BenchGoal>> {
    raise_open_files(OPEN_FILES)?;
    print_line(&format!("Measured on {}.", machine()));
    let mut goals = Vec::new();
    for table in ClusterTable::value_variants() {
        if only.is_some_and(|only| only != *table) {
            continue;
        }
        goals.extend(match table {
            ClusterTable::Keys => measure_keys(nuggets)?,
            ClusterTable::Games => measure_games(nuggets)?,
            ClusterTable::Growth => growth::measure(nuggets)?,
            ClusterTable::Watchers => watchers::measure(nuggets)?,
            ClusterTable::Tables => tables::measure(nuggets)?,
        });
    }
    Ok(goals)
}

/// One game on a single host, and on clusters with and without a standby: at its owner and through another node.
fn measure_keys(nuggets: &Path) -> anyhow::Result<Vec<BenchGoal>> {
    let host = MeasuredServer::host(nuggets)?;
    let mut loads = vec![ClusterLoad::single("single host", &host)?];
    for (name, database) in [
        ("no standby", DatabaseServers::alone()),
        ("synchronous standby", DatabaseServers::with_standby()),
    ] {
        let cluster = MeasuredCluster::start(nuggets, database, 2);
        loads.push(ClusterLoad::of_cluster(&format!("{name}, at the owner"), &cluster, 0)?);
        loads.push(ClusterLoad::of_cluster(&format!("{name}, through another node"), &cluster, 1)?);
    }
    let costs = take_turns(&mut loads, ONE_GAME, TURNS)?;
    let single = costs[0];
    let row = |(load, cost): (&ClusterLoad, &ClusterCost)| {
        let figures = format!(
            "{:.2} ms | {:.2} ms | {:.2} ms | {:.0} µs | {:.2} | {:.0} µs | {:.2}",
            cost.ms.p50,
            cost.ms.p99,
            cost.ms.p50 - single.ms.p50,
            cost.nodes_us,
            cost.nodes_us / single.nodes_us,
            cost.database_us,
            cost.commits
        );
        vec![load.what.clone(), figures]
    };
    let head = " | p50 | p99 | added p50 | nodes per key | of a single host | database per key | commits per key";
    print_line(&format!(
        "\n{PLAYERS} players in one game, {} keys per second; medians of {TURNS} turns of {} keys\n\n{}",
        ONE_GAME.keys_per_s,
        ONE_GAME.keys,
        table(head, loads.iter().zip(&costs).map(row))
    ));
    let added = |number: usize| costs[number].ms.p50 - single.ms.p50;
    let ratio = costs[1].nodes_us / single.nodes_us;
    Ok(vec![
        BenchGoal::at_most("added p50 at the owner", 2.5, added(1), " ms"),
        BenchGoal::at_most("added p50 through another node", 3.5, added(2), " ms"),
        BenchGoal::at_most("added p50 at the owner, with a standby", 2.5, added(3), " ms"),
        BenchGoal::at_most("added p50 through another node, with a standby", 3.5, added(4), " ms"),
        BenchGoal::at_most("processor time of a node per key, of a single host's", 1.5, ratio, ""),
    ])
}

/// Many games of a single host and of a node, at several rates.
fn measure_games(nuggets: &Path) -> anyhow::Result<Vec<BenchGoal>> {
    let host = MeasuredServer::host(nuggets)?;
    let cluster = MeasuredCluster::start(nuggets, DatabaseServers::alone(), 1);
    let mut loads =
        [ClusterLoad::single("single host", &host)?, ClusterLoad::of_cluster("node", &cluster, 0)?];
    for load in &mut loads {
        load.worlds[0].add_games(GAMES)?;
    }
    let mut costs: Vec<(ClusterCost, ClusterCost)> = Vec::new();
    let mut rows = Vec::new();
    for keys_per_s in KEYS_PER_S {
        let pace = Pace { keys_per_s, keys: keys_per_s * 4 };
        let pair = take_turns(&mut loads, pace, 3)?;
        let (single, node) = (pair[0], pair[1]);
        let figures = format!(
            "{:.2} ms | {:.2} ms | {:.0} µs | {:.2} | {:.0} µs | {:.3} | {:.1}",
            node.ms.p50,
            single.ms.p50,
            node.nodes_us,
            node.nodes_us / single.nodes_us,
            node.database_us,
            node.commits,
            node.records_per_commit
        );
        rows.push(vec![keys_per_s.to_string(), figures]);
        costs.push((single, node));
    }
    print_line(&format!(
        "\n{GAMES} games of {PLAYERS} players; medians of 3 turns\n\n{}",
        table(
            "keys per second | p50 | p50 of a single host | node per key | of a single host | database per key | \
             commits per key | rows per commit",
            rows
        )
    ));
    let (slow, fast) = (costs[0].1.commits, costs[KEYS_PER_S.len() - 1].1.commits);
    let (single, node) = costs[KEYS_PER_S.len() - 1];
    let commits = "commits per key under high load, of those under low load";
    let time = "processor time of a node per key with 100 games, of a single host's";
    Ok(vec![
        BenchGoal::at_most(commits, 0.8, fast / slow, ""),
        BenchGoal::at_most(time, 1.2, node.nodes_us / single.nodes_us, ""),
    ])
}

#[expect(clippy::cast_precision_loss, reason = "figures of a report")]
fn float(number: u64) -> f64 {
    number as f64
}
