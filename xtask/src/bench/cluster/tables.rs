//! The size of all tables and indexes after many finished games, beside the live data: the same tables, rewritten without
//! a gap. The games are real ones of a node: created over HTTP, played by bots, stored, ended and rated.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, ensure};
use nuggets_testkit::now;

use super::float;
use super::load::LoadServers;
use crate::bench::figures::{BenchGoal, Figures, goals, table};
use crate::bench::host::Crowd;
use crate::bench::process::visitor;
use crate::tools::print_line;

const GAMES: u64 = 10_000;
/// Games that run at the same time.
const AT_ONCE: u64 = 100;
/// A small room in which two bots soon have all the gold.
const GAME: &str = r#"{
    "map": {"own": "+----------+\n|..........|\n|..........|\n|..........|\n|..........|\n+----------+\n"},
    "rules": {"gold": 40, "min_piles": 8, "max_piles": 10},
    "bots": {"count": 2, "brain": "scout", "pace_ms": 50},
    "visibility": "link"
}"#;
/// The games must end sometime.
const LIMIT: Duration = Duration::from_secs(3600);
/// Autovacuum looks once a minute.
const AUTOVACUUM: Duration = Duration::from_secs(130);
const SIZES: &str = "SELECT relname, pg_total_relation_size(oid) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname";

/// Bytes of each table with its indexes.
type Sizes = BTreeMap<String, u64>;

/// Measures it, and prints a table.
pub(super) fn measure(nuggets: &Path) -> anyhow::Result<Vec<BenchGoal>> {
    let cluster = LoadServers::cluster(nuggets, 1);
    play_games(&cluster)?;
    let at_end = sizes(&cluster)?;
    wait_for_autovacuum(&cluster)?;
    let vacuumed = sizes(&cluster)?;
    let rows =
        cluster.number("SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = 'journal'")?;
    cluster.psql("VACUUM (FULL, ANALYZE)");
    let live = sizes(&cluster)?;
    let kib = |bytes: Option<&u64>| (bytes.copied().unwrap_or(0) / 1024).to_string();
    let large = at_end.iter().filter(|(_, bytes)| **bytes > 64 * 1024);
    let rows_of_tables = large.map(|(table, bytes)| {
        vec![table.clone(), kib(Some(bytes)), kib(vacuumed.get(table)), kib(live.get(table))]
    });
    let sum = |sizes: &Sizes| float(sizes.values().sum::<u64>()) / 1024.0;
    let all = [&at_end, &vacuumed, &live].map(|sizes| format!("{:.0}", sum(sizes)));
    let all = [&["all".to_owned()][..], &all].concat();
    print_line(&format!(
        "\nTables and indexes after {GAMES} finished games with {rows} rows of journals, in KiB\n\n{}",
        table(" | at the end | after autovacuum | live data", rows_of_tables.chain([all]))
    ));
    let worst = sum(&at_end).max(sum(&vacuumed)) / sum(&live);
    let goal = "worst: at most 2: size of all tables, of the live data";
    Ok(goals(goal, &Figures::new([("worst", worst)])))
}

/// Lets games begin together and end, until there are enough. Bots begin when a person has joined.
fn play_games(cluster: &LoadServers) -> anyhow::Result<()> {
    let (began, spec) = (now(), serde_json::from_str(GAME)?);
    for finished in (0..GAMES).step_by(usize::try_from(AT_ONCE)?) {
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
            ensure!(began.elapsed() < LIMIT, "only {finished} of {GAMES} games have finished");
            sleep(Duration::from_millis(200));
        }
    }
    Ok(())
}

/// Waits until autovacuum has looked at the journals after the last game.
fn wait_for_autovacuum(database: &LoadServers) -> anyhow::Result<()> {
    let began = now();
    let dead = "SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'journal'";
    while began.elapsed() < AUTOVACUUM && database.number(dead)? > 5000 {
        sleep(Duration::from_secs(1));
    }
    Ok(())
}

fn sizes(database: &LoadServers) -> anyhow::Result<Sizes> {
    let answer = database.psql(SIZES);
    let size = |line: &str| {
        let (table, bytes) = line.split_once('|').context("a table without a size")?;
        Ok((table.to_owned(), bytes.parse()?))
    };
    answer.lines().map(size).collect()
}
