//! Hosts that share a PostgreSQL database beside a single host, all on this machine, in one run. They take turns, and this
//! process plays and watches.

mod load;

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use anyhow::ensure;
use clap::ValueEnum;
use nuggets_testkit::{Postgres, now};

use super::PLAYERS;
use super::figures::{BenchGoal, FigureRows, Figures, figures_table, goals};
use super::host::{Crowd, Pace, raise_open_files};
use super::process::{machine, visitor};
use crate::tools::print_line;
use load::{ClusterLoad, LoadServers, take_turns};

const ONE_GAME: Pace = Pace { keys_per_s: 250, keys: 1000 };
const TURNS: usize = 5;
/// Games of the loads with many games.
const GAMES: usize = 100;
/// Keys per second of all those games.
const KEYS_PER_S: [u32; 4] = [50, 250, 1000, 2600];
/// Games that each node runs while nodes are added.
const GROWTH_GAMES: u32 = 6;
/// Players of each node while nodes or watchers are added.
const SLOW: Pace = Pace { keys_per_s: 100, keys: 500 };
const SLOW_TURNS: u32 = 3;
/// The time for which an idle cluster is looked at.
const IDLE: Duration = Duration::from_secs(10);
const WATCHERS: [usize; 3] = [0, 1000, 5000];
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
        if only.is_none_or(|only| only == *table) {
            goals.extend(match table {
                ClusterTable::Keys => measure_keys(nuggets)?,
                ClusterTable::Games => measure_games(nuggets)?,
                ClusterTable::Growth => measure_growth(nuggets)?,
                ClusterTable::Watchers => measure_watchers(nuggets)?,
                ClusterTable::Tables => measure_tables(nuggets)?,
            });
        }
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

const KEYS_GOALS: &str = "\
owner: at most 2.5 ms: added p50 at the owner
other: at most 3.5 ms: added p50 through another node
paired owner: at most 2.5 ms: added p50 at the owner, with a standby
paired other: at most 3.5 ms: added p50 through another node, with a standby
time: at most 1.5: processor time of a node per key, of a single host's";

/// One game on a single host, and on clusters with and without a standby: at its owner and through another node.
fn measure_keys(nuggets: &Path) -> anyhow::Result<Vec<BenchGoal>> {
    let single = LoadServers::start(nuggets, vec![], 1)?;
    let alone = LoadServers::start(nuggets, vec![Postgres::start()], 2)?;
    let paired =
        LoadServers::start(nuggets, <[_; 2]>::from(Postgres::start_with_standby()).into(), 2)?;
    let mut loads = [
        ClusterLoad::new("single host", &single, &[[0, 0]], 1)?,
        ClusterLoad::new("no standby, at the owner", &alone, &[[0, 0]], 1)?,
        ClusterLoad::new("no standby, through another node", &alone, &[[1, 0]], 1)?,
        ClusterLoad::new("synchronous standby, at the owner", &paired, &[[0, 0]], 1)?,
        ClusterLoad::new("synchronous standby, through another node", &paired, &[[1, 0]], 1)?,
    ];
    let costs = take_turns(&mut loads, ONE_GAME, TURNS)?;
    let costs: FigureRows =
        costs.iter().map(|(what, cost)| (what.clone(), compared(cost, &costs[0].1))).collect();
    print_line(&format!(
        "\n{PLAYERS} players in one game, {} keys per second; medians of {TURNS} turns of {} keys\n\n{}",
        ONE_GAME.keys_per_s,
        ONE_GAME.keys,
        figures_table("", ONE_GAME_COLUMNS, &costs)
    ));
    let added = |row: usize| costs[row].1.get("added p50");
    let figures = Figures::new([
        ("owner", added(1)),
        ("other", added(2)),
        ("paired owner", added(3)),
        ("paired other", added(4)),
        ("time", costs[1].1.get("of a single host")),
    ]);
    Ok(goals(KEYS_GOALS, &figures))
}

const GAMES_COLUMNS: &str = "p50=key p50:2 ms | p50 of a single host=single p50:2 ms | node per key=nodes µs:0 µs | \
                    of a single host:2 | database per key=database µs:0 µs | commits per key=commits:3 | \
                    rows per commit:1";

const GAMES_GOALS: &str = "\
commits: at most 0.8: commits per key under high load, of those under low load
time: at most 1.2: processor time of a node per key with 100 games, of a single host's";

