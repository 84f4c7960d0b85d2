//! The RNG of a game: one seeded stream with a fixed algorithm, and our own draws from it.
//!
//! The stream is `ChaCha8`, whose output is fixed by its definition. Everything made from it (how a
//! seed becomes a key, how a number below a bound is drawn) is written here, so that no release of
//! a library can change the game of a seed. The seed catalogue (`tests/seed_catalogue.rs`) would
//! notice such a change.

use std::fmt;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng};

/// The number that fixes every random draw of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed(i64);

impl Seed {
    /// Any integer is a seed.
    pub fn new(number: i64) -> Self {
        Self(number)
    }

    /// The seed as a number.
    pub fn number(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A stream of random numbers, fixed by its seed.
///
/// ```
/// use nuggets_game::{Rng, Seed};
///
/// let (mut one, mut two) = (Rng::new(Seed::new(5)), Rng::new(Seed::new(5)));
/// assert!((0..100).all(|_| one.below(6) == two.below(6)));
/// ```
#[derive(Clone, Debug)]
pub struct Rng {
    stream: ChaCha8Rng,
}

impl Rng {
    /// The stream of this seed, from its start. The seed is the key's first eight bytes, lowest
    /// first; the rest of the key is zero.
    pub fn new(seed: Seed) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.0.to_le_bytes());
        Self { stream: ChaCha8Rng::from_seed(key) }
    }

    /// A whole number from 0 up to but not including `bound`, each equally likely.
    ///
    /// Draws from the incomplete last run of `bound` are thrown away; otherwise small results would
    /// be slightly more likely.
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

    /// The state that fixes every later draw: the key, and the position in its stream.
    pub(crate) fn state(&self) -> ([u8; 32], u128) {
        (self.stream.get_seed(), self.stream.get_word_pos())
    }

    /// A random index into a collection of this length, each equally likely.
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
            let mut rng = Rng::new(Seed::new(seed));
            [(); 8].map(|()| rng.below(1000))
        };
        assert_eq!(draws(1), [719, 553, 702, 218, 202, 886, 258, 116]);
        assert_eq!(draws(-1), [543, 49, 732, 585, 888, 118, 420, 307]);
    }

    #[test]
    fn every_number_below_a_bound_is_drawn_and_no_other() {
        let mut rng = Rng::new(Seed::new(3));
        for bound in 1..40 {
            let mut met = vec![false; bound as usize];
            for _ in 0..bound * 40 {
                met[rng.below(bound) as usize] = true;
            }
            assert!(met.into_iter().all(|met| met), "some number below {bound} never came");
        }
    }

    /// A bound far from a power of two: a plain remainder would favour the small half, 65 to 35.
    #[test]
    fn every_number_below_a_bound_is_equally_likely() {
        let mut rng = Rng::new(Seed::new(6));
        let small = (0..4000).filter(|_| rng.below(3_000_000_000) < 1_500_000_000).count();
        assert!((1900..2100).contains(&small), "{small} of 4000 are in the small half");
    }

    #[test]
    fn distinct_draws_are_distinct_and_can_draw_all() {
        let mut rng = Rng::new(Seed::new(4));
        let mut all = rng.distinct(50, 50);
        all.sort_unstable();
        assert_eq!(all, (0..50).collect::<Vec<_>>());
        assert_eq!(rng.distinct(0, 0), []);
    }

    #[test]
    #[should_panic(expected = "only 3 to choose 4 from")]
    fn drawing_more_than_there_are_panics() {
        Rng::new(Seed::new(4)).distinct(4, 3);
    }
}
