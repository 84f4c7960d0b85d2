//! Nodes and brokers are killed, hang and are cut off while 26 people play. Afterwards everything that anybody was shown
//! is in the logs that the brokers have, in that order; each log had one writer at a time; no key was applied twice; and
//! everybody sees the same game as the log.
//!
//! `NUGGETS_ROUNDS=200 cargo test -p nuggets --features cluster --test cluster faults -- --nocapture` does 200 rounds and
//! prints how long take-overs took; as root, also with nodes that are cut off from the brokers. By default it is done
//! 10 times. `NUGGETS_FAULT=HangOwner` chooses one fault, by its name in `Fault`.

mod fault;
mod figures;

use std::thread;
use std::time::{Duration, Instant};

use nuggets_game::{Rng, Seed};
use rustix::process::Signal;
use serde_json::json;

use crate::cluster::{Cluster, create_game, wait_for_game};
use crate::log::Logs;
use crate::network::{Namespace, Network};
use crate::players::{Player, Seen, play_classic, play_web};
use crate::terminal::{NUGGETS, Terminal, lines};
use crate::{LIMIT, now};
use fault::Fault;
use figures::Figures;

const GAMES: usize = 4;
const WEB_PLAYERS: usize = 20;
const UDP_PLAYERS: usize = 4;
const TERMINALS: usize = 2;
/// What is typed in each terminal before each fault.
const TYPED: &str = "hjkl";
/// A window that shows the largest map of the test and everything around it.
const WINDOW: (u16, u16) = (40, 130);
const MAPS: [&str; GAMES] = ["main", "maze", "cross", "edges"];

/// How much is done.
struct Extent {
    rounds: usize,
    seed: i64,
    namespaces: Option<Vec<Namespace>>,
    /// Only this fault.
    fault: Option<String>,
}

impl Extent {
    fn chosen() -> Self {
        let number = |name: &str| std::env::var(name).ok().map(|it| it.parse().expect("a number"));
        let rounds = number("NUGGETS_ROUNDS");
        let namespaces = rounds.and_then(|_| (1..=3).map(Namespace::new).collect());
        let rounds = rounds.map_or(10, |rounds| usize::try_from(rounds).unwrap());
        let fault = std::env::var("NUGGETS_FAULT").ok();
        Self { rounds, seed: number("NUGGETS_SEED").unwrap_or(1), namespaces, fault }
    }
}

/// A cluster with its games and clients.
struct Run {
    players: Vec<Player>,
    terminals: Vec<Terminal>,
    cluster: Cluster,
    logs: Logs,
    games: Vec<String>,
    rng: Rng,
    /// How often `TYPED` was typed in the terminals.
    typed: usize,
    figures: Figures,
}

impl Run {
    fn start(extent: &mut Extent) -> Self {
        let cluster = Cluster::start(extent.namespaces.take());
        // So many piles in so many rooms that people who walk about blindly never find all of them.
        let rules = json!({"gold": 5_000, "min_piles": 60, "max_piles": 60});
        let spec = |map: &str| json!({"map": {"built_in": map}, "rules": rules});
        let create = |(game, map): (usize, &&str)| {
            create_game(cluster.nodes[game % cluster.nodes.len()].address(), &spec(map))
        };
        let games: Vec<String> = MAPS.iter().enumerate().map(create).collect();
        let logs = Logs::connect(&cluster.urls(), &games);
        let rng = Rng::new(Seed::new(extent.seed));
        let (players, terminals, figures) = (vec![], vec![], Figures::default());
        let mut run = Self { players, terminals, cluster, logs, games, rng, typed: 0, figures };
        run.seat_everybody();
        run
    }

    /// 26 people take their seats, spread over games and nodes.
    fn seat_everybody(&mut self) {
        for node in &self.cluster.nodes {
            self.games.iter().for_each(|id| wait_for_game(node.address(), id));
        }
        for number in 0..WEB_PLAYERS {
            let (game, seed) = (number % GAMES, i64::try_from(number).unwrap());
            let nodes = self.cluster.addresses_from(number);
            let (id, name) = (self.games[game].clone(), format!("W{number}"));
            let run = move |kept: &_| play_web(kept, &nodes, &id, &name, seed);
            self.players.push(Player::start(game, run));
        }
        for number in 0..UDP_PLAYERS {
            let (game, seed) = (number % GAMES, i64::try_from(100 + number).unwrap());
            let nodes = self.cluster.addresses_from(number);
            let (id, name) = (self.games[game].clone(), format!("U{number}"));
            let run = move |kept: &_| play_classic(kept, &nodes, &id, &name, seed);
            let mut player = Player::start(game, run);
            player.shown.is_classic = true;
            self.players.push(player);
        }
        for number in 0..TERMINALS {
            let node = self.cluster.nodes[number].address();
            let link = format!("http://{node}/g/{}", self.games[number]);
            let args = ["player", &link, &format!("T{number}")];
            self.terminals.push(Terminal::start(WINDOW, NUGGETS, &args));
        }
        self.wait_until("everybody has a seat", |run| {
            run.players.iter().all(|player| player.seen().news.is_some())
        });
        for terminal in &self.terminals {
            terminal.wait_for(|screen| !lines(screen).is_empty());
        }
    }

