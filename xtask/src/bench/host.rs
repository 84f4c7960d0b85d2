//! `nuggets serve` under load, compared with a bare loop on the same WebSocket stack that sends the same messages to as
//! many connections. Both are processes of their own and take turns; this one plays and watches.

mod crowd;
mod drive;
mod player;

pub(crate) use crowd::{Crowd, raise_open_files};
pub(crate) use drive::{BenchRound, HostWorld, Pace};

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;

use super::PLAYERS;
use super::figures::{FigureRows, Figures, median, percentile};
use super::process::MeasuredServer;
use crate::tools::print_line;
use drive::{BareWorld, LoadSize};

/// A picture of the 21x79 map in the classic protocol: `DISPLAY`, a newline, and the rows with theirs.
pub(crate) const CLASSIC_BYTES: f64 = 8.0 + 21.0 * 80.0;
/// Watchers in the largest load.
const WATCHERS: usize = 10_000;
/// Idle games whose memory is measured.
const IDLE_GAMES: usize = 100;
/// Open files of a process besides watchers: players, journals, libraries.
const OTHER_FILES: u64 = 1000;
/// The host keeps for 20 seconds what a page that was closed may come back for.
const IDLE_TIME: Duration = Duration::from_secs(22);
/// After a pause all timers of a host are due at once.
const AFTER_PAUSE: Duration = Duration::from_secs(1);

/// How many keys a load has, and how often host and bare loop take turns.
type LoadPlan = (Pace, usize);
const ONE_GAME: LoadPlan = (Pace { keys_per_s: 250, keys: 1000 }, 5);
const FEW_WATCHERS: LoadPlan = (Pace { keys_per_s: 200, keys: 800 }, 3);
const MANY_WATCHERS: LoadPlan = (Pace { keys_per_s: 200, keys: 1000 }, 5);

/// Everything that was measured at the host.
#[derive(Clone, Debug)]
pub(crate) struct HostFigures {
    /// One key a second of each player; the first has one busy game.
    pub(crate) by_games: FigureRows,
    /// Watchers of a busy game.
    pub(crate) by_watchers: FigureRows,
    /// `p99 ratio` from key to picture with all watchers, compared with none; resident memory of a watcher, of a connection
    /// of the bare loop and of an idle game: `watcher KB`, `bare KB` and `game KB`.
    pub(crate) others: Figures,
}

/// Measures everything.
pub(crate) fn measure(nuggets: &Path, bare: &Path) -> anyhow::Result<HostFigures> {
    raise_open_files(WATCHERS as u64 + OTHER_FILES)?;
    let by_games = measure_games(nuggets, bare, &[1, 10, 30, 100])?;
    let (by_watchers, others) = measure_watchers(nuggets, bare)?;
    let others = others.with([("game KB", measure_idle_games(nuggets)?)]);
    Ok(HostFigures { by_games, by_watchers, others })
}

/// Measures and prints a host with more and more games: a single one is busy, of several each player presses one key a second.
pub(crate) fn measure_games(
    nuggets: &Path,
    bare: &Path,
    counts: &[usize],
) -> anyhow::Result<FigureRows> {
    let host = MeasuredServer::host(nuggets)?;
    let mut world = HostWorld::join(&host, &host)?;
    let mut measure = |games: &usize| {
        world.add_games(*games)?;
        let keys_per_s = u32::try_from(games * PLAYERS)?;
        let several = (Pace { keys_per_s, keys: 5 * keys_per_s }, 3);
        compare(&mut world, bare, if *games == 1 { ONE_GAME } else { several })
    };
    counts.iter().map(&mut measure).collect()
}

