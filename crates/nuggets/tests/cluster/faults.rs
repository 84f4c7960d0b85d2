//! Nodes and the database are killed, hang, are cut off and full while 26 people play and 3 watch. After each fault every
//! game goes on by itself; everything that anybody was shown is in the journals that the database has, in that order; each
//! epoch had one writer; no key was applied twice; and games that ended have their results and ratings once.
//!
//! `NUGGETS_ROUNDS=200 cargo test -p nuggets --features host --test cluster faults -- --nocapture` does 200 rounds and
//! prints how long clients had to wait. By default there are 10. `NUGGETS_SEED=7` draws others, `NUGGETS_FAULT=HangOwner`
//! chooses one fault by its name in `Fault`.

mod fault;
mod figures;
mod short_games;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};

use nuggets_game::{Rng, Seed};
use nuggets_testkit::{LIMIT, PseudoTerminal, lines, now, wait_for};

use crate::NUGGETS;
use crate::cluster::Cluster;
use crate::http::{create_game, endless_game, find_game, get};
use crate::journals::Journals;
use crate::players::{Manner, Player, Seen};
use fault::{Extent, Fault};
use figures::Figures;

const WEB_PLAYERS: usize = 20;
const UDP_PLAYERS: usize = 4;
const TERMINALS: usize = 2;
const WATCHERS: usize = 3;
/// The keys that are typed in each terminal, again and again.
const TYPED: &str = "hjkl";
/// A window that shows the largest map of the test and everything around it.
const WINDOW: (u16, u16) = (40, 130);
const MAPS: [&str; 4] = ["main", "maze", "cross", "edges"];
/// Rounds with the same games: more would need much memory.
const ROUNDS_PER_RUN: usize = 10;

/// A longer pause is reported with the messages that the client got.
const SLOW: Duration = Duration::from_secs(3);

/// A fault, and the node that it is about.
type Strike = (Fault, usize);

/// A cluster with its games and clients.
struct Run {
    players: Vec<Player>,
    terminals: Vec<PseudoTerminal>,
    cluster: Cluster,
    journals: Journals,
    games: Vec<String>,
    rng: Rng,
    is_long: bool,
    /// Times that `TYPED` was typed in the terminals.
    typed: usize,
    short_games: usize,
}

impl Run {
    fn start(seed: i64, is_long: bool) -> Self {
        let cluster = Cluster::start();
        let create = |(game, map): (usize, &&str)| {
            create_game(cluster.nodes[game % cluster.nodes.len()].address(), &endless_game(map))
        };
        let games: Vec<String> = MAPS.iter().enumerate().map(create).collect();
        let mut run = Self {
            players: vec![],
            terminals: vec![],
            cluster,
            journals: Journals::of(&games),
            games,
            rng: Rng::new(Seed::new(seed)),
            is_long,
            typed: 0,
            short_games: 0,
        };
        run.seat_everybody();
        run
    }

    /// 26 people take their seats, spread over games and nodes, and some watch.
    fn seat_everybody(&mut self) {
        for node in &self.cluster.nodes {
            for id in &self.games {
                wait_for("a game at all nodes", || find_game(node.address(), id));
            }
        }
        for number in 0..WEB_PLAYERS {
            self.seat_on_the_web(number, Some(format!("W{number}")));
        }
        for number in 0..UDP_PLAYERS {
            let game = &self.games[number % self.games.len()];
            let seed = i64::try_from(100 + number).unwrap();
            let nodes = self.cluster.addresses_from(number);
            self.players.push(Player::over_udp(nodes, game, &format!("U{number}"), seed));
        }
        for number in 0..WATCHERS {
            self.seat_on_the_web(WEB_PLAYERS + number, None);
        }
        for number in 0..TERMINALS {
            let node = self.cluster.nodes[number].address();
            let link = format!("http://{node}/g/{}", self.games[number]);
            let args = ["player", &link, &format!("T{number}")];
            self.terminals.push(PseudoTerminal::start(WINDOW, NUGGETS, &args));
        }
        self.wait_until("everybody has a seat", |run| {
            run.players.iter().all(|player| !player.seen().arrivals.is_empty())
        });
        for terminal in &self.terminals {
            terminal.wait_for(|screen| !lines(screen).is_empty());
        }
    }