    /// Something goes wrong; then everything comes back, and what was shown is compared with the logs.
    fn round(&mut self, chosen: Option<&str>) {
        self.logs.wait_until_settled();
        thread::sleep(Duration::from_millis(200 + u64::from(self.rng.below(1_000))));
        let can_cut = matches!(self.cluster.nodes[0].network, Network::Own(_));
        let fault = Fault::draw(&mut self.rng, can_cut, chosen);
        let game = self.rng.index(GAMES);
        let owner = self.owner(game);
        let broker = self.rng.index(self.cluster.brokers.len());
        let node = match fault {
            Fault::KillEdge => (owner + 1 + self.rng.index(2)) % self.cluster.nodes.len(),
            _ => owner,
        };
        let lost = match fault {
            Fault::KillBroker | Fault::KillMajority => vec![],
            _ => self.games_of(node),
        };
        self.type_in_terminals();
        let before = Before::of(self);
        let at = now();
        self.break_it(fault, node, broker);
        self.wait_for_take_overs(&before, &lost);
        self.wait_for_moves(fault, at, &lost);
        if fault == Fault::HangOwner {
            let address = self.cluster.nodes[node].address();
            self.wait_until("its clients have gone to other nodes", |run| {
                run.players.iter().all(|player| player.seen().node != Some(address))
            });
        }
        self.mend_it(fault, node, broker);
        self.cluster.brokers.wait_until_healthy();
        self.wait_until("all nodes are ready", Self::are_nodes_ready);
        self.compare();
    }

    fn break_it(&mut self, fault: Fault, node: usize, broker: usize) {
        match fault {
            Fault::KillOwner | Fault::KillEdge => self.cluster.nodes[node].kill(),
            Fault::KillBroker => self.cluster.brokers.kill(broker),
            Fault::HangOwner => self.cluster.nodes[node].signal(Signal::STOP),
            Fault::StopService => self.cluster.nodes[node].signal(Signal::TERM),
            Fault::CutOwner(cut) => self.namespace(node).cut(cut),
            Fault::KillMajority => {
                let other = (broker + 1) % self.cluster.brokers.len();
                for broker in [broker, other] {
                    self.cluster.brokers.kill(broker);
                }
                self.wait_until("everybody is told that the game is paused", |run| {
                    let told = |seen: &Seen| seen.notices.iter().any(|it| it.contains("paused"));
                    let mut web = run.players.iter().filter(|player| !player.shown.is_classic);
                    web.all(|player| told(&player.seen()))
                });
                for broker in [broker, other] {
                    self.cluster.brokers.start_again(broker);
                }
            }
        }
    }

    fn mend_it(&mut self, fault: Fault, node: usize, broker: usize) {
        match fault {
            Fault::KillOwner | Fault::KillEdge => self.cluster.nodes[node].start(),
            Fault::KillBroker => self.cluster.brokers.start_again(broker),
            Fault::HangOwner => self.cluster.nodes[node].signal(Signal::CONT),
            Fault::StopService => {
                let name = self.cluster.nodes[node].name.clone();
                assert!(
                    self.cluster.nodes[node].wait_for_end(),
                    "{name} did not stop as it should"
                );
                self.cluster.nodes[node].start();
            }
            Fault::CutOwner(_) => self.namespace(node).mend(),
            Fault::KillMajority => {}
        }
    }

    fn namespace(&self, node: usize) -> &Namespace {
        match &self.cluster.nodes[node].network {
            Network::Own(namespace) => namespace,
            Network::Shared => unreachable!("cuts are drawn only with namespaces"),
        }
    }

    /// The node that owns a game, as soon as one does.
    fn owner(&mut self, game: usize) -> usize {
        let id = self.games[game].clone();
        let mut found = None;
        self.wait_until("a game has an owner", |run| {
            let owned = run.logs.status().into_iter().find(|status| {
                status.owned.iter().any(|log| log.log == id && log.is_open && !log.is_paused)
            });
            found = owned.and_then(|status| run.node(&status.node));
            found.is_some()
        });
        found.unwrap()
    }

    fn node(&self, name: &str) -> Option<usize> {
        self.cluster.nodes.iter().position(|node| node.name == name)
    }

