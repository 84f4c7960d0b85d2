//! A room under test. Every datagram goes to the room and to the naive model of the rules, and their
//! answers and states are compared after each one.
//!
//! `timing` computes independently what a room must do by time alone: resends, idle timeouts, resending the end.
//! A server may crash and lose the end of its journal: then the model returns to the state of the remaining
//! journal, and the resumed room must agree. A room without a model, because it is rate limited, is only checked
//! for invariants.
//!
//! The clock of a room stops while its server is down, as that of a real one does. All times here are on the
//! clock of the caller, which does not stop.

mod journal;
mod model;
#[cfg(test)]
mod tests;
mod timing;
mod watchers;

use std::collections::BTreeSet;

use nuggets_game::Player;
use nuggets_game::Setup;
use nuggets_model::{Outgoing, World};
use nuggets_protocol::{Dialect, MAX_MESSAGE_BYTES, ServerMessage};
use nuggets_record::Recording;
use nuggets_server::{
    Host, MemoryStorage, MemoryTransport, Peer, Reliability, Room, RoomOptions, Timestamp,
    Transport,
};

#[cfg(feature = "simulations")]
pub(crate) use journal::play_entry;
use journal::spot;

pub(crate) use watchers::ShownView;
use watchers::Watchers;

pub(crate) use journal::model_of;
pub(crate) use model::Model;

/// The end of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EndSent {
    /// When the game ended.
    pub(crate) since: Timestamp,
    /// The same time, or that of the last restart of the server, which sends the end again.
    pub(crate) at: Timestamp,
    /// The peers that had a seat then, all of which must receive the result.
    pub(crate) seated: BTreeSet<u64>,
}

/// What the room sent, or what is wrong with it.
pub(crate) type CheckedAnswers = Result<Vec<Outgoing>, String>;

/// A room under test, with its driver. Peers have the numbers of their clients.
#[derive(Debug)]
pub(crate) struct CheckedRoom {
    host: Host<MemoryStorage>,
    transport: MemoryTransport,
    model: Option<Model>,
    watchers: Watchers,
    compared: u64,
    /// The start of the server, on the caller's clock and on that of the room.
    started: Moment,
}

/// One point in time on two clocks.
#[derive(Clone, Copy, Debug, Default)]
struct Moment {
    now: Timestamp,
    /// On the clock of the room.
    room: Timestamp,
}

impl CheckedRoom {
    /// Creates a checked room without a model or a journal.
    pub(crate) fn new(room: Room) -> Self {
        let host = Host::new(room, MemoryStorage::default()).with_manual_clock();
        Self {
            host,
            transport: MemoryTransport::default(),
            model: None,
            watchers: Watchers::default(),
            compared: 0,
            started: Moment::default(),
        }
    }

    /// Starts a journal. The setup must be that of the room's game, without players yet.
    #[must_use]
    pub(crate) fn with_journal(mut self, setup: &Setup) -> Self {
        self.host = self.host.with_journal(setup, 9000);
        self.host.store().expect("memory stores everything");
        self
    }

    /// Sends through this transport, which may have a guard.
    #[must_use]
    pub(crate) fn with_transport(mut self, transport: MemoryTransport) -> Self {
        self.transport = transport;
        self
    }

    /// Compares the room with this model from now on, and checks the messages to watchers. No player has joined yet.
    #[must_use]
    pub(crate) fn with_model(
        mut self,
        world: World,
        dialect: Dialect,
        reliability: Reliability,
    ) -> Self {
        self.model = Some(Model::new(world, dialect, reliability));
        self.watchers.begin(&mut self.host);
        self
    }

    /// Leaves the announcement of the house rules out of the comparison: if the room plays by other rules than the
    /// model, the checks must find out from its play.
    #[must_use]
    pub(crate) fn ignoring_house_rules(mut self) -> Self {
        if let Some(model) = &mut self.model {
            model.ignores_house_rules = true;
        }
        self
    }

    pub(crate) fn room(&self) -> &Room {
        self.host.room()
    }

    pub(crate) fn journal(&self) -> &[u8] {
        &self.host.storage().journal
    }

    /// The number of datagrams given to both the room and the model.
    pub(crate) fn compared(&self) -> u64 {
        self.compared
    }

    /// The end of the game by the model, if it has ended.
    pub(crate) fn end(&self) -> Option<&EndSent> {
        self.model.as_ref()?.end.as_ref()
    }

    /// The model that the room is compared with.
    pub(crate) fn model(&self) -> &Model {
        self.model.as_ref().expect("the room is compared with a model")
    }

    /// Returns the players that can take this many steps without ending the game.
    pub(crate) fn safe_movers(&self, steps: usize) -> Vec<u64> {
        let game = self.room().game();
        if game.rules().lifetime.is_some() || game.piles().count() <= steps {
            return Vec::new();
        }
        self.model().playing()
    }

    /// Returns the time of the next `handle_timeout`: when the room asks for it, or when the model expects something.
    pub(crate) fn poll_timeout(&self) -> Option<Timestamp> {
        let own = self.room().poll_timeout().map(|at| {
            let waited_ms = at.since(self.started.room);
            self.started.now.after(waited_ms)
        });
        let model = self.model.as_ref().and_then(Model::next_deadline);
        own.into_iter().chain(model).min()
    }

    /// Advances the clock of the room to this time of the caller.
    fn set_time(&mut self, now: Timestamp) -> Moment {
        let room = self.started.room.after(now.since(self.started.now));
        self.host.set_time(room);
        Moment { now, room }
    }

