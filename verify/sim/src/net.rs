//! A network in memory that loses, duplicates, delays, reorders and damages datagrams in virtual time. Everything
//! that happens to them is fixed by a seed. It does not know what they mean.

use std::collections::{BTreeMap, VecDeque};

use nuggets_game::{Rng, Seed};
use nuggets_server::Timestamp;

mod conditions;

pub(crate) use conditions::NetworkConditions;

/// How many later datagrams can overtake one.
const MAX_OVERTAKEN: usize = 64;

/// One end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Endpoint {
    Server,
    Client(usize),
}

/// What arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ArrivedMessage {
    Datagram {
        bytes: Vec<u8>,
        /// It was truncated or a bit was flipped.
        is_damaged: bool,
    },
    /// Notice that a datagram to the other end could not be delivered.
    Unreachable,
}

/// Something that arrives at an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) at: Timestamp,
    pub(crate) from: Endpoint,
    pub(crate) to: Endpoint,
    pub(crate) content: ArrivedMessage,
}

/// Counts of datagrams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Given to the network.
    pub(crate) sent: u64,
    /// Lost at random or by a partition.
    pub(crate) lost: u64,
    /// Delivered twice.
    pub(crate) doubled: u64,
    /// Truncated, or with a bit flipped.
    pub(crate) damaged: u64,
}

/// A network with some conditions.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    conditions: NetworkConditions,
    rng: Rng,
    /// By time, then in the order of sending.
    queue: BTreeMap<(Timestamp, u64), Arrival>,
    sequence: u64,
    routes: BTreeMap<(Endpoint, Endpoint), NetPath>,
    tally: Tally,
}

/// The path from one endpoint to another.
#[derive(Clone, Debug, Default)]
struct NetPath {
    /// When the last datagrams arrive.
    recent: VecDeque<Timestamp>,
    /// Nothing may arrive earlier than this.
    floor: Timestamp,
}

impl Network {
    pub(crate) fn new(conditions: NetworkConditions, seed: Seed) -> Self {
        Self {
            conditions,
            rng: Rng::new(seed),
            queue: BTreeMap::new(),
            sequence: 0,
            routes: BTreeMap::new(),
            tally: Tally::default(),
        }
    }

    /// Counts of all datagrams so far.
    pub(crate) fn tally(&self) -> Tally {
        self.tally
    }

    /// Takes a datagram; true if at least one copy of it will arrive.
    pub(crate) fn send(
        &mut self,
        now: Timestamp,
        from: Endpoint,
        to: Endpoint,
        bytes: &[u8],
    ) -> bool {
        self.tally.sent += 1;
        if self.loses(now, from, to) {
            self.tally.lost += 1;
            return false;
        }
        self.carry(now, from, to, bytes);
        if self.happens(self.conditions.duplication) {
            self.tally.doubled += 1;
            self.carry(now, from, to, bytes);
        }
        true
    }

    /// Reports an arrival for which no receiver was present: the sender of a datagram may get a notice.
    pub(crate) fn bounce(&mut self, now: Timestamp, arrival: &Arrival) {
        let Arrival { from, to, content, .. } = arrival;
        let is_answered = self.conditions.unreachable && *content != ArrivedMessage::Unreachable;
        if is_answered && !self.loses(now, *to, *from) {
            self.queue(now, *to, *from, ArrivedMessage::Unreachable);
        }
    }

    /// Removes all bad conditions. Whatever is under way arrives now, in the order in which it would have.
    pub(crate) fn become_perfect(&mut self, now: Timestamp) {
        self.conditions = NetworkConditions {
            unreachable: self.conditions.unreachable,
            ..NetworkConditions::perfect()
        };
        self.routes.clear();
        for Arrival { from, to, content, .. } in std::mem::take(&mut self.queue).into_values() {
            self.queue(now, from, to, content);
        }
    }

    /// The time of the next arrival.
    pub(crate) fn next_at(&self) -> Option<Timestamp> {
        self.queue.first_key_value().map(|((at, _), _)| *at)
    }

    /// The next arrival.
    pub(crate) fn take(&mut self) -> Option<Arrival> {
        self.queue.pop_first().map(|(_, arrival)| arrival)
    }

    fn loses(&mut self, now: Timestamp, from: Endpoint, to: Endpoint) -> bool {
        let is_cut = [from, to].into_iter().any(|end| match end {
            Endpoint::Client(number) => self.conditions.cuts_between(now, now, number),
            Endpoint::Server => false,
        });
        self.happens(self.conditions.loss) || is_cut
    }

    fn carry(&mut self, now: Timestamp, from: Endpoint, to: Endpoint, bytes: &[u8]) {
        let mut bytes = bytes.to_vec();
        let is_truncated = self.happens(self.conditions.truncation) && !bytes.is_empty();
        if is_truncated {
            bytes.truncate(self.rng.index(bytes.len()));
        }
        let is_flipped = self.happens(self.conditions.flips) && !bytes.is_empty();
        if is_flipped {
            let place = self.rng.index(bytes.len());
            bytes[place] ^= 1 << self.rng.below(8);
        }
        let is_damaged = is_truncated || is_flipped;
        self.tally.damaged += u64::from(is_damaged);
        self.queue(now, from, to, ArrivedMessage::Datagram { bytes, is_damaged });
    }

    fn queue(&mut self, now: Timestamp, from: Endpoint, to: Endpoint, content: ArrivedMessage) {
        let due = now.after(self.rng.below(self.conditions.delay_ms + 1).into());
        let at = self.routes.entry((from, to)).or_default().admit(due, self.conditions.reorder);
        self.sequence += 1;
        self.queue.insert((at, self.sequence), Arrival { at, from, to, content });
    }

    fn happens(&mut self, percent: u32) -> bool {
        self.rng.below(100) < percent
    }
}

impl NetPath {
    /// The time at which something that is due at `due` really arrives.
    fn admit(&mut self, due: Timestamp, reorder: bool) -> Timestamp {
        let window = if reorder { MAX_OVERTAKEN } else { 0 };
        while self.recent.len() > window {
            self.floor = self.floor.max(self.recent.pop_front().unwrap_or_default());
        }
        let at = due.max(self.floor);
        self.recent.push_back(at);
        at
    }
}

#[cfg(test)]
mod tests;