/// Lets a host and a bare loop take turns. Returns the cost after the number of games.
fn compare(
    world: &mut HostWorld,
    bare: &Path,
    (pace, turns): LoadPlan,
) -> anyhow::Result<(String, Figures)> {
    announce(world.size(), pace);
    let mut bare = BareWorld::start(bare, world.size())?;
    let keys = u32::try_from(world.size().games * 100)?;
    let warm_up = world.play(Pace { keys_per_s: keys.min(2600), keys })?;
    bare.play(&warm_up)?;
    let turns = (0..turns).map(|_| {
        let host = world.play(pace)?;
        Ok((bare.play(&host)?, host))
    });
    let rounds = turns.collect::<anyhow::Result<Vec<_>>>()?;
    Ok(cost(world.size(), pace, &rounds, ""))
}

fn announce(LoadSize { games, watchers }: LoadSize, pace: Pace) {
    print_line(&format!(
        "xtask: measuring the host with {games} games of {PLAYERS}, {watchers} watchers, {} keys per second",
        pace.keys_per_s
    ));
}

fn measure_watchers(nuggets: &Path, bare: &Path) -> anyhow::Result<(FigureRows, Figures)> {
    let host = MeasuredServer::host(nuggets)?;
    let mut world = HostWorld::join(&host, &host)?;
    let mut by_watchers = vec![compare(&mut world, bare, FEW_WATCHERS)?];
    let before_kib = world.process.usage.memory_kib("VmRSS:")?;
    for count in [100, 1000] {
        world.add_watchers(count)?;
        by_watchers.push(compare(&mut world, bare, FEW_WATCHERS)?);
    }
    world.add_watchers(WATCHERS)?;
    let size = world.size();
    announce(size, MANY_WATCHERS.0);
    let (watched, p99_ratios) = take_turns_with_quiet(&mut world, nuggets)?;
    let watcher_kb =
        kb_each(world.process.usage.memory_kib("VmRSS:")?.saturating_sub(before_kib), WATCHERS);
    // The bare loop comes afterwards: both together would need twice as many open files in this process.
    drop(world);
    let mut bare = BareWorld::start(bare, size)?;
    let replays = watched.into_iter().map(|host| Ok((bare.play(&host)?, host)));
    let rounds = replays.collect::<anyhow::Result<Vec<_>>>()?;
    let compared = format!("; p99 compared with none {p99_ratios:.2?}");
    by_watchers.push(cost(size, MANY_WATCHERS.0, &rounds, &compared));
    let others = Figures::new([
        ("p99 ratio", median(p99_ratios)),
        ("watcher KB", watcher_kb),
        ("bare KB", kb_each(bare.connections_kib()?, WATCHERS + PLAYERS)),
    ]);
    Ok((by_watchers, others))
}

/// Lets a host with watchers take turns with one that has none, and compares each two rounds.
fn take_turns_with_quiet(
    world: &mut HostWorld,
    nuggets: &Path,
) -> anyhow::Result<(Vec<BenchRound>, Vec<f64>)> {
    let (pace, turns) = MANY_WATCHERS;
    let host = MeasuredServer::host(nuggets)?;
    let mut quiet = HostWorld::join(&host, &host)?;
    let (mut rounds, mut p99_ratios) = (Vec::new(), Vec::new());
    for turn in 0..=turns {
        world.process.signal(Signal::STOP);
        let alone = quiet.play(pace)?;
        world.process.signal(Signal::CONT);
        std::thread::sleep(AFTER_PAUSE);
        let watched = world.play(pace)?;
        // The first turn warms both up.
        if turn > 0 {
            let p99 = |round: &BenchRound| percentile(&round.latencies, 99);
            p99_ratios.push(p99(&watched) / p99(&alone));
            rounds.push(watched);
        }
    }
    Ok((rounds, p99_ratios))
}

