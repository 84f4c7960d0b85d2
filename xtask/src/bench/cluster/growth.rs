//! 1, 2 and 3 nodes, idle and with many games each: what a key costs when nodes are added and each brings its own players.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use super::processes::{Cluster, Database, Used};
use super::{PLAYERS, float};
use crate::bench::host::{HostWorld, Pace, Percentiles, Round, median};
use crate::bench::report::Goal;
use crate::tools::print_line;

const NODES: [usize; 3] = [1, 2, 3];
/// Games that each node runs.
const GAMES: usize = 6;
const PACE: Pace = Pace { keys_per_s: 100, keys: 500 };
const TURNS: usize = 3;
/// The time for which an idle cluster is looked at.
const IDLE: Duration = Duration::from_secs(10);

/// All that one turn of all nodes together used.
struct Turn {
    keys: u64,
    latencies: Vec<Duration>,
    used: Used,
}

/// Measures it, and prints a table.
pub(super) fn measure(nuggets: &Path) -> anyhow::Result<Vec<Goal>> {
    print_line(&format!(
        "\nGrowth: each node runs {GAMES} games of {PLAYERS} players, who are at the next node and press {} keys per \
         second; medians of {TURNS} turns\n\n\
         | nodes | games | keys per second | p50 | p99 | nodes per key | database per key | commits per key | \
         idle: each node | idle: database | idle: transactions per second |\n\
         |---|---|---|---|---|---|---|---|---|---|---|",
        PACE.keys_per_s
    ));
    for count in NODES {
        let cluster = Cluster::start(nuggets, Database::alone(), count)?;
        let idle = look_at_idle(&cluster)?;
        let mut worlds = join_games(&cluster)?;
        // The first turn warms up.
        play(&cluster, &mut worlds)?;
        let turns = (0..TURNS).map(|_| play(&cluster, &mut worlds));
        let turns = turns.collect::<anyhow::Result<Vec<Turn>>>()?;
        let row = [count.to_string(), (GAMES * count).to_string()];
        let keys_per_s = PACE.keys_per_s as usize * count;
        print_line(&format!("| {} | {keys_per_s} | {} | {idle} |", row.join(" | "), costs(&turns)));
    }
    Ok(Vec::new())
}

fn join_games(cluster: &Cluster) -> anyhow::Result<Vec<HostWorld>> {
    let count = cluster.nodes.len();
    let join = |number: usize| {
        let (owner, edge) = (&cluster.nodes[number], &cluster.nodes[(number + 1) % count]);
        let mut world = HostWorld::join_over(edge, owner)?;
        world.add_games(GAMES)?;
        Ok(world)
    };
    (0..count).map(join).collect()
}

/// The columns about keys.
fn costs(turns: &[Turn]) -> String {
    let of = |figure: &dyn Fn(&Turn) -> f64| median(turns.iter().map(figure).collect());
    let per_key =
        |figure: fn(&Used) -> u64| of(&|turn| float(figure(&turn.used)) / float(turn.keys));
    let ms =
        |figure: fn(&Percentiles) -> f64| of(&|turn| figure(&Percentiles::of(&turn.latencies)));
    format!(
        "{:.2} ms | {:.2} ms | {:.0} µs | {:.0} µs | {:.2}",
        ms(|it| it.p50),
        ms(|it| it.p99),
        per_key(|used| used.nodes_ns) / 1e3,
        per_key(|used| used.database_ns) / 1e3,
        per_key(|used| used.commits)
    )
}

/// The columns about a cluster without games: processor time in each second, and transactions.
fn look_at_idle(cluster: &Cluster) -> anyhow::Result<String> {
    let transactions = || {
        // A server counts a transaction up to a second later.
        sleep(Duration::from_secs(2));
        let sql = "SELECT xact_commit FROM pg_stat_database WHERE datname = 'nuggets'";
        cluster.database.number(sql)
    };
    let (transactions_before, before) = (transactions()?, cluster.used()?);
    sleep(IDLE);
    let used = cluster.used()?.since(before);
    let transactions = transactions()? - transactions_before;
    // The two seconds before the second look belong to it.
    let transactions_per_s = float(transactions) / (IDLE + Duration::from_secs(2)).as_secs_f64();
    let ms_per_s = |ns: u64| float(ns) / 1e6 / IDLE.as_secs_f64();
    let node = ms_per_s(used.nodes_ns) / float(cluster.nodes.len() as u64);
    let database = ms_per_s(used.database_ns);
    Ok(format!("{node:.1} ms/s | {database:.1} ms/s | {transactions_per_s:.0}"))
}

/// All players of all nodes press keys at the same time.
fn play(cluster: &Cluster, worlds: &mut [HostWorld]) -> anyhow::Result<Turn> {
    let before = cluster.used()?;
    let rounds = std::thread::scope(|scope| {
        let playing: Vec<_> =
            worlds.iter_mut().map(|world| scope.spawn(|| world.play(PACE))).collect();
        let ended = playing.into_iter().map(|thread| {
            thread.join().map_err(|_| anyhow::anyhow!("the players of a node have panicked"))?
        });
        ended.collect::<anyhow::Result<Vec<Round>>>()
    })?;
    Ok(Turn {
        keys: rounds.iter().map(|round| u64::from(round.keys)).sum(),
        latencies: rounds.iter().flat_map(|round| round.latencies.clone()).collect(),
        used: cluster.used()?.since(before),
    })
}