    /// The games that this node owns.
    fn games_of(&self, node: usize) -> Vec<usize> {
        let status = self.logs.status();
        let name = &self.cluster.nodes[node].name;
        let Some(status) = status.iter().find(|status| status.node == *name) else { return vec![] };
        let owns = |id: &String| status.owned.iter().any(|log| log.log == *id && log.is_open);
        (0..GAMES).filter(|game| owns(&self.games[*game])).collect()
    }

    fn are_nodes_ready(&mut self) -> bool {
        let ready = |condition: &str| condition == "ready";
        let status = self.logs.status();
        status.len() == self.cluster.nodes.len()
            && status.iter().all(|status| ready(&status.condition))
    }

    /// Waits until each of these games was opened by another owner.
    fn wait_for_take_overs(&mut self, before: &Before, lost: &[usize]) {
        self.wait_until("all games are taken over", |run| {
            run.logs.read_some();
            lost.iter().all(|game| {
                let id = run.games[*game].clone();
                run.logs.game(&id).opened.len() > before.opened[*game]
            })
        });
    }

    /// Waits until people see each game move, after it was taken over.
    fn wait_for_moves(&mut self, fault: Fault, at: Instant, lost: &[usize]) {
        let mut since = [at; GAMES];
        for game in lost {
            let id = self.games[*game].clone();
            since[*game] = self.logs.game(&id).opened.last().map_or(at, |(seen, _, _)| *seen);
        }
        let mut moved: [Option<Instant>; GAMES] = [None; GAMES];
        self.wait_until("people see all games move", |run| {
            for (game, moved) in moved.iter_mut().enumerate().filter(|(_, moved)| moved.is_none()) {
                let of_game = run.players.iter().filter(|player| player.game == game);
                let news = of_game.filter_map(|player| player.seen().news);
                *moved = news.filter(|news| *news > since[game]).min();
            }
            moved.iter().all(Option::is_some)
        });
        let after = |game: usize| moved[game].unwrap().duration_since(at);
        let pauses: Vec<Duration> = match fault {
            Fault::KillBroker | Fault::KillMajority => {
                (0..GAMES).map(after).max().into_iter().collect()
            }
            // Until it is their turn, its games go on.
            Fault::StopService => lost.iter().map(|game| self.longest_pause(*game, at)).collect(),
            _ => lost.iter().map(|game| after(*game)).collect(),
        };
        self.figures.pauses.push((fault, pauses));
    }

    /// The longest time without a picture for any player of a game, since then.
    fn longest_pause(&self, game: usize, since: Instant) -> Duration {
        let of_game = self.players.iter().filter(|player| player.game == game);
        let mut times: Vec<Instant> =
            of_game.flat_map(|player| player.seen().arrivals.clone()).collect();
        times.extend([since, now()]);
        times.sort_unstable();
        let later = times.partition_point(|time| *time < since);
        let pauses = times[later..].windows(2).map(|pair| pair[1].duration_since(pair[0]));
        pauses.max().unwrap_or_default()
    }

    /// Compares everything that was shown since the last time with the logs.
    fn compare(&mut self) {
        self.players.iter_mut().for_each(Player::collect);
        self.logs.read_all();
        for (game, id) in self.games.iter().enumerate() {
            let udp = self.players.iter().filter(|it| it.game == game && it.shown.is_classic);
            let letters: Vec<char> = udp.filter_map(|player| player.shown.view).collect();
            self.logs.game(id).play(&letters);
        }
        for player in &mut self.players {
            self.logs.game(&self.games[player.game]).find(&mut player.shown);
        }
    }

    /// Lets the terminals press a key, too.
    fn type_in_terminals(&mut self) {
        for terminal in &mut self.terminals {
            terminal.type_keys(TYPED);
        }
        self.typed += 1;
    }

