//! One game over a bad network, in one thread and in virtual time, fixed by a seed in every byte.
//!
//! Clients and a room talk through a [`Net`]; a referee gives every datagram that reaches the room to
//! a naive model of the rules, too, and compares everything. In the end either the game is over and
//! whoever could hear it must know the result, or the weather clears and whoever hears anything must
//! have the right picture.
//!
//! ```
//! use nuggets_sim::run::Run;
//!
//! let outcome = Run::new(7).play().unwrap();
//! assert_eq!(outcome, Run::new(7).play().unwrap());
//! assert!(outcome.compared > 0);
//! ```

mod client;
mod many;
mod outcome;
mod plan;
mod referee;
mod resting;
mod sabotage;
mod script;
#[cfg(test)]
mod tests;
mod trace;

use std::panic::{AssertUnwindSafe, catch_unwind};

use nuggets_bots::Ending;
use nuggets_server::Millis;

use crate::net::{Delivery, Freight, Net, Party};
use client::Client;
use referee::Referee;
use trace::Trace;

pub use many::{Total, play_many};
pub use outcome::{Failure, Outcome};
pub use plan::{Cast, Part, Plan};
pub use sabotage::{Sabotage, UnknownSabotage};

/// A bot game that is not over by then never will be.
const PATIENCE: Millis = Millis(600_000);
/// After the room has closed, those who are left are listened to for so long.
const AFTERMATH_MS: u64 = 8_000;

/// A game about to be played. See the documentation of the module for an example.
#[derive(Debug)]
pub struct Run {
    plan: Plan,
    net: Net,
    clients: Vec<Client>,
    now: Millis,
    /// Everybody may play.
    has_begun: bool,
    closed_at: Option<Millis>,
    trace: Trace,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    Net,
    Room,
    Client(usize),
}

/// How many had a seat at the end, and how many of them know the result.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    seated: usize,
    informed: usize,
}

type Step = Result<(), String>;

impl Run {
    /// The game of this seed.
    pub fn new(seed: u64) -> Self {
        Self::of(Plan::draw(seed))
    }

    /// The game of this plan.
    pub fn of(plan: Plan) -> Self {
        let net = Net::new(plan.weather.clone(), plan.net_seed);
        let clients = plan.parts.iter().enumerate();
        let is_waiting = plan.is_bot_game;
        let clients = clients.map(|(number, part)| Client::new(number, *part, is_waiting));
        let clients = clients.collect();
        let (now, closed_at, trace) = (Millis(0), None, Trace::default());
        Self { plan, net, clients, now, has_begun: !is_waiting, closed_at, trace }
    }

    /// From now on every line of what happens is kept.
    #[must_use]
    pub fn traced(mut self) -> Self {
        self.trace.keeps_all = true;
        self
    }

    /// Plays it. A panic of anybody in it is a failure like any other.
    pub fn play(mut self) -> Result<Outcome, Box<Failure>> {
        match catch_unwind(AssertUnwindSafe(|| self.play_through())) {
            Ok(Ok((referee, ends))) => Ok(self.outcome(&referee, ends)),
            Ok(Err(what)) => Err(self.failure(what).into()),
            Err(panic) => Err(self.failure(outcome::words_of(panic.as_ref())).into()),
        }
    }

    fn play_through(&mut self) -> Result<(Referee, Ends), String> {
        let mut referee = Referee::new(&self.plan)?;
        self.play_before(&mut referee)?;
        let ends = self.check_result(&referee)?;
        referee.shut_down()?;
        Ok((referee, ends))
    }

    fn outcome(self, referee: &Referee, ends: Ends) -> Outcome {
        let trace = if self.trace.keeps_all { self.trace.lines() } else { Vec::new() };
        Outcome {
            seed: self.plan.seed,
            setting: self.plan.to_string(),
            clients: self.clients.len(),
            is_over: referee.end().is_some(),
            seated: ends.seated,
            informed: ends.informed,
            tally: self.net.tally(),
            compared: referee.compared,
            virtual_ms: self.now.0,
            digest: self.trace.digest,
            trace,
        }
    }

    fn failure(self, what: String) -> Failure {
        Failure {
            seed: self.plan.seed,
            setting: self.plan.to_string(),
            at: self.now,
            what,
            trace: self.trace.lines(),
        }
    }

    /// Plays until the game is over and everybody has gone, or until it is time to rest.
    fn play_before(&mut self, referee: &mut Referee) -> Step {
        while let Some((at, turn)) = self.next(referee) {
            if self.is_time_to_rest(at, referee) {
                self.now = self.plan.calm_at;
                self.rest(referee)?;
                if referee.end().is_none() {
                    return Ok(());
                }
            } else if self.is_done(at) {
                return Ok(());
            } else if at > PATIENCE {
                return Err("the game does not end".to_owned());
            } else {
                self.now = self.now.max(at);
                self.take(turn, referee)?;
            }
        }
        Ok(())
    }

    fn is_time_to_rest(&self, at: Millis, referee: &Referee) -> bool {
        !self.plan.is_bot_game && referee.end().is_none() && at >= self.plan.calm_at
    }