/// The memory of a game whose 26 players have walked for a while and closed their pages. As many games come before: what
/// connections and views needed for a short time is used again by those that follow.
fn measure_idle_games(nuggets: &Path) -> anyhow::Result<f64> {
    print_line(&format!("xtask: measuring the memory of {IDLE_GAMES} idle games"));
    let host = MeasuredServer::host(nuggets)?;
    let visit =
        |_| HostWorld::join(&host, &host)?.play(Pace { keys_per_s: 2600, keys: 520 }).map(drop);
    (0..IDLE_GAMES).try_for_each(visit)?;
    std::thread::sleep(IDLE_TIME);
    let before_kib = host.usage.memory_kib("VmRSS:")?;
    (0..IDLE_GAMES).try_for_each(visit)?;
    std::thread::sleep(IDLE_TIME);
    Ok(kb_each(host.usage.memory_kib("VmRSS:")?.saturating_sub(before_kib), IDLE_GAMES))
}

#[expect(clippy::cast_precision_loss, reason = "kilobytes")]
fn kb_each(kib: u64, count: usize) -> f64 {
    kib as f64 * 1.024 / count as f64
}

/// The cost of one load for the bare loop and the host, for each key: the median of each figure of all rounds, after the
/// number of games. Prints a line for people who wait for the report.
///
/// `host µs` and `bare µs` are processor time; `host …` and `bare …` are times from key to picture, `behind …` says how
/// far watchers are behind, in milliseconds; `messages` go to players; `bytes` is the median of what a player is sent
/// who is sent anything.
#[expect(clippy::cast_precision_loss, reason = "figures of a report")]
fn cost(
    size: LoadSize,
    pace: Pace,
    rounds: &[(BenchRound, BenchRound)],
    remark: &str,
) -> (String, Figures) {
    let round = |(bare, host): &(BenchRound, BenchRound)| {
        let [host_us, bare_us] =
            [host, bare].map(|round| round.cpu_ns as f64 / 1e3 / f64::from(round.keys));
        let bytes = median(bytes_per_key_and_player(host));
        let messages: usize = host.keys_sent.iter().map(|order| order.to.len()).sum();
        Figures::new([
            ("host µs", host_us),
            ("bare µs", bare_us),
            ("ratio", host_us / bare_us),
            ("messages", messages as f64 / f64::from(host.keys)),
            ("bytes", bytes),
            ("of classic %", 100.0 * bytes / CLASSIC_BYTES),
        ])
        .with_times("host", &host.latencies)
        .with_times("bare", &bare.latencies)
        .with_times("behind", &host.behind)
    };
    let rounds: Vec<Figures> = rounds.iter().map(round).collect();
    let cost = Figures::medians(&rounds).with([
        ("games", size.games as f64),
        ("watchers", size.watchers as f64),
        ("keys a second", pace.keys_per_s.into()),
    ]);
    let [host_us, bare_us, ratio] = ["host µs", "bare µs", "ratio"].map(|name| cost.get(name));
    let ms = ["host p50", "host p99", "bare p50", "bare p99", "behind p99", "behind max"];
    let [host_p50, host_p99, bare_p50, bare_p99, behind, max] = ms.map(|name| cost.get(name));
    print_line(&format!(
        "xtask: {host_us:.0} µs per key, bare loop {bare_us:.0} µs, ratio {ratio:.2}; p50/p99 {host_p50:.2}/{host_p99:.2} \
         ms, bare loop {bare_p50:.2}/{bare_p99:.2} ms; watchers behind p99 {behind:.0} ms, at most {max:.0} ms{remark}"
    ));
    (size.games.to_string(), cost)
}

#[expect(clippy::cast_precision_loss, reason = "bytes")]
fn bytes_per_key_and_player(round: &BenchRound) -> Vec<f64> {
    let of_key = |to: &[(usize, usize)]| {
        let mut bytes: BTreeMap<usize, usize> = BTreeMap::new();
        for (player, count) in to {
            *bytes.entry(*player).or_default() += count;
        }
        bytes.into_values()
    };
    round.keys_sent.iter().flat_map(|order| of_key(&order.to)).map(|bytes| bytes as f64).collect()
}