    fn seat_on_the_web(&mut self, number: usize, name: Option<String>) {
        // Some stay at a node that hangs, until it goes on.
        let patience = Duration::from_secs(if number % 7 == 3 { 40 } else { 2 });
        let manner = Manner { name, patience, seed: i64::try_from(number).unwrap() };
        let game = &self.games[number % self.games.len()];
        let nodes = self.cluster.addresses_from(number);
        self.players.push(Player::on_the_web(nodes, game, manner));
    }

    /// Something goes wrong; then everything comes back, and what was shown is compared with the journals. Returns words
    /// about it.
    fn round(&mut self, faults: &[Fault], figures: &mut Figures) -> String {
        self.spread_over_nodes();
        thread::sleep(Duration::from_millis(200 + u64::from(self.rng.below(1_000))));
        let strikes = self.aim(faults);
        let short_games = self.start_short_games(&strikes);
        self.type_in_terminals();
        let struck: Vec<usize> = strikes.iter().map(|(_, node)| *node).collect();
        let living = self.players_at_living_nodes(&struck);
        let lost = self.lost_games(&strikes);
        let at = now();
        let (away, until) = self.break_and_mend(&strikes, &lost, &living);
        self.wait_until_all_go_on();
        let until = until.unwrap_or_else(now);
        let pause = |player: &usize| self.players[*player].longest_pause(at, until);
        let pauses: Vec<Duration> = living.iter().map(pause).collect();
        let what = faults.iter().map(Fault::to_string).collect::<Vec<_>>().join(", ");
        let mut report = format!("{what}: longest pause {:?}, away {away:?}", pauses.iter().max());
        for (player, pause) in living.iter().zip(&pauses).filter(|(_, pause)| **pause > SLOW + away)
        {
            let Seen { node, notices, .. } = &*self.players[*player].seen();
            write!(report, "\n  {pause:?} at {node:?}: {notices:?}").unwrap();
        }
        figures.add(&what, away, &pauses);
        self.compare();
        figures.finished += short_games.len();
        for player in short_games {
            short_games::check(&self.cluster, player);
        }
        report
    }

    /// Clients on the web go back to their first nodes.
    fn spread_over_nodes(&mut self) {
        let of_web = |player: &&Player| !player.shown.is_classic;
        self.players.iter().filter(of_web).for_each(Player::go_home);
        self.wait_until("all clients are where they began", |run| {
            run.players.iter().filter(of_web).all(|player| player.seen().node.is_some())
        });
        let spread = now();
        self.wait_until("all clients have come back", |run| {
            run.players.iter().filter(of_web).all(|player| player.has_news_since(spread))
        });
    }

    /// The nodes that the faults are about: the owner of one game, and another one.
    fn aim(&mut self, faults: &[Fault]) -> Vec<Strike> {
        let game = self.games[self.rng.index(self.games.len())].clone();
        let cluster = &self.cluster;
        let owner = wait_for("the owner of a game", || cluster.owner(&game));
        let other = (owner + 1 + self.rng.index(2)) % cluster.nodes.len();
        let third = 3 - owner - other;
        let mut strikes: Vec<Strike> = vec![];
        for fault in faults {
            let wanted = if fault.is_about_owner() { owner } else { other };
            let is_struck =
                |node: &usize| strikes.iter().any(|(it, at)| it.is_about_one_node() && at == node);
            let node = [wanted, other, third].into_iter().find(|node| !is_struck(node)).unwrap();
            strikes.push((*fault, node));
        }
        strikes
    }

    fn start_short_games(&mut self, strikes: &[Strike]) -> Vec<Player> {
        let nodes = [strikes[0].1, (strikes[0].1 + 1) % self.cluster.nodes.len()];
        nodes
            .into_iter()
            .map(|node| {
                self.short_games += 1;
                short_games::start(&self.cluster, node, self.short_games)
            })
            .collect()
    }

    /// The clients on the web whose nodes nothing happens to.
    fn players_at_living_nodes(&self, struck: &[usize]) -> Vec<usize> {
        let struck: Vec<_> =
            struck.iter().map(|node| self.cluster.nodes[*node].address()).collect();
        let lives =
            |player: &Player| player.seen().node.is_some_and(|node| !struck.contains(&node));
        (0..self.players.len()).filter(|player| lives(&self.players[*player])).collect()
    }

