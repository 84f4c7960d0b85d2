//! A host without a database is killed while many games are played, and started again. No client loses anything that it was
//! ever shown, and all clients come back to the same seats.
//!
//! `NUGGETS_KILLS=200 cargo test -p nuggets --features host --test cluster killed` kills it 200 times, with 20 games and
//! 100 connections; by default it is done a few times with fewer.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use nuggets_game::{Rng, Seed};
use nuggets_sim::host::Truth;
use nuggets_testkit::{LIMIT, WebHost, now, wait_until};
use nuggets_time::Timestamp;
use serde_json::json;

use crate::NUGGETS;
use crate::http::endless_game;
use crate::players::{Manner, Player};

/// Players of each game; one more connection watches.
const PLAYERS: usize = 4;
const MAPS: [&str; 5] = ["main", "maze", "cross", "hole", "edges"];
/// All games must be resumed by then, in the long form: a slow machine alone is not a fault.
const RESUMED_WITHIN: Duration = Duration::from_secs(2);

/// Creates a game and seats its players.
fn start_game(host: &WebHost, game: usize) -> (String, Vec<Player>) {
    let mut spec = endless_game(MAPS[game % MAPS.len()]);
    spec["bots"] = json!({"count": 1, "brain": "scout", "pace_ms": 250});
    let id = host.visitor().create_game(&spec);
    let seat = |number: usize| {
        let name = (number < PLAYERS).then(|| format!("P{number}"));
        let seed = i64::try_from(game * (PLAYERS + 1) + number).unwrap();
        Player::on_the_web(vec![host.address()], &id, Manner { name, patience: LIMIT, seed })
    };
    let players = (0..=PLAYERS).map(seat).collect();
    (id, players)
}

#[test]
fn a_host_killed_at_any_time_loses_nothing_that_was_shown() {
    let asked = std::env::var("NUGGETS_KILLS").ok();
    let asked: Option<usize> = asked.map(|kills| kills.parse().expect("a number of kills"));
    let (kills, games) = asked.map_or((4, 4), |kills| (kills, 20));
    let (mut rng, at) = (Rng::new(Seed::new(1)), Timestamp(0));
    let mut host = WebHost::start(NUGGETS, &[]);
    let (mut truths, mut players) = (BTreeMap::new(), vec![]);
    for game in 0..games {
        let (id, seated) = start_game(&host, game);
        truths.insert(id, Truth::default());
        players.extend(seated);
    }
    let (mut started, mut slowest) = (now(), Duration::ZERO);
    for _ in 0..kills {
        wait_until("all clients are shown their games", || {
            players.iter().all(|player| player.has_news_since(started))
        });
        thread::sleep(Duration::from_micros((300_000 + rng.below(500_000)).into()));
        host.kill();
        wait_until("all connections are closed", || {
            players.iter().all(|player| player.seen().node.is_none())
        });
        players.iter_mut().for_each(Player::collect);
        for (id, truth) in &mut truths {
            let file = host.folder().join("games").join(format!("{id}.journal"));
            truth.extend(at, &std::fs::read(file).unwrap()).unwrap();
        }
        for player in &mut players {
            let truth = truths.get_mut(&player.game).unwrap();
            truth.find(&mut player.shown, at).unwrap();
        }
        started = now();
        host.start_again();
        wait_until("all clients are back", || {
            players.iter().all(|player| player.has_news_since(started))
        });
        slowest = slowest.max(started.elapsed());
    }
    let found: u64 = truths.values().map(|truth| truth.found).sum();
    println!(
        "{kills} kills, {games} games, {} connections: {found} pictures found in the journals; all games resumed after at most \
         {slowest:?}",
        players.len()
    );
    assert!(found > 50 * kills as u64, "only {found} pictures");
    assert!(asked.is_none() || slowest <= RESUMED_WITHIN, "the slowest start took {slowest:?}");
}
