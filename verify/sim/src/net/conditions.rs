//! How bad a network is: drawn at random, within bounds.

use std::fmt;

use nuggets_game::Rng;
use nuggets_server::Timestamp;

/// What a network does to datagrams. `loss`, `duplication`, `truncation` and `flips` are in percent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NetworkConditions {
    /// Datagrams lost, in each direction.
    pub(crate) loss: u32,
    /// Datagrams delivered twice.
    pub(crate) duplication: u32,
    /// The longest delay; that of each datagram is random.
    pub(crate) delay_ms: u32,
    /// Up to 64 later datagrams may overtake an earlier one.
    pub(crate) reorder: bool,
    /// Datagrams truncated.
    pub(crate) truncation: u32,
    /// Datagrams with one bit flipped.
    pub(crate) flips: u32,
    /// When which clients are cut off.
    pub(crate) partitions: Vec<Partition>,
    /// A datagram without a receiver causes an 'unreachable' notice, which may be lost itself.
    pub(crate) unreachable: bool,
}

/// Some clients are cut off for a while, in both directions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Partition {
    /// The first millisecond.
    pub(crate) since: Timestamp,
    /// The first millisecond after it.
    pub(crate) until: Timestamp,
    /// The numbers of the clients that are cut off.
    pub(crate) clients: Vec<usize>,
}

const MAX_LOSS: u32 = 50;
const MAX_DUPLICATION: u32 = 20;
const MAX_DELAY_MS: u32 = 5_000;
const MAX_TRUNCATION: u32 = 1;
const MAX_FLIPS: u32 = 1;

impl NetworkConditions {
    /// A network that delivers everything at once and in order.
    pub(crate) fn perfect() -> Self {
        Self {
            loss: 0,
            duplication: 0,
            delay_ms: 0,
            reorder: false,
            truncation: 0,
            flips: 0,
            partitions: Vec::new(),
            unreachable: false,
        }
    }

    /// Any conditions for this number of clients; partitions begin within `span_ms`.
    pub(crate) fn draw(rng: &mut Rng, clients: usize, span_ms: u32) -> Self {
        let mut conditions = Self {
            loss: one_of(rng, &[0, 10, 30, MAX_LOSS]),
            duplication: one_of(rng, &[0, 5, MAX_DUPLICATION]),
            delay_ms: one_of(rng, &[1, 50, 300, 300, 1_000, MAX_DELAY_MS]),
            reorder: rng.below(3) > 0,
            truncation: rng.below(MAX_TRUNCATION + 1),
            flips: rng.below(MAX_FLIPS + 1),
            partitions: Vec::new(),
            unreachable: rng.below(2) > 0,
        };
        for _ in 0..rng.below(6).saturating_sub(3) {
            conditions.partitions.push(Partition::draw(rng, clients, span_ms));
        }
        conditions
    }

    /// Losses up to this share, duplicates and short delays, but no damage and no partitions.
    pub(crate) fn draw_lossy(rng: &mut Rng, max_loss: u32) -> Self {
        Self {
            loss: one_of(rng, &[0, max_loss / 2, max_loss, max_loss]),
            duplication: one_of(rng, &[0, MAX_DUPLICATION]),
            delay_ms: one_of(rng, &[1, 50, FAIR_DELAY_MS]),
            reorder: rng.below(2) > 0,
            unreachable: rng.below(2) > 0,
            ..Self::perfect()
        }
    }

    /// A client that keeps sending is answered before a server closes, and no message is damaged.
    pub(crate) fn is_fair(&self) -> bool {
        let is_whole = self.truncation + self.flips == 0;
        self.loss <= 30 && self.delay_ms <= FAIR_DELAY_MS && is_whole
    }

    /// True if this client is cut off at any time between these two.
    pub(crate) fn cuts_between(&self, since: Timestamp, until: Timestamp, client: usize) -> bool {
        let meets = |cut: &Partition| cut.since <= until && since < cut.until;
        self.partitions.iter().any(|cut| meets(cut) && cut.clients.contains(&client))
    }
}

/// All conditions in one line.
impl fmt::Display for NetworkConditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "loss {} %, duplicates {} %", self.loss, self.duplication)?;
        let order = if self.reorder { "out of order" } else { "in order" };
        write!(f, ", delays to {} ms, {order}", self.delay_ms)?;
        write!(f, ", truncated {} %, bits flipped {} %", self.truncation, self.flips)?;
        match self.partitions.len() {
            0 => Ok(()),
            1 => f.write_str(", 1 partition"),
            more => write!(f, ", {more} partitions"),
        }
    }
}

/// With a longer delay an answer may arrive after the server has closed.
const FAIR_DELAY_MS: u32 = 300;

impl Partition {
    fn draw(rng: &mut Rng, clients: usize, span_ms: u32) -> Self {
        let since = Timestamp(rng.below(span_ms.max(1)).into());
        let until = since.after(u64::from(200 + rng.below(8_000)));
        let clients = (0..clients).filter(|_| rng.below(2) == 0).collect();
        Self { since, until, clients }
    }
}

/// One of the bounds, or a random number below it: extremes are drawn often.
fn one_of(rng: &mut Rng, bounds: &[u32]) -> u32 {
    let bound = bounds[rng.index(bounds.len())];
    if rng.below(2) == 0 { bound } else { rng.below(bound + 1) }
}

#[cfg(test)]
mod tests {
    use nuggets_game::Seed;

    use super::*;

    #[test]
    fn all_kinds_of_conditions_are_drawn_and_none_exceeds_its_bound() {
        let mut rng = Rng::new(Seed::new(1));
        let drawn: Vec<NetworkConditions> =
            (0..2_000).map(|_| NetworkConditions::draw(&mut rng, 8, 10_000)).collect();
        let max = |of: fn(&NetworkConditions) -> u32| drawn.iter().map(of).max();
        let min = |of: fn(&NetworkConditions) -> u32| drawn.iter().map(of).min();
        assert_eq!((min(|w| w.loss), max(|w| w.loss)), (Some(0), Some(50)));
        assert_eq!((min(|w| w.duplication), max(|w| w.duplication)), (Some(0), Some(20)));
        assert_eq!((min(|w| w.delay_ms), max(|w| w.delay_ms)), (Some(0), Some(5_000)));
        assert_eq!((min(|w| w.truncation), max(|w| w.truncation)), (Some(0), Some(1)));
        assert_eq!((min(|w| w.flips), max(|w| w.flips)), (Some(0), Some(1)));
        let count = |of: fn(&NetworkConditions) -> bool| drawn.iter().filter(|w| of(w)).count();
        for number in [
            count(|w| w.reorder),
            count(|w| w.unreachable),
            count(NetworkConditions::is_fair),
            count(|w| !w.partitions.is_empty()),
        ] {
            assert!((200..1_800).contains(&number), "{number} of 2000");
        }
    }
}
