//! The host is killed while many games are played, and started again. No client loses anything that it was ever
//! shown, and everybody comes back to the same seat.
//!
//! `NUGGETS_KILLS=200 cargo test -p nuggets --features host --test host killed` kills it 200 times, with 20 games and
//! 100 connections; by default it is done a few times with fewer.

use std::thread;
use std::time::Duration;

use nuggets_game::{Rng, Seed};
use nuggets_host::wire::ClientLine;
use nuggets_sim::host::Truth;
use nuggets_testkit::{LIMIT, WebHost, now};
use nuggets_time::Timestamp;
use serde_json::{Value, json};

use crate::client::Client;

const KEYS: &[u8] = b"hjklyubnHJKLYUBN";
/// Players of each game; one more connection watches.
const PLAYERS: usize = 4;
/// All games must be resumed by then, in the long form: a slow machine alone is no fault.
const RESUMED_WITHIN: Duration = Duration::from_secs(2);

/// How much is done.
struct Extent {
    kills: usize,
    games: usize,
    is_long: bool,
}

impl Extent {
    fn chosen() -> Self {
        match std::env::var("NUGGETS_KILLS") {
            Ok(kills) => {
                Self { kills: kills.parse().expect("a number of kills"), games: 20, is_long: true }
            }
            Err(_) => Self { kills: 4, games: 4, is_long: false },
        }
    }
}

/// A host with its games and clients.
struct Killed {
    host: WebHost,
    games: Vec<String>,
    truths: Vec<Truth>,
    clients: Vec<Client>,
    rng: Rng,
    slowest: Duration,
    /// Pictures found in the journals of games that are over.
    found: u64,
}

/// What a game is made of.
fn spec(game: usize) -> Value {
    let maps = ["main", "maze", "cross", "hole", "edges"];
    let bots = json!({"count": 1, "brain": "scout", "pace_ms": 250});
    json!({"map": {"built_in": maps[game % maps.len()]}, "bots": bots})
}

fn clients_of(game: usize) -> impl Iterator<Item = Client> {
    let names = (0..PLAYERS).map(|number| Some(format!("P{number}"))).chain([None]);
    names.map(move |name| Client::new(game, name))
}

impl Killed {
    fn start(games: usize) -> Self {
        let host = WebHost::start(env!("CARGO_BIN_EXE_nuggets"), &[]);
        let games: Vec<String> =
            (0..games).map(|game| host.visitor().create_game(&spec(game))).collect();
        let clients = (0..games.len()).flat_map(clients_of).collect();
        let truths = games.iter().map(|_| Truth::default()).collect();
        let rng = Rng::new(Seed::new(1));
        let mut killed =
            Self { host, games, truths, clients, rng, slowest: Duration::ZERO, found: 0 };
        killed.connect_all();
        killed
    }

    /// Connects everybody and waits until everybody has an answer.
    fn connect_all(&mut self) {
        let started = now();
        let visitor = self.host.visitor();
        for client in &mut self.clients {
            client.has_news = false;
            client.connect(&visitor, &self.games[client.game]);
        }
        while !self.clients.iter().all(|client| client.has_news) {
            assert!(started.elapsed() < LIMIT, "not everybody gets an answer");
            for client in &mut self.clients {
                client.receive();
                assert!(client.is_connected(), "rejected: {:?}", client.screen.errors);
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Everybody who has news presses a key, this many times.
    fn play(&mut self, rounds: usize) {
        for _ in 0..rounds {
            for client in &mut self.clients {
                client.receive();
                let presses = client.is_player() && !client.screen.is_over;
                if presses && (client.has_news || self.rng.below(8) == 0) {
                    client.has_news = false;
                    let key = KEYS[self.rng.index(KEYS.len())];
                    client.send(&ClientLine::Key(key.into()));
                }
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Kills the host, compares what was shown with the journals, and starts it again.
    fn kill(&mut self) {
        self.host.kill();
        while self.clients.iter().any(Client::is_connected) {
            self.clients.iter_mut().for_each(Client::receive);
        }
        self.compare_with_journals();
        let started = now();
        self.host.start_again();
        self.replace_finished_games();
        self.connect_all();
        self.slowest = self.slowest.max(started.elapsed());
    }

    /// Where a game was over, another begins, so that there are always as many.
    fn replace_finished_games(&mut self) {
        for game in 0..self.games.len() {
            if self.truths[game].is_over() {
                self.found += std::mem::take(&mut self.truths[game]).found;
                self.games[game] = self.host.visitor().create_game(&spec(game));
                self.clients.retain(|client| client.game != game);
                self.clients.extend(clients_of(game));
            }
        }
    }

    fn compare_with_journals(&mut self) {
        let at = Timestamp(0);
        for (id, truth) in self.games.iter().zip(&mut self.truths) {
            let file = self.host.folder().join("games").join(format!("{id}.journal"));
            let journal = std::fs::read(file).unwrap();
            truth.extend(at, &journal).unwrap();
        }
        for client in &mut self.clients {
            self.truths[client.game].find(&mut client.screen.shown, at).unwrap();
        }
    }
}

#[test]
fn a_host_killed_at_any_time_loses_nothing_that_was_shown() {
    let Extent { kills, games, is_long } = Extent::chosen();
    let mut killed = Killed::start(games);
    for _ in 0..kills {
        let rounds = 20 + killed.rng.index(120);
        killed.play(rounds);
        thread::sleep(Duration::from_micros(killed.rng.below(2_000).into()));
        killed.kill();
    }
    let running: u64 = killed.truths.iter().map(|truth| truth.found).sum();
    let found = killed.found + running;
    let (connections, slowest) = (killed.clients.len(), killed.slowest);
    println!(
        "{kills} kills, {games} games, {connections} connections: {found} pictures found in the journals; \
         all games resumed after at most {slowest:?}"
    );
    assert!(found > 50 * kills as u64, "only {found} pictures");
    assert!(!is_long || slowest <= RESUMED_WITHIN, "the slowest start took {slowest:?}");
}
