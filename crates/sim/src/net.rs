//! A network in memory: it carries datagrams in virtual time, and not well. Everything that happens
//! to them is fixed by a seed. It knows nothing of what they say.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use nuggets_game::{Chance, Seed};
use nuggets_server::Millis;

mod weather;

pub use weather::{Partition, Weather};

/// A datagram is overtaken by so many later ones at most.
const WINDOW: usize = 64;

/// Whichever end of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Party {
    /// The server.
    Server,
    /// A client, by its number.
    Client(usize),
}

/// What the network brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freight {
    /// A datagram.
    Datagram {
        /// What is left of it.
        bytes: Vec<u8>,
        /// Something was cut off or turned on the way.
        is_damaged: bool,
    },
    /// What was sent to the other end has found nobody there.
    Unreachable,
}

/// Something that arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// When.
    pub at: Millis,
    /// From which end.
    pub from: Party,
    /// At which end.
    pub to: Party,
    /// What.
    pub freight: Freight,
}

/// What became of all datagrams so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Handed in.
    pub sent: u64,
    /// Lost by chance, or between ends that were cut off from each other.
    pub lost: u64,
    /// Carried twice.
    pub doubled: u64,
    /// Carried, but not whole.
    pub damaged: u64,
}

impl Tally {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            sent: self.sent + other.sent,
            lost: self.lost + other.lost,
            doubled: self.doubled + other.doubled,
            damaged: self.damaged + other.damaged,
        }
    }
}

/// A network under some weather.
///
/// ```
/// use nuggets_game::Seed;
/// use nuggets_server::Millis;
/// use nuggets_sim::net::{Net, Party, Weather};
///
/// let mut net = Net::new(Weather { duplication: 100, ..Weather::calm() }, Seed::new(1));
/// net.send(Millis(5), Party::Client(0), Party::Server, b"KEY h");
/// assert_eq!(net.next_at(), Some(Millis(5)));
/// assert_eq!([net.take(), net.take()].map(|it| it.unwrap().to), [Party::Server; 2]);
/// assert_eq!(net.take(), None);
/// ```
#[derive(Clone, Debug)]
pub struct Net {
    weather: Weather,
    chance: Chance,
    queue: BinaryHeap<Reverse<Queued>>,
    sequence: u64,
    routes: BTreeMap<(Party, Party), Route>,
    tally: Tally,
}

/// One way from one end to another.
#[derive(Clone, Debug, Default)]
struct Route {
    /// When the last ones arrive.
    recent: VecDeque<Millis>,
    /// Nothing may arrive earlier than this.
    floor: Millis,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Queued {
    sequence: u64,
    delivery: Delivery,
}

impl Net {
    /// An empty network.
    pub fn new(weather: Weather, seed: Seed) -> Self {
        Self {
            weather,
            chance: Chance::new(seed),
            queue: BinaryHeap::new(),
            sequence: 0,
            routes: BTreeMap::new(),
            tally: Tally::default(),
        }
    }

    /// The weather.
    pub fn weather(&self) -> &Weather {
        &self.weather
    }

    /// What became of everything so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Takes a datagram; true if at least one will arrive.
    pub fn send(&mut self, now: Millis, from: Party, to: Party, bytes: &[u8]) -> bool {
        self.tally.sent += 1;
        if self.loses(now, from, to) {
            self.tally.lost += 1;
            return false;
        }
        self.carry(now, from, to, bytes);
        if self.happens(self.weather.duplication) {
            self.tally.doubled += 1;
            self.carry(now, from, to, bytes);
        }
        true
    }

    /// Nobody was there to take a delivery: the sender of a datagram may be told.
    pub fn bounce(&mut self, now: Millis, delivery: &Delivery) {
        let Delivery { from, to, freight, .. } = delivery;
        let is_answered = self.weather.unreachable && *freight != Freight::Unreachable;
        if is_answered && !self.loses(now, *to, *from) {
            self.queue(now, *to, *from, Freight::Unreachable);
        }
    }

    /// The weather clears: whatever is under way arrives now, in the order in which it would have.
    pub fn clear(&mut self, now: Millis) {
        self.weather = Weather { unreachable: self.weather.unreachable, ..Weather::calm() };
        let waiting = std::mem::take(&mut self.queue).into_sorted_vec();
        self.routes.clear();
        // Sorted by `Reverse`: the last comes first.
        for Reverse(queued) in waiting.into_iter().rev() {
            let Delivery { from, to, freight, .. } = queued.delivery;
            self.queue(now, from, to, freight);
        }
    }

    /// When the next delivery is due.
    pub fn next_at(&self) -> Option<Millis> {
        self.queue.peek().map(|Reverse(queued)| queued.delivery.at)
    }

    /// The next delivery.
    pub fn take(&mut self) -> Option<Delivery> {
        self.queue.pop().map(|Reverse(queued)| queued.delivery)
    }

    fn loses(&mut self, now: Millis, from: Party, to: Party) -> bool {
        let is_cut = [from, to].into_iter().any(|end| match end {
            Party::Client(number) => self.weather.cuts(now, number),
            Party::Server => false,
        });
        self.happens(self.weather.loss) || is_cut
    }

    fn carry(&mut self, now: Millis, from: Party, to: Party, bytes: &[u8]) {
        let mut bytes = bytes.to_vec();
        let is_cut = self.happens(self.weather.truncation) && !bytes.is_empty();
        if is_cut {
            bytes.truncate(self.chance.index(bytes.len()));
        }
        let is_turned = self.happens(self.weather.flips) && !bytes.is_empty();
        if is_turned {
            let place = self.chance.index(bytes.len());
            bytes[place] ^= 1 << self.chance.below(8);
        }
        let is_damaged = is_cut || is_turned;
        self.tally.damaged += u64::from(is_damaged);
        self.queue(now, from, to, Freight::Datagram { bytes, is_damaged });
    }

    fn queue(&mut self, now: Millis, from: Party, to: Party, freight: Freight) {
        let due = now.after(self.chance.below(self.weather.delay_ms + 1).into());
        let at = self.routes.entry((from, to)).or_default().admit(due, self.weather.reorder);
        let sequence = self.sequence;
        self.sequence += 1;
        self.queue.push(Reverse(Queued { sequence, delivery: Delivery { at, from, to, freight } }));
    }

    fn happens(&mut self, percent: u32) -> bool {
        self.chance.below(100) < percent
    }
}

impl Route {
    /// When something that is due then really arrives.
    fn admit(&mut self, due: Millis, reorder: bool) -> Millis {
        let window = if reorder { WINDOW } else { 0 };
        while self.recent.len() > window {
            self.floor = self.floor.max(self.recent.pop_front().unwrap_or_default());
        }
        let at = due.max(self.floor);
        self.recent.push_back(at);
        at
    }
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.delivery.at, self.sequence).cmp(&(other.delivery.at, other.sequence))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests;