    /// The games that another node must take over, with their epochs.
    fn lost_games(&mut self, strikes: &[Strike]) -> BTreeMap<String, u64> {
        self.journals.read(|sql| self.cluster.query(sql));
        let nodes = strikes.iter().filter(|(fault, _)| fault.ends_ownership());
        let nodes: Vec<usize> = nodes.map(|(_, node)| *node).collect();
        let is_lost = |id: &&String| self.cluster.owner(id).is_some_and(|it| nodes.contains(&it));
        let lost = self.games.iter().filter(is_lost);
        lost.map(|id| (id.clone(), self.journals.last_epoch(id))).collect()
    }

    /// Returns the time in which the database or all nodes were away, and when all clients at living nodes saw the games go
    /// on, unless that is after it was mended.
    fn break_and_mend(
        &mut self,
        strikes: &[Strike],
        lost: &BTreeMap<String, u64>,
        living: &[usize],
    ) -> (Duration, Option<Instant>) {
        let (at, mut away, mut until) = (now(), Duration::ZERO, None);
        for (fault, node) in strikes {
            let began = now();
            fault.begin(&mut self.cluster, *node);
            if fault.is_about_database() {
                away += began.elapsed();
            }
        }
        if !strikes.iter().any(|(fault, _)| fault.stops_all()) {
            self.wait_for_take_overs(lost, living);
            until = Some(now());
        }
        let lasts = strikes.iter().map(|(fault, _)| fault.lasts(&mut self.rng, self.is_long)).max();
        thread::sleep(lasts.unwrap_or_default().saturating_sub(at.elapsed()));
        for (fault, node) in strikes {
            fault.mend(&mut self.cluster, *node);
            if fault.stops_all() {
                away = at.elapsed();
            }
        }
        (away, until)
    }

    /// Waits until other nodes have these games, and all clients at living nodes see them move.
    fn wait_for_take_overs(&mut self, lost: &BTreeMap<String, u64>, living: &[usize]) {
        self.wait_until("all games are taken over", |run| {
            run.journals.read(|sql| run.cluster.query(sql));
            lost.iter().all(|(id, epoch)| run.journals.last_epoch(id) > *epoch)
        });
        let taken = now();
        self.wait_until("clients at living nodes see all games move", |run| {
            living.iter().all(|player| run.players[*player].has_news_since(taken))
        });
    }

    /// Waits until everybody sees something new, and a key of everybody acts. Players over UDP must look for the new port.
    fn wait_until_all_go_on(&mut self) {
        let mended = now();
        self.wait_until("everybody sees something new", |run| {
            let goes_on =
                |player: &Player| player.has_news_since(mended) || player.shown.is_classic;
            run.players.iter().all(goes_on)
        });
        self.journals.read(|sql| self.cluster.query(sql));
        let before = self.applied();
        let mut asked = mended;
        self.wait_until("a key of everybody acts", |run| {
            if asked.elapsed() > Duration::from_secs(1) {
                asked = now();
                run.type_in_terminals();
            }
            thread::sleep(Duration::from_millis(100));
            run.journals.read(|sql| run.cluster.query(sql));
            run.applied().iter().all(|(who, keys)| *keys > before[who])
        });
        for node in &self.cluster.nodes {
            wait_for("a healthy node", || {
                get(node.address(), "/healthz").filter(|answer| answer.status == 200)
            });
        }
    }

    /// The number of keys of each player on the web and in terminals that have acted.
    fn applied(&mut self) -> BTreeMap<String, usize> {
        let mut applied = BTreeMap::new();
        for game in &self.games {
            let seats = self.journals.seats(game).iter().filter(|seat| !seat.name.starts_with('U'));
            applied.extend(seats.map(|seat| (seat.name.clone(), seat.keys.len())));
        }
        applied
    }

    /// Compares everything that was shown since the last time with the journals.
    fn compare(&mut self) {
        self.players.iter_mut().for_each(Player::collect);
        self.journals.read(|sql| self.cluster.query(sql));
        self.journals.find_shown(&mut self.players);
    }

    /// Lets the terminals press some keys.
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

