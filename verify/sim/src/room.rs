//! One game over a bad network, in one thread and in virtual time, fixed by a seed in every byte.
//!
//! Clients and a room exchange datagrams through a network; the room is compared with the naive model of the rules
//! after every datagram. The server crashes and is restarted from its journal. At last either the game is over, and every client that could receive the result must have it, or the network
//! becomes perfect, and every client that can be reached must have the right picture.

mod client;
mod crashes;
mod plan;
mod script;
mod settling;
#[cfg(test)]
mod tests;

use nuggets_game::{Game, Map, Setup};
use nuggets_model::Outgoing;
use nuggets_server::{Room, Timestamp};
use nuggets_session::SessionOutcome;

use crate::checked_room::{CheckedRoom, EndSent, ShownView, model_of};
use crate::kit::{RunLog, Sabotage, Simulation};
use crate::net::{Arrival, ArrivedMessage, Endpoint, Network, Tally};
use client::Client;
use crashes::Crashes;

pub use plan::{ClientKind, ClientPlan, CrashKind, CrashPlan, RoomPlan};

/// A game of bots that is not over by then never will be.
const MAX_GAME_TIME: Timestamp = Timestamp(600_000);
/// How long clients can still receive after the room has closed.
const AFTER_CLOSE_MS: u64 = 8_000;
/// How often the table is sent to every client that stays: once, and three times more.
const MIN_TABLES: u32 = 4;

/// A game about to be played.
#[derive(Debug)]
pub struct RoomRun {
    plan: RoomPlan,
    room: CheckedRoom,
    network: Network,
    clients: Vec<Client>,
    /// The clients may press keys: in a game of bots, when all have joined.
    has_begun: bool,
    closed_at: Option<Timestamp>,
    crashes: Crashes,
    steps: u64,
    log: RunLog,
}

/// Where something happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    Network,
    Room,
    Client(usize),
    Crash,
}

impl Simulation for RoomRun {
    const NOUN: &'static str = "game";
    const OPTION: Option<&'static str> = None;
    const FIGURES: &'static [&'static str] = &[
        "over",
        "clients",
        // Clients that had a seat at the end of their game, and those of them that know the result.
        "seated",
        "informed",
        "datagrams",
        "lost",
        "doubled",
        "damaged",
        // Datagrams after which the room was compared with the model.
        "compared",
        "crashes",
        "virtual_ms",
    ];
    const SABOTAGES: &'static [Sabotage<RoomPlan>] = &[
        // The room sends nothing again.
        Sabotage::new("resends", &["by the model"]),
        // The room plays by another rule than the model: sprints stop where they should not, or the reverse.
        Sabotage::new("rules", &["by the model"]),
        // The room drops players after half of the idle timeout.
        Sabotage::new("idle", &["by the model"]),
        // The room sends the end for half as long.
        Sabotage::new("linger", &["room closed"]),
    ];
    type Plan = RoomPlan;

    fn draw(seed: u64) -> RoomPlan {
        RoomPlan::draw(seed)
    }

    fn break_rule(plan: &mut RoomPlan, word: &'static str) {
        let RoomPlan { room_rules: rules, room_reliability: reliability, .. } = plan;
        match word {
            "resends" => reliability.resends = false,
            "rules" => rules.sprint_stops = !rules.sprint_stops,
            "idle" => reliability.idle_timeout_ms = reliability.idle_timeout_ms.map(|ms| ms / 2),
            _ => reliability.linger_ms /= 2,
        }
    }

    fn new(plan: RoomPlan) -> Self {
        let is_waiting = plan.is_bot_game;
        let clients = plan.clients.iter().enumerate();
        let clients = clients.map(|(number, client)| Client::new(number, *client, is_waiting));
        Self {
            network: Network::new(plan.network.clone(), plan.network_seed),
            clients: clients.collect(),
            crashes: Crashes::new(&plan),
            room: plan.checked_room(),
            steps: 0,
            log: RunLog::new::<Self>(plan.seed, &plan, Timestamp(0)),
            plan,
            has_begun: !is_waiting,
            closed_at: None,
        }
    }

    fn log(&mut self) -> &mut RunLog {
        &mut self.log
    }

    fn play_through(&mut self) -> Result<(), String> {
        self.play_to_end()?;
        self.check_result()?;
        self.room.shut_down()?;
        let Tally { sent, lost, doubled, damaged } = self.network.tally();
        for (name, number) in [
            ("over", u64::from(self.room.end().is_some())),
            ("clients", self.clients.len() as u64),
            ("datagrams", sent),
            ("lost", lost),
            ("doubled", doubled),
            ("damaged", damaged),
            ("compared", self.room.compared()),
            ("virtual_ms", self.log.passed_ms()),
        ] {
            self.log.count(name, number);
        }
        Ok(())
    }
}