/// Many games of a single host and of a node, at several rates.
fn measure_games(nuggets: &Path) -> anyhow::Result<Vec<BenchGoal>> {
    let single = LoadServers::start(nuggets, vec![], 1)?;
    let cluster = LoadServers::start(nuggets, vec![Postgres::start()], 1)?;
    let mut loads = [
        ClusterLoad::new("single host", &single, &[[0, 0]], GAMES)?,
        ClusterLoad::new("node", &cluster, &[[0, 0]], GAMES)?,
    ];
    let mut measure = |keys_per_s: u32| {
        let pace = Pace { keys_per_s, keys: keys_per_s * 4 };
        let pair = take_turns(&mut loads, pace, 3)?;
        Ok((keys_per_s.to_string(), compared(&pair[1].1, &pair[0].1)))
    };
    let rows = KEYS_PER_S.into_iter().map(&mut measure).collect::<anyhow::Result<FigureRows>>()?;
    print_line(&format!(
        "\n{GAMES} games of {PLAYERS} players; medians of 3 turns\n\n{}",
        figures_table("keys per second", GAMES_COLUMNS, &rows)
    ));
    let (slow, fast) = (&rows[0].1, &rows[KEYS_PER_S.len() - 1].1);
    let commits = fast.get("commits") / slow.get("commits");
    let figures = Figures::new([("commits", commits), ("time", fast.get("of a single host"))]);
    Ok(goals(GAMES_GOALS, &figures))
}

const GROWTH_COLUMNS: &str = "games:0 | keys per second:0 | p50=key p50:2 ms | p99=key p99:2 ms | \
                    nodes per key=nodes µs:0 µs | database per key=database µs:0 µs | \
                    commits per key=commits:2 | idle: each node=idle node:1 ms/s | \
                    idle: database=idle database:1 ms/s | idle: transactions per second=idle transactions:0";

/// 1, 2 and 3 nodes, idle and with several games each: what a key costs when nodes are added and each brings its own players.
fn measure_growth(nuggets: &Path) -> anyhow::Result<Vec<BenchGoal>> {
    let measure = |count: u32| {
        let nodes = count as usize;
        let cluster = LoadServers::start(nuggets, vec![Postgres::start()], nodes)?;
        let idle = look_at_idle(&cluster)?;
        let groups: Vec<[usize; 2]> =
            (0..nodes).map(|owner| [(owner + 1) % nodes, owner]).collect();
        let load = ClusterLoad::new(&count.to_string(), &cluster, &groups, GROWTH_GAMES as usize)?;
        let (label, cost) = take_turns(&mut [load], SLOW, SLOW_TURNS as usize)?.remove(0);
        let (games, keys) = (f64::from(GROWTH_GAMES * count), f64::from(SLOW.keys_per_s * count));
        Ok((label, cost.with([("games", games), ("keys per second", keys)]).with(idle)))
    };
    let rows = (1..=3).map(measure).collect::<anyhow::Result<FigureRows>>()?;
    print_line(&format!(
        "\nGrowth: each node runs {GROWTH_GAMES} games of {PLAYERS} players, who are at the next node and press {} keys \
         per second; medians of {SLOW_TURNS} turns\n\n{}",
        SLOW.keys_per_s,
        figures_table("nodes", GROWTH_COLUMNS, &rows)
    ));
    Ok(Vec::new())
}