    /// The state of nodes, games and clients, to find out why a test failed.
    fn report(&self) -> String {
        let rows = |sql| {
            let rows = catch_unwind(AssertUnwindSafe(|| self.cluster.query(sql)));
            rows.unwrap_or_else(|_| "no database".to_owned())
        };
        let players = self.players.iter().enumerate().map(|(number, player)| {
            let seen = player.seen();
            let since = seen.arrivals.last().map(Instant::elapsed);
            let Seen { screen, connections, sent, notices, failure, node, .. } = &*seen;
            let (letter, sent, notice) = (screen.shown.view, sent.len(), notices.last());
            let game = &player.game;
            format!(
                "{number}: game {game} {letter:?} at {node:?}, {connections} connections, {sent} keys, news {since:?} ago, \
                 {notice:?} {failure:?}"
            )
        });
        let players: Vec<String> = players.collect();
        let nodes = rows("SELECT name, run, address, renewal, is_draining FROM nodes");
        let games = rows("SELECT game, node, run, epoch, is_over FROM running");
        format!("nodes:\n{nodes}\ngames:\n{games}\n{}", players.join("\n"))
    }

    /// Everybody rests. Then everybody sees the end of the journal, and every key that was sent was applied once or not
    /// at all.
    fn finish(&mut self, figures: &mut Figures) {
        self.players.iter().for_each(Player::rest);
        self.wait_until("everybody sees the end of the journal", |run| {
            run.compare();
            run.players.iter().all(|player| {
                let current = run.journals.current(&player.game, player.shown.view);
                Some(player.seen().screen.picture().rows) == current
            })
        });
        self.journals.check_unchanged(|sql| self.cluster.query(sql));
        (0..TERMINALS).for_each(|game| self.check_terminal(game));
        self.check_keys(figures);
        let (rows, pictures) = self.journals.size();
        figures.pictures += pictures;
        figures.rows += rows;
    }

    /// Each key of each client was applied once or not at all, and in the order in which they were pressed.
    fn check_keys(&mut self, figures: &mut Figures) {
        let mut sent: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for player in &self.players {
            let seen = player.seen();
            figures.connections += seen.connections;
            sent.extend(player.name.clone().map(|name| (name, seen.sent.clone())));
        }
        let typed = TYPED.repeat(self.typed).into_bytes();
        sent.extend((0..TERMINALS).map(|number| (format!("T{number}"), typed.clone())));
        for game in &self.games {
            for seat in self.journals.seats(game) {
                let sent = &sent[&seat.name];
                seat.find_keys(|at| sent.get(at).copied()).unwrap();
                figures.keys += sent.len();
                figures.moves += seat.keys.len();
            }
        }
    }

    /// The terminal of this game shows what the journal says.
    fn check_terminal(&mut self, game: usize) {
        let (id, name) = (&self.games[game], format!("T{game}"));
        let seat = self.journals.seats(id).iter().position(|seat| seat.name == name).unwrap();
        let letter = char::from(b'A' + u8::try_from(seat).unwrap());
        let rows = self.journals.current(id, Some(letter)).unwrap();
        self.terminals[game].wait_for(|screen| {
            let shown = lines(screen).join("\n");
            let mut rows = rows.lines().map(str::trim).filter(|row| !row.is_empty());
            rows.all(|row| shown.contains(row))
        });
    }
}

#[test]
fn every_game_goes_on_by_itself_and_nothing_that_was_shown_is_lost() {
    let extent = Extent::chosen();
    let mut figures = Figures::default();
    let mut rng = Rng::new(Seed::new(extent.seed));
    for first in (0..extent.rounds).step_by(ROUNDS_PER_RUN) {
        let mut run = Run::start(extent.seed + i64::try_from(first).unwrap(), extent.is_long);
        for round in first..extent.rounds.min(first + ROUNDS_PER_RUN) {
            let faults = extent.faults(round, &mut rng);
            if faults.contains(&Fault::FillDisk) && !run.cluster.databases.has_small_disk {
                println!("skipped: no small disk can be mounted here");
                continue;
            }
            println!("round {round}: {}", run.round(&faults, &mut figures));
        }
        run.finish(&mut figures);
    }
    print!("{figures}");
    assert!(figures.pictures > 100 * extent.rounds as u64, "too little was shown");
}