    /// Gives a datagram to the room and the model.
    pub(crate) fn handle_message(
        &mut self,
        now: Timestamp,
        peer: u64,
        bytes: &[u8],
    ) -> CheckedAnswers {
        self.compared += 1;
        let players = self.room().game().players().len();
        let at = self.set_time(now);
        self.host.handle_message(&mut self.transport, Peer(peer), bytes);
        let newcomer = self.room().game().players().get(players);
        let landing = newcomer.and_then(Player::at).map(spot);
        if let Some(letter) = newcomer.map(Player::letter) {
            self.watchers.watch_player(&mut self.host, letter);
        }
        let real = self.drain()?;
        if let Some(model) = &mut self.model {
            if model.world.is_over() {
                model.check_answer_after_end(peer, &real)?;
            } else {
                let expected = model.handle_message(at, peer, bytes, landing);
                model.check_answers(expected, &real)?;
            }
        }
        self.check_state()?;
        Ok(real)
    }

    /// Wakes the room at the time of `poll_timeout`.
    pub(crate) fn handle_timeout(&mut self, now: Timestamp) -> CheckedAnswers {
        let at = self.set_time(now);
        self.host.handle_timeouts(&mut self.transport);
        let real = self.drain()?;
        if let Some(model) = &mut self.model {
            model.handle_timeout(at, self.host.room(), &real)?;
        }
        self.check_state()?;
        Ok(real)
    }

    /// Reports to the room that a datagram to this peer could not be delivered.
    pub(crate) fn handle_disconnect(&mut self, now: Timestamp, peer: u64) -> CheckedAnswers {
        self.set_time(now);
        self.host.handle_disconnect(&mut self.transport, Peer(peer));
        let real = self.drain()?;
        if let Some(model) = &mut self.model {
            model.note_unreachable(peer);
            expect_same("messages because of an unreachable peer", &Vec::new(), &real)?;
        }
        self.check_state()?;
        Ok(real)
    }

    /// Restarts the server now from the first `kept` bytes of its journal. The model must agree with the whole journal, and
    /// returns to the state of what is left of it.
    pub(crate) fn restart(
        &mut self,
        now: Timestamp,
        kept: usize,
        options: RoomOptions,
    ) -> CheckedAnswers {
        let cannot = |why: &dyn ToString| format!("can't be restarted: {}", why.to_string());
        let reading = &Recording::read(&self.journal()[..kept]).map_err(|why| cannot(&why))?;
        let room = Room::resume(reading, MemoryTransport::restore).map_err(|why| cannot(&why))?;
        let room = room.with_options(options);
        if let Some(model) = &mut self.model {
            let journal = &self.host.storage().journal;
            let whole = Recording::read(journal).map_err(|why| cannot(&why))?;
            model.replay(&whole)?.expect_same(model)?;
            if reading.good_bytes < journal.len() {
                *model = model.replay(reading)?;
            }
        }
        let journal = self.journal()[..reading.good_bytes].to_vec();
        let storage = MemoryStorage { journal, ..MemoryStorage::default() };
        let resumed_at = room.now();
        if resumed_at > self.host.now() {
            return Err("the time of a resumed room is later than the crash".to_owned());
        }
        self.started = Moment { now, room: resumed_at };
        self.host = Host::new(room, storage).with_manual_clock().with_resumed_journal(reading);
        self.host.admit_resumed(&mut self.transport);
        if self.model.is_some() {
            self.watchers.begin(&mut self.host);
        }
        let real = self.drain()?;
        if let Some(model) = &mut self.model {
            let is_end_stored = reading.recording.end().is_some();
            model.restart(Moment { now, room: resumed_at }, is_end_stored, &real)?;
        }
        self.check_state()?;
        Ok(real)
    }

    /// Stops the server and checks the known gridpoints of every player, which is slow.
    pub(crate) fn shut_down(&mut self) -> CheckedAnswers {
        let was_over = self.room().is_over();
        if let Err(why) = self.host.close(&mut self.transport) {
            return Err(why.to_string());
        }
        let real = self.drain()?;
        if let Some(model) = &mut self.model {
            model.shut_down(was_over, &real)?;
        }
        Ok(real)
    }

    /// Takes all output of the room. Checks that every message parses and fits one datagram, and that no log line
    /// contains control characters.
    fn drain(&mut self) -> CheckedAnswers {
        while let Some(notice) = self.host.poll_notice() {
            let line = notice.describe(|peer| self.transport.name(peer));
            if line.contains(char::is_control) {
                return Err(format!("a control character in the log: {line:?}"));
            }
        }
        if let Err(why) = self.host.flush(&mut self.transport) {
            return Err(why.to_string());
        }
        let mut sent = Vec::new();
        for (to, payload) in self.transport.sent.drain(..) {
            let is_message = ServerMessage::parse(&payload).is_ok();
            if !is_message || payload.len() > MAX_MESSAGE_BYTES {
                return Err(format!("no client can read {}", payload.escape_ascii()));
            }
            if !self.watchers.receive(to, &payload) {
                sent.push((to.0, payload));
            }
        }
        Ok(sent)
    }

    /// Checks the invariants, and compares the state that no message may have shown yet with the model.
    fn check_state(&self) -> Result<(), String> {
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

/// Fails unless both values are equal.
fn expect_same<T: PartialEq + std::fmt::Debug + ?Sized>(
    what: &'static str,
    expected: &T,
    actual: &T,
) -> Result<(), String> {
    if expected == actual {
        return Ok(());
    }
    Err(format!("{what}: expected {expected:?}, the room has {actual:?}"))
}