    fn is_done(&self, at: Millis) -> bool {
        let is_late = |closed: Millis| at > closed.after(AFTERMATH_MS);
        self.closed_at.is_some_and(|closed| is_late(closed) || self.all_done())
    }

    fn all_done(&self) -> bool {
        self.clients.iter().all(Client::is_done)
    }

    /// The next moment at which something happens, and whose it is.
    fn next(&self, referee: &Referee) -> Option<(Millis, Turn)> {
        let net = self.net.next_at().map(|at| (at, Turn::Net));
        let room = referee.next_at().map(|at| (at, Turn::Room));
        let clients = self.clients.iter().enumerate();
        let clients = clients
            .filter_map(|(number, client)| client.next_at().map(|at| (at, Turn::Client(number))));
        net.into_iter().chain(room).chain(clients).min()
    }

    fn take(&mut self, turn: Turn, referee: &mut Referee) -> Step {
        match turn {
            Turn::Net => {
                let Some(delivery) = self.net.take() else { return Ok(()) };
                self.deliver(&delivery, referee)?;
            }
            Turn::Room => self.wake_room(referee)?,
            Turn::Client(number) => {
                let mut out = Vec::new();
                self.clients[number].wake(self.now, &mut out);
                self.send_all(number, &out);
            }
        }
        if !self.has_begun && self.clients.iter().all(Client::is_ready) {
            self.has_begun = true;
            self.clients.iter_mut().for_each(|client| client.go(self.now));
        }
        if referee.is_closed() {
            self.closed_at.get_or_insert(self.now);
        }
        Ok(())
    }

    fn wake_room(&mut self, referee: &mut Referee) -> Step {
        let answers = referee.wake(self.now)?;
        self.send_answers(answers);
        Ok(())
    }

    fn deliver(&mut self, delivery: &Delivery, referee: &mut Referee) -> Step {
        let ((Party::Client(number), _) | (_, Party::Client(number))) =
            (delivery.from, delivery.to)
        else {
            return Ok(());
        };
        if delivery.to == Party::Server {
            return self.deliver_to_server(number, delivery, referee);
        }
        let mut out = Vec::new();
        self.deliver_to_client(number, delivery, &mut out);
        self.send_all(number, &out);
        Ok(())
    }

    fn deliver_to_server(
        &mut self,
        number: usize,
        delivery: &Delivery,
        referee: &mut Referee,
    ) -> Step {
        if referee.is_closed() {
            self.net.bounce(self.now, delivery);
            return Ok(());
        }
        let peer = number as u64;
        let answers = match &delivery.freight {
            Freight::Datagram { bytes, .. } => {
                self.trace.note(self.now, peer, "->", bytes);
                referee.say(self.now, peer, bytes)?
            }
            Freight::Unreachable => {
                self.trace.note(self.now, peer, "is unreachable", b"");
                referee.lose(self.now, peer)?
            }
        };
        self.send_answers(answers);
        Ok(())
    }

    fn deliver_to_client(&mut self, number: usize, delivery: &Delivery, out: &mut Vec<Vec<u8>>) {
        let client = &mut self.clients[number];
        match &delivery.freight {
            _ if !client.is_here() => self.net.bounce(self.now, delivery),
            Freight::Datagram { bytes, is_damaged } => {
                self.trace.note(self.now, number as u64, "<-", bytes);
                client.take(self.now, bytes, *is_damaged, out);
            }
            Freight::Unreachable => {
                self.trace.note(self.now, number as u64, "finds no server", b"");
                client.refused(self.now, out);
            }
        }
    }

    fn send_all(&mut self, number: usize, said: &[Vec<u8>]) {
        for bytes in said {
            self.net.send(self.now, Party::Client(number), Party::Server, bytes);
        }
    }

    fn send_answers(&mut self, answers: Vec<(u64, Vec<u8>)>) {
        for (peer, bytes) in answers {
            let number = usize::try_from(peer).unwrap_or(usize::MAX);
            self.net.send(self.now, Party::Server, Party::Client(number), &bytes);
        }
    }

    /// In fair weather everybody who had a seat at the end and could hear must know the table; in a
    /// game of bots, simply everybody.
    fn check_result(&self, referee: &Referee) -> Result<Ends, String> {
        let Some((at, seated)) = referee.end() else { return Ok(Ends::default()) };
        let table = referee.table();
        let mut ends = Ends { seated: seated.len(), informed: 0 };
        for (number, client) in self.clients.iter().enumerate() {
            if !self.plan.is_bot_game && !seated.contains(&(number as u64)) {
                continue;
            }
            let knows = client.heard.table.as_deref() == Some(table.as_bytes());
            let ending = client.heard.ending.as_ref();
            if knows && matches!(ending, None | Some(Ending::GameOver(_))) {
                ends.informed += 1;
            } else if self.could_hear(number, *at) {
                return Err(format!("client {number} does not know the result: {ending:?}"));
            }
        }
        Ok(ends)
    }

    fn could_hear(&self, number: usize, end: Millis) -> bool {
        let weather = &self.plan.weather;
        let until = end.after(self.plan.care.linger_ms);
        let is_cut = weather.cuts_between(end, until, number);
        weather.is_fair() && !is_cut && !self.clients[number].has_vanished()
    }
}
