//! A room under test. Every datagram goes to the room and to the naive model of the rules, and their
//! answers and states are compared after each one.
//!
//! What a room does by time alone (resends, idle timeouts, sending the end again) is not in the model and is
//! checked by rules of its own. A room without a model, because it is rate limited or restarts from a damaged
//! journal, is checked only for what always holds.

mod model;
#[cfg(test)]
mod tests;
mod watchers;

use std::collections::BTreeSet;

use nuggets_game::Player;
use nuggets_game::Setup;
use nuggets_model::{Answer, World};
use nuggets_protocol::{Dialect, MAX_MESSAGE_BYTES, ServerMessage};
use nuggets_record::Reading;
use nuggets_server::{Host, Memory, MemoryTransport, Peer, Room, Timestamp, Transport};
use thiserror::Error;

use model::{Model, spot};
use watchers::Watchers;

pub use model::{ExpectedView, model_of};

/// What a check of a room found wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Mismatch {
    /// The room differs from what is expected of it.
    #[error("{what}: expected {expected}, the room has {actual}")]
    Value {
        /// The name of the compared value.
        what: &'static str,
        /// The value by the model or by a rule.
        expected: String,
        /// The value of the room.
        actual: String,
    },
    /// A rule is broken, in the words of the check that noticed it.
    #[error("{0}")]
    Rule(String),
}

/// The end of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameEnd {
    /// When the room ended the game.
    pub at: Timestamp,
    /// The peers that had a seat then, all of which must receive the result.
    pub seated: BTreeSet<u64>,
}

/// What the room sent, or what is wrong with it.
pub type CheckedAnswers = Result<Vec<Answer>, Mismatch>;

/// A room under test, with its driver. Peers have the numbers of their clients.
#[derive(Debug)]
pub struct CheckedRoom {
    host: Host<Memory>,
    transport: MemoryTransport,
    model: Option<Model>,
    watchers: Watchers,
    compared: u64,
}

impl CheckedRoom {
    /// A room without a model or a journal.
    pub fn new(room: Room) -> Self {
        let host = Host::new(room, Memory::default()).with_manual_clock();
        Self {
            host,
            transport: MemoryTransport::default(),
            model: None,
            watchers: Watchers::default(),
            compared: 0,
        }
    }

    /// Starts a journal. The setup must be that of the room's game, without players yet.
    #[must_use]
    pub fn with_journal(mut self, setup: &Setup) -> Self {
        self.host = self.host.with_journal(setup, 9000);
        self
    }

    /// Sends through this transport, which may have a guard.
    #[must_use]
    pub fn with_transport(mut self, transport: MemoryTransport) -> Self {
        self.transport = transport;
        self
    }

    /// Compares the room with this model from now on, and checks what watchers are sent. No player has joined yet.
    #[must_use]
    pub fn with_model(mut self, world: World, dialect: Dialect) -> Self {
        self.model = Some(Model::new(world, dialect));
        self.watchers.begin(&mut self.host);
        self
    }

    /// Leaves the announcement of the house rules out of the comparison: a room that plays by other rules
    /// than the model must be noticed by how it plays.
    #[must_use]
    pub fn ignoring_house_rules(mut self) -> Self {
        if let Some(model) = &mut self.model {
            model.ignore_house_rules();
        }
        self
    }

    /// The room.
    pub fn room(&self) -> &Room {
        self.host.room()
    }

    /// The journal.
    pub fn journal(&self) -> &[u8] {
        &self.host.storage().journal
    }

    /// Datagrams that the room and the model were given.
    pub fn compared(&self) -> u64 {
        self.compared
    }

    /// The end of the game by the model, if it has ended.
    pub fn end(&self) -> Option<&GameEnd> {
        self.model.as_ref()?.end()
    }

    /// What this peer must have on its screen now. None without a seat.
    pub fn expected_view(&self, peer: u64) -> Option<ExpectedView> {
        self.model.as_ref()?.expected_view(peer, self.room().game())
    }

    /// The message with which this peer is sent everything again. None without a seat.
    pub fn rejoin_message(&self, peer: u64) -> Option<Vec<u8>> {
        self.model.as_ref()?.rejoin_message(peer)
    }

    /// The players that can take this many steps without ending the game.
    pub fn safe_movers(&self, steps: usize) -> Vec<u64> {
        let game = self.room().game();
        if game.rules().lifetime.is_some() || game.piles().count() <= steps {
            return Vec::new();
        }
        self.model.as_ref().map_or_else(Vec::new, Model::playing)
    }

    /// Gives a datagram to the room and the model.
    pub fn handle_message(&mut self, now: Timestamp, peer: u64, bytes: &[u8]) -> CheckedAnswers {
        self.compared += 1;
        let was_over = self.room().is_over();
        let was_closed = self.room().is_closed();
        let players = self.room().game().players().len();
        self.host.set_time(now);
        self.host.handle_message(&mut self.transport, Peer(peer), bytes);
        let newcomer = self.room().game().players().get(players);
        let landing = newcomer.and_then(Player::at).map(spot);
        if let Some(letter) = newcomer.map(Player::letter) {
            self.watchers.watch_player(&mut self.host, letter);
        }
        let real = self.drain()?;
        if let Some(model) = &mut self.model {
            if was_over {
                model.check_answer_after_end(peer, was_closed, &real)?;
            } else {
                let expected = model.handle_message(now, peer, bytes, landing);
                model.check_answers(expected, &real)?;
            }
        }
        self.check_state()?;
        Ok(real)
    }