    fn wait_until(&mut self, what: &str, mut is_so: impl FnMut(&mut Self) -> bool) {
        let started = now();
        while !is_so(self) {
            assert!(started.elapsed() < LIMIT, "waited in vain until {what}\n{}", self.report());
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// What the nodes and clients say, to find out why a test failed.
    fn report(&self) -> String {
        let players = self.players.iter().enumerate().map(|(number, player)| {
            let seen = player.seen();
            let since = seen.news.map(|news| news.elapsed());
            let Seen { letter, connections, sent, notices, failure, .. } = &*seen;
            let (game, sent) = (player.game, sent.len());
            let notice = notices.last();
            format!(
                "{number}: game {game} {letter:?}, {connections} connections, {sent} keys, news {since:?} ago, \
                 {notice:?} {failure:?}"
            )
        });
        let players: Vec<String> = players.collect();
        format!("{:#?}\n{}", self.logs.status(), players.join("\n"))
    }

    /// Everybody rests. Then everybody sees what the log says, and every key that was sent was applied once or not at all.
    fn finish(&mut self) {
        self.players.iter().for_each(|player| player.rest(true));
        self.wait_until("everybody sees the end of the log", |run| {
            run.compare();
            run.players.iter().all(|player| run.sees_the_end(player))
        });
        for game in 0..GAMES {
            self.check_terminals(game);
        }
        self.check_keys();
        let (games, logs) = (&self.games, &mut self.logs);
        self.figures.pictures = games.iter().map(|id| logs.game(id).found()).sum();
        self.figures.records = logs.records();
    }

    /// Each key of each client was applied once or not at all, and in the order in which they were pressed.
    fn check_keys(&mut self) {
        for player in &self.players {
            let letter = player.shown.view.unwrap();
            let applied = self.logs.game(&self.games[player.game]).keys_of(letter);
            let seen = player.seen();
            let kind = if player.shown.is_classic { "UDP" } else { "WebSocket" };
            expect_part_of(&applied, &seen.sent).unwrap_or_else(|why| {
                panic!("{letter} of game {} ({kind}): {why}", player.game);
            });
            self.figures.keys += seen.sent.len();
            self.figures.moves += applied.len();
            self.figures.connections += seen.connections;
        }
        for game in 0..TERMINALS {
            let typed: Vec<char> = TYPED.chars().cycle().take(self.typed * TYPED.len()).collect();
            for letter in self.letters_of_terminals(game) {
                let applied = self.logs.game(&self.games[game]).keys_of(letter);
                expect_part_of(&applied, &typed).unwrap_or_else(|why| {
                    panic!("{letter} of game {game} (terminal): {why}");
                });
                self.figures.keys += typed.len();
                self.figures.moves += applied.len();
            }
        }
    }

    /// The letters that belong to no other client.
    fn letters_of_terminals(&self, game: usize) -> Vec<char> {
        let of_game = self.players.iter().filter(|player| player.game == game);
        let known: Vec<Option<char>> = of_game.map(|player| player.shown.view).collect();
        ('A'..='Z').filter(|letter| !known.contains(&Some(*letter))).collect()
    }

    fn sees_the_end(&self, player: &Player) -> bool {
        let view = player.shown.view;
        let current = self.logs.current(&self.games[player.game], view);
        player.seen().picture == current
    }

    /// The terminals of this game show what the log says.
    fn check_terminals(&mut self, game: usize) {
        let Some(terminal) = self.terminals.get(game) else { return };
        let letters = self.letters_of_terminals(game).into_iter();
        let current = |letter| self.logs.current(&self.games[game], Some(letter));
        let pictures: Vec<String> = letters.filter_map(current).collect();
        terminal.wait_for(|screen| {
            let shown = lines(screen).join("\n");
            pictures.iter().any(|rows| {
                let rows = rows.lines().map(str::trim).filter(|row| !row.is_empty());
                rows.into_iter().all(|row| shown.contains(row))
            })
        });
    }
}

/// How many records each log had opened before a fault.
struct Before {
    opened: Vec<usize>,
}

impl Before {
    fn of(run: &mut Run) -> Self {
        run.logs.read_all();
        let opened = run.games.iter().map(|id| run.logs.game(id).opened.len()).collect();
        Self { opened }
    }
}

/// What was applied must be what was sent, in that order, without keys that had no effect or were lost. Clients
/// repeat all keys in one order, so one that is applied twice or late moves all that follow beyond the end.
fn expect_part_of(applied: &[char], sent: &[char]) -> Result<(), String> {
    let mut rest = sent.iter();
    match applied.iter().position(|key| !rest.any(|other| other == key)) {
        None => Ok(()),
        Some(at) => Err(format!("move {at} of {} has no key among {}", applied.len(), sent.len())),
    }
}

#[test]
fn whatever_is_killed_nothing_that_was_shown_is_lost() {
    let mut extent = Extent::chosen();
    let mut run = Run::start(&mut extent);
    for _ in 0..extent.rounds {
        run.round(extent.fault.as_deref());
        println!("round {}: {:?}", run.figures.rounds(), run.figures.pauses.last());
    }
    run.finish();
    print!("{}", run.figures);
    assert!(run.figures.pictures > 100 * extent.rounds as u64, "too little was shown");
}

#[test]
fn a_key_that_was_applied_twice_or_late_is_noticed() {
    let sent: Vec<char> = "hjklyubn".chars().collect();
    let applied = |keys: &str| expect_part_of(&keys.chars().collect::<Vec<_>>(), &sent);
    assert_eq!(applied("hkln"), Ok(()));
    assert!(applied("hhk").is_err() && applied("jh").is_err());
}
