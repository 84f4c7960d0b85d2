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
use super::figures::{BenchGoal, Figures, figures_table};
use super::host::{MeasuredServer, Pace, raise_open_files};
use super::process::machine;
use crate::tools::print_line;
use load::{ClusterLoad, take_turns};
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

/// The figures of a load, beside those of a single host.
fn compared(cost: &Figures, single: &Figures) -> Figures {
    cost.clone().with([
        ("single p50", single.get("key p50")),
        ("added p50", cost.get("key p50") - single.get("key p50")),
        ("of a single host", cost.get("nodes µs") / single.get("nodes µs")),
    ])
}

const ONE_GAME_COLUMNS: &str = "p50=key p50:2 ms | p99=key p99:2 ms | added p50:2 ms | nodes per key=nodes µs:0 µs | \
                    of a single host:2 | database per key=database µs:0 µs | commits per key=commits:2";

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
    let costs: Vec<Figures> = costs.iter().map(|cost| compared(cost, &costs[0])).collect();
    let rows = loads.iter().map(|load| load.what.clone()).zip(&costs);
    print_line(&format!(
        "\n{PLAYERS} players in one game, {} keys per second; medians of {TURNS} turns of {} keys\n\n{}",
        ONE_GAME.keys_per_s,
        ONE_GAME.keys,
        figures_table("", ONE_GAME_COLUMNS, rows)
    ));
    let goals = [
        ("added p50 at the owner", 2.5),
        ("added p50 through another node", 3.5),
        ("added p50 at the owner, with a standby", 2.5),
        ("added p50 through another node, with a standby", 3.5),
    ];
    let added = goals
        .into_iter()
        .zip(&costs[1..])
        .map(|((what, limit), cost)| BenchGoal::at_most(what, limit, cost.get("added p50"), " ms"));
    let ratio = costs[1].get("of a single host");
    let time = "processor time of a node per key, of a single host's";
    Ok(added.chain([BenchGoal::at_most(time, 1.5, ratio, "")]).collect())
}

const GAMES_COLUMNS: &str = "p50=key p50:2 ms | p50 of a single host=single p50:2 ms | node per key=nodes µs:0 µs | \
                    of a single host:2 | database per key=database µs:0 µs | commits per key=commits:3 | \
                    rows per commit:1";

/// Many games of a single host and of a node, at several rates.
fn measure_games(nuggets: &Path) -> anyhow::Result<Vec<BenchGoal>> {
    let host = MeasuredServer::host(nuggets)?;
    let cluster = MeasuredCluster::start(nuggets, DatabaseServers::alone(), 1);
    let mut loads =
        [ClusterLoad::single("single host", &host)?, ClusterLoad::of_cluster("node", &cluster, 0)?];
    for load in &mut loads {
        load.worlds[0].add_games(GAMES)?;
    }
    let mut rows = Vec::new();
    for keys_per_s in KEYS_PER_S {
        let pace = Pace { keys_per_s, keys: keys_per_s * 4 };
        let pair = take_turns(&mut loads, pace, 3)?;
        rows.push((keys_per_s.to_string(), compared(&pair[1], &pair[0])));
    }
    print_line(&format!(
        "\n{GAMES} games of {PLAYERS} players; medians of 3 turns\n\n{}",
        figures_table(
            "keys per second",
            GAMES_COLUMNS,
            rows.iter().map(|(label, cost)| (label.clone(), cost))
        )
    ));
    let (slow, fast) = (&rows[0].1, &rows[KEYS_PER_S.len() - 1].1);
    let commits = "commits per key under high load, of those under low load";
    let time = "processor time of a node per key with 100 games, of a single host's";
    Ok(vec![
        BenchGoal::at_most(commits, 0.8, fast.get("commits") / slow.get("commits"), ""),
        BenchGoal::at_most(time, 1.2, fast.get("of a single host"), ""),
    ])
}

#[expect(clippy::cast_precision_loss, reason = "figures of a report")]
fn float(number: u64) -> f64 {
    number as f64
}