/// The figures of a cluster without games: processor time in each second, and transactions.
fn look_at_idle(cluster: &LoadServers) -> anyhow::Result<[(&'static str, f64); 3]> {
    let transactions = || {
        // A server counts a transaction up to a second later.
        sleep(Duration::from_secs(2));
        cluster.number("SELECT xact_commit FROM pg_stat_database WHERE datname = 'nuggets'")
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

const WATCHERS_COLUMNS: &str = "WebSockets of the owner=sockets:0 | p50=key p50:2 ms | p99=key p99:2 ms | \
                    owner per key=owner µs:0 µs | other node per key=other µs:0 µs";

/// Watchers at a node that does not run the game: they cost its owner one connection.
fn measure_watchers(nuggets: &Path) -> anyhow::Result<Vec<BenchGoal>> {
    let cluster = LoadServers::start(nuggets, vec![Postgres::start()], 2)?;
    let mut loads = [ClusterLoad::new("", &cluster, &[[1, 0]], 1)?];
    // The turn that warms up has as many keys as the others.
    let keys = f64::from((SLOW_TURNS + 1) * SLOW.keys);
    let mut measure = |watchers: usize| {
        loads[0].worlds[0].add_watchers(watchers)?;
        let [owner, other] = [0, 1].map(|node: usize| &cluster.nodes[node]);
        let before = [owner.usage.cpu_ns()?, other.usage.cpu_ns()?];
        let (_, cost) = take_turns(&mut loads, SLOW, SLOW_TURNS as usize)?.remove(0);
        let us = |after: u64, before| float(after - before) / 1e3 / keys;
        Ok((
            watchers.to_string(),
            cost.with([
                ("owner µs", us(owner.usage.cpu_ns()?, before[0])),
                ("other µs", us(other.usage.cpu_ns()?, before[1])),
                ("sockets", float(owner.counter("nuggets_websockets")?)),
            ]),
        ))
    };
    let rows = WATCHERS.into_iter().map(&mut measure).collect::<anyhow::Result<FigureRows>>()?;
    print_line(&format!(
        "\nWatchers and {PLAYERS} players at another node, {} keys per second; medians of {SLOW_TURNS} turns\n\n{}",
        SLOW.keys_per_s,
        figures_table("watchers", WATCHERS_COLUMNS, &rows)
    ));
    let sockets = |row: usize| rows[row].1.get("sockets");
    let more = sockets(WATCHERS.len() - 1) - sockets(0);
    ensure!(
        (more - 1.0).abs() < 0.5,
        "5,000 watchers at another node cost the owner {more} WebSockets, not 1"
    );
    Ok(Vec::new())
}

/// Games of the bench of the tables.
const FINISHED_GAMES: u64 = 10_000;
/// Games that run at the same time.
const AT_ONCE: u64 = 100;
/// A small room in which two bots soon have all the gold.
const SHORT_GAME: &str = r#"{
    "map": {"own": "+----------+\n|..........|\n|..........|\n|..........|\n|..........|\n+----------+\n"},
    "rules": {"gold": 40, "min_piles": 8, "max_piles": 10},
    "bots": {"count": 2, "brain": "scout", "pace_ms": 50},
    "visibility": "link"
}"#;
/// The games must end sometime.
const GAMES_LIMIT: Duration = Duration::from_secs(3600);
/// Autovacuum looks once a minute.
const AUTOVACUUM: Duration = Duration::from_secs(130);
const SIZE: &str = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace";
const TABLES_COLUMNS: &str = "at the end:1 MB | after autovacuum:1 MB | live data:1 MB";

/// The size of all tables and indexes after many finished games, beside the live data: the same tables, rewritten without
/// a gap. The games are real ones of a node: created over HTTP, played by bots, stored, ended and rated.
fn measure_tables(nuggets: &Path) -> anyhow::Result<Vec<BenchGoal>> {
    let cluster = LoadServers::start(nuggets, vec![Postgres::start()], 1)?;
    let size_mb = || cluster.number(SIZE).map(|bytes| float(bytes) / 1e6);
    play_games(&cluster)?;
    let at_end = size_mb()?;
    let ended = now();
    let dead = "SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'journal'";
    while ended.elapsed() < AUTOVACUUM && cluster.number(dead)? > 5000 {
        sleep(Duration::from_secs(1));
    }
    let vacuumed = size_mb()?;
    let rows =
        cluster.number("SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = 'journal'")?;
    cluster.psql("VACUUM (FULL, ANALYZE)");
    let live = size_mb()?;
    let sizes = Figures::new([
        ("at the end", at_end),
        ("after autovacuum", vacuumed),
        ("live data", live),
        ("worst", at_end.max(vacuumed) / live),
    ]);
    let goals = goals("worst: at most 2: size of all tables, of the live data", &sizes);
    print_line(&format!(
        "\nTables and indexes after {FINISHED_GAMES} finished games with {rows} rows of journals\n\n{}",
        figures_table("", TABLES_COLUMNS, &[("all".to_owned(), sizes)])
    ));
    Ok(goals)
}

/// Lets games begin together and end, until there are enough. Bots begin when a person has joined.
fn play_games(cluster: &LoadServers) -> anyhow::Result<()> {
    let (began, spec) = (now(), serde_json::from_str(SHORT_GAME)?);
    for finished in (0..FINISHED_GAMES).step_by(usize::try_from(AT_ONCE)?) {
        if finished % 1000 == 0 {
            print_line(&format!("xtask: {finished} games after {:.0?}", began.elapsed()));
        }
        let (node, mut people) = (&cluster.nodes[0], Crowd::new()?);
        for number in 0..usize::try_from(AT_ONCE)? {
            let game = visitor(node.address).create_game(&spec);
            people.connect(node.address, &format!("/g/{game}/ws"))?;
            people.send(number, r#"{"join":{"name":"Player"}}"#)?;
        }
        let count = "SELECT value FROM counters WHERE name = 'games'";
        while cluster.number(count)? < finished + AT_ONCE {
            ensure!(
                began.elapsed() < GAMES_LIMIT,
                "only {finished} of {FINISHED_GAMES} games have finished"
            );
            sleep(Duration::from_millis(200));
        }
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "figures of a report")]
fn float(number: u64) -> f64 {
    number as f64
}