    /// Wakes the room at the time of its `poll_timeout`.
    pub fn handle_timeout(&mut self, now: Timestamp) -> CheckedAnswers {
        let was_over = self.room().is_over();
        self.host.set_time(now);
        self.host.handle_timeouts(&mut self.transport);
        let real = self.drain()?;
        if let Some(model) = &mut self.model {
            if was_over {
                model.check_resent_end(&real)?;
            } else {
                model.drop_idle_players(now, self.host.room(), &real)?;
                model.check_sent(&real)?;
                model.check_resends(self.host.room(), &real)?;
            }
        }
        self.check_state()?;
        Ok(real)
    }

    /// Reports to the room that a datagram to this peer could not be delivered.
    pub fn handle_disconnect(&mut self, now: Timestamp, peer: u64) -> CheckedAnswers {
        self.host.set_time(now);
        self.host.handle_disconnect(&mut self.transport, Peer(peer));
        let real = self.drain()?;
        if let Some(model) = &mut self.model {
            model.note_unreachable(peer);
            expect_same("messages because of an unreachable peer", &Vec::new(), &real)?;
        }
        self.check_state()?;
        Ok(real)
    }

    /// Replaces the room by one that was resumed from what was read of the journal. With a model, that must
    /// be the whole journal.
    pub fn restart(&mut self, room: Room, reading: &Reading) -> CheckedAnswers {
        let journal = self.journal()[..reading.good_bytes].to_vec();
        let storage = Memory { journal, ..Memory::default() };
        let now = self.host.now();
        self.host = Host::new(room, storage).with_resumed_journal(reading);
        self.host.set_time(now);
        self.host.admit_resumed(&mut self.transport);
        if self.model.is_some() {
            self.watchers.begin(&mut self.host);
        }
        let real = self.drain()?;
        if let Some(model) = &mut self.model {
            model.check_sent(&real)?;
        }
        self.check_state()?;
        Ok(real)
    }

    /// Checks what every player knows, which is slow, and stops the server.
    pub fn shut_down(&mut self) -> CheckedAnswers {
        let was_over = self.room().is_over();
        if let Err(why) = self.host.close(&mut self.transport) {
            return broken(why.to_string());
        }
        let real = self.drain()?;
        if let Some(model) = &mut self.model {
            model.shut_down(was_over, &real)?;
        }
        Ok(real)
    }

    /// Takes everything out of the room. Every message can be parsed and fits one datagram; every log line
    /// is free of control characters.
    fn drain(&mut self) -> CheckedAnswers {
        while let Some(notice) = self.host.poll_notice() {
            let line = notice.describe(|peer| self.transport.name(peer));
            if line.contains(char::is_control) {
                return broken(format!("a control character in the log: {line:?}"));
            }
        }
        if let Err(why) = self.host.flush(&mut self.transport) {
            return broken(why.to_string());
        }
        let mut sent = Vec::new();
        for (to, payload) in self.transport.sent.drain(..) {
            let is_message = ServerMessage::parse(&payload).is_ok();
            if !is_message || payload.len() > MAX_MESSAGE_BYTES {
                return broken(format!("no client can read {}", payload.escape_ascii()));
            }
            if !self.watchers.receive(to, &payload) {
                sent.push((to.0, payload));
            }
        }
        Ok(sent)
    }

    /// What always holds, and what the model must agree with although no message may have shown it yet.
    fn check_state(&self) -> Result<(), Mismatch> {
        let game = self.room().game();
        let purses: u32 = game.players().iter().map(Player::purse).sum();
        expect_same("gold of the game", &game.rules().nuggets, &(purses + game.remaining()))?;
        let players = game.players().iter().filter_map(Player::at);
        let laid = game.piles().map(|(at, _)| at).chain(game.food().iter().copied());
        let occupied: Vec<_> = players.chain(laid).map(spot).collect();
        let distinct: BTreeSet<_> = occupied.iter().collect();
        expect_same("spots with one occupant", &occupied.len(), &distinct.len())?;
        self.watchers.check(game)?;
        self.model.as_ref().map_or(Ok(()), |model| model.check_state(self.room()))
    }
}

fn broken<T>(why: String) -> Result<T, Mismatch> {
    Err(Mismatch::Rule(why))
}

/// Fails unless both values are equal.
fn expect_same<T: PartialEq + std::fmt::Debug + ?Sized>(
    what: &'static str,
    expected: &T,
    actual: &T,
) -> Result<(), Mismatch> {
    if expected == actual {
        return Ok(());
    }
    Err(Mismatch::Value { what, expected: format!("{expected:?}"), actual: format!("{actual:?}") })
}