impl RoomRun {
    /// Plays until the game is over and every client has left, or through the settling phase.
    fn play_to_end(&mut self) -> Result<(), String> {
        while let Some((at, turn)) = self.next() {
            self.count_step()?;
            if self.is_time_to_settle(at) {
                self.log.now = self.plan.settles_at.max(self.log.now);
                self.settle()?;
                if self.room.end().is_none() {
                    return Ok(());
                }
            } else if self.is_done(at) {
                return Ok(());
            } else if at > MAX_GAME_TIME {
                return Err("the game does not end".to_owned());
            } else {
                self.log.now = self.log.now.max(at);
                self.take_turn(turn)?;
            }
        }
        Ok(())
    }

    fn count_step(&mut self) -> Result<(), String> {
        self.steps += 1;
        let is_stuck = self.steps > self.plan.max_steps;
        if is_stuck { Err("too many steps: the run gets nowhere".to_owned()) } else { Ok(()) }
    }

    fn is_time_to_settle(&self, at: Timestamp) -> bool {
        !self.plan.is_bot_game && self.room.end().is_none() && at >= self.plan.settles_at
    }

    fn is_done(&self, at: Timestamp) -> bool {
        let is_late = |closed: Timestamp| at > closed.after(AFTER_CLOSE_MS);
        let all_done = || self.clients.iter().all(Client::is_done);
        self.closed_at.is_some_and(|closed| is_late(closed) || all_done())
    }

    /// When and where something happens next.
    fn next(&self) -> Option<(Timestamp, Turn)> {
        let clients = self.clients.iter().enumerate();
        let clients =
            clients.filter_map(|(number, client)| Some((client.next_at()?, Turn::Client(number))));
        self.next_idle().into_iter().chain(clients).min()
    }

    /// The same while clients only receive.
    fn next_idle(&self) -> Option<(Timestamp, Turn)> {
        let network = self.network.next_at().map(|at| (at, Turn::Network));
        let room = self.room.poll_timeout().filter(|_| !self.crashes.is_down());
        let room = room.map(|at| (at, Turn::Room));
        let crash = self.crashes.next_at().map(|at| (at, Turn::Crash));
        network.into_iter().chain(room).chain(crash).min()
    }

    fn take_turn(&mut self, turn: Turn) -> Result<(), String> {
        match turn {
            Turn::Network => {
                let Some(arrival) = self.network.take() else { return Ok(()) };
                self.deliver(&arrival)?;
            }
            Turn::Room => self.wake_room()?,
            Turn::Crash => self.crash_or_restart()?,
            Turn::Client(number) => {
                let mut out = Vec::new();
                self.clients[number].handle_timeout(self.log.now, &mut out);
                self.note_outcome(number);
                self.send_from_client(number, &out);
            }
        }
        if !self.has_begun && self.clients.iter().all(Client::is_ready) {
            self.has_begun = true;
            self.clients.iter_mut().for_each(|client| client.handle_start(self.log.now));
        }
        if self.room.room().is_closed() && !self.crashes.is_down() {
            self.closed_at.get_or_insert(self.log.now);
        }
        Ok(())
    }

    fn note_outcome(&mut self, number: usize) {
        let received = &mut self.clients[number].received;
        if received.outcome.is_some() {
            received.ended_at.get_or_insert(self.log.now);
        }
    }

    fn wake_room(&mut self) -> Result<(), String> {
        let stored = self.room.journal().len();
        let sent = self.room.handle_timeout(self.log.now)?;
        self.finish_input(stored, sent);
        Ok(())
    }

    fn deliver(&mut self, arrival: &Arrival) -> Result<(), String> {
        match (arrival.from, arrival.to) {
            (Endpoint::Client(number), Endpoint::Server) => {
                self.deliver_to_room(number, arrival)?;
            }
            (_, Endpoint::Client(number)) => {
                let mut out = Vec::new();
                self.deliver_to_client(number, arrival, &mut out);
                self.send_from_client(number, &out);
            }
            (Endpoint::Server, Endpoint::Server) => {}
        }
        Ok(())
    }

    fn deliver_to_room(&mut self, number: usize, arrival: &Arrival) -> Result<(), String> {
        if self.room.room().is_closed() || self.crashes.is_down() {
            self.network.bounce(self.log.now, arrival);
            return Ok(());
        }
        let stored = self.room.journal().len();
        let peer = number as u64;
        let sent = match &arrival.content {
            ArrivedMessage::Datagram { bytes, .. } => {
                self.log.note_arrival(format!("client {peer} ->"), bytes);
                self.room.handle_message(self.log.now, peer, bytes)?
            }
            ArrivedMessage::Unreachable => {
                self.log.note_arrival(format!("client {peer} is unreachable"), b"");
                self.room.handle_disconnect(self.log.now, peer)?
            }
        };
        self.finish_input(stored, sent);
        Ok(())
    }

