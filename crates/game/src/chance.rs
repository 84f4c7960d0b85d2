//! All chance in a game: one seeded stream with a fixed algorithm, and draws of our own.
//!
//! The stream is `ChaCha8`, whose output is fixed by its definition. Everything made from it (how a
//! seed becomes a key, how a number below a bound is drawn) is written here, so that no library's
//! release can change what a seed contains. The seed catalogue notices if it happens all the same.

use std::fmt;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// What fixes all chance of a game. Two games with one seed, map and inputs are the same game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed(i64);

impl Seed {
    /// Any integer is a seed.
    pub fn new(number: i64) -> Self {
        Self(number)
    }

    /// The number.
    pub fn number(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A stream of chance.
///
/// ```
/// use nuggets_game::{Chance, Seed};
///
/// let (mut one, mut two) = (Chance::new(Seed::new(5)), Chance::new(Seed::new(5)));
/// assert!((0..100).all(|_| one.below(6) == two.below(6)));
/// ```
#[derive(Clone, Debug)]
pub struct Chance {
    stream: ChaCha8Rng,
}

impl Chance {
    /// The stream of this seed, from its start. The seed is the key's first eight bytes, lowest
    /// first; the rest of the key is zero.
    pub fn new(seed: Seed) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.0.to_le_bytes());
        Self { stream: ChaCha8Rng::from_seed(key) }
    }

    /// A whole number from 0 up to but not including `bound`, each equally likely.
    ///
    /// Numbers from the incomplete last run of `bound` are thrown away: without that the small
    /// results would be a little more likely.
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "there is no number below 0");
        let whole_runs = u32::MAX - u32::MAX % bound;
        loop {
            let draw = self.stream.next_u32();
            if draw < whole_runs {
                return draw % bound;
            }
        }
    }

    /// What fixes every later draw: the key, and how much of its stream is used up.
    pub(crate) fn state(&self) -> ([u8; 32], u128) {
        (self.stream.get_seed(), self.stream.get_word_pos())
    }

    /// One of these, each equally likely.
    pub fn index(&mut self, len: usize) -> usize {
        let bound = u32::try_from(len).expect("no map has four billion spots");
        self.below(bound) as usize
    }

    /// `count` different numbers out of `0..len`, in the order in which they were drawn.
    pub fn distinct(&mut self, count: usize, len: usize) -> Vec<usize> {
        assert!(count <= len, "only {len} to choose {count} from");
        let mut deck: Vec<usize> = (0..len).collect();
        for drawn in 0..count {
            let pick = drawn + self.index(len - drawn);
            deck.swap(drawn, pick);
        }
        deck.truncate(count);
        deck
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_of_a_seed_never_changes() {
        let draws = |seed: i64| {
            let mut chance = Chance::new(Seed::new(seed));
            [(); 8].map(|()| chance.below(1000))
        };
        assert_eq!(draws(1), [719, 553, 702, 218, 202, 886, 258, 116]);
        assert_eq!(draws(-1), [543, 49, 732, 585, 888, 118, 420, 307]);
    }

    #[test]
    fn draws_stay_below_their_bound_and_reach_every_number() {
        let mut chance = Chance::new(Seed::new(3));
        for bound in 1..40 {
            let mut met = vec![false; bound as usize];
            for _ in 0..bound * 40 {
                met[chance.below(bound) as usize] = true;
            }
            assert!(met.into_iter().all(|met| met), "some number below {bound} never came");
        }
    }

    /// A bound far from a power of two: a plain remainder would favour the small half, 65 to 35.
    #[test]
    fn every_number_below_a_bound_is_equally_likely() {
        let mut chance = Chance::new(Seed::new(6));
        let small = (0..4000).filter(|_| chance.below(3_000_000_000) < 1_500_000_000).count();
        assert!((1900..2100).contains(&small), "{small} of 4000 are in the small half");
    }

    #[test]
    fn distinct_draws_are_distinct_and_can_take_all() {
        let mut chance = Chance::new(Seed::new(4));
        let mut all = chance.distinct(50, 50);
        all.sort_unstable();
        assert_eq!(all, (0..50).collect::<Vec<_>>());
        assert_eq!(chance.distinct(0, 0), []);
    }

    #[test]
    #[should_panic(expected = "only 3 to choose 4 from")]
    fn more_than_there_are_is_refused() {
        Chance::new(Seed::new(4)).distinct(4, 3);
    }
}