    fn deliver_to_client(&mut self, number: usize, arrival: &Arrival, out: &mut Vec<Vec<u8>>) {
        let client = &mut self.clients[number];
        match &arrival.content {
            _ if !client.is_present() => self.network.bounce(self.log.now, arrival),
            ArrivedMessage::Datagram { bytes, is_damaged } => {
                self.log.note_arrival(format!("client {number} <-"), bytes);
                client.received.note(bytes, *is_damaged);
                client.handle_message(self.log.now, bytes, out);
            }
            ArrivedMessage::Unreachable => {
                self.log.note_arrival(format!("client {number} finds no server"), b"");
                client.handle_port_closed(self.log.now, out);
            }
        }
        self.note_outcome(number);
    }

    fn send_from_client(&mut self, number: usize, datagrams: &[Vec<u8>]) {
        for bytes in datagrams {
            self.network.send(self.log.now, Endpoint::Client(number), Endpoint::Server, bytes);
        }
    }

    fn send_from_room(&mut self, datagrams: Vec<Outgoing>) {
        for (peer, bytes) in datagrams {
            let number = usize::try_from(peer).unwrap_or(usize::MAX);
            let to = Endpoint::Client(number);
            let will_arrive = self.network.send(self.log.now, Endpoint::Server, to, &bytes);
            if let Some(client) = self.clients.get_mut(number).filter(|_| is_table(&bytes)) {
                client.received.tables_sent += 1;
                client.received.tables_lost += u32::from(!will_arrive);
            }
        }
    }

    /// Over a fair network every client that had a seat at the end must know the final table; in a game of
    /// bots, every client. The only excuse is that the network has lost every one of at least four datagrams with
    /// the table, although the client went on asking until the server was gone.
    fn check_result(&mut self) -> Result<(), String> {
        let Some(end) = self.room.end() else { return Ok(()) };
        let table = self.room.room().game().table().to_string();
        let mut informed = 0;
        for (number, client) in self.clients.iter().enumerate() {
            if !self.plan.is_bot_game && !end.seated.contains(&(number as u64)) {
                continue;
            }
            let has_table = client.received.table.as_deref() == Some(table.as_bytes());
            let outcome = client.received.outcome.as_ref();
            if has_table && matches!(outcome, None | Some(SessionOutcome::GameOver { .. })) {
                informed += 1;
            } else if outcome == Some(&SessionOutcome::PortClosed) {
                // The server was down when it first asked to join, so it left. A duplicate of its request that
                // came later may have got it a seat.
            } else if self.could_receive(number, end) && !self.has_excuse(number) {
                return Err(format!("client {number} does not know the result: {outcome:?}"));
            }
        }
        self.log.count("seated", end.seated.len() as u64);
        self.log.count("informed", informed);
        Ok(())
    }

    /// Every table to this client was lost, and it did not leave before the server.
    fn has_excuse(&self, number: usize) -> bool {
        let received = &self.clients[number].received;
        let (sent, lost) = (received.tables_sent, received.tables_lost);
        let gave_up = received.ended_at.is_some_and(|ended| Some(ended) < self.closed_at);
        sent >= MIN_TABLES && sent == lost && !gave_up
    }

    fn could_receive(&self, number: usize, end: &EndSent) -> bool {
        let network = &self.plan.network;
        let until = end.at.after(self.plan.reliability.linger_ms);
        // One that was cut off from the first end on may have given up before a restart.
        let is_cut_off = network.cuts_between(end.since, until, number);
        // A server that lost in a power failure that it had dismissed a client still has a seat for it.
        let ended_at = self.clients[number].received.ended_at;
        let was_dismissed =
            self.crashes.has_lost_moves() && ended_at.is_some_and(|ended| ended < end.at);
        let is_here = !self.clients[number].has_vanished() && !was_dismissed;
        network.is_fair() && !is_cut_off && is_here
    }
}

impl RoomPlan {
    /// The room of this plan and the model of its game.
    fn checked_room(&self) -> CheckedRoom {
        let map = Map::parse(self.map.as_bytes()).expect("the map of a plan is valid").map;
        let setup = Setup::new(map, self.room_rules, self.game_seed, self.sight_dialect);
        let game = Game::new(&setup).expect("the rules fit the map");
        let model = model_of(&self.map, &self.rules, self.dialect, self.changed_only, &game);
        let room = Room::with_game(game, self.dialect).with_options(self.room_options());
        let room = CheckedRoom::new(room).with_journal(&setup);
        let room = room.with_model(model, self.dialect, self.reliability);
        // A room with other rules would be noticed by its announcement of them.
        if self.room_rules == self.rules { room } else { room.ignoring_house_rules() }
    }
}

/// True for the message with the final table, in either dialect.
fn is_table(message: &[u8]) -> bool {
    message.starts_with(b"QUIT GAME OVER:\n") || message.starts_with(b"GAMEOVER\n")
}
