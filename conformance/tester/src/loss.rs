//! Datagrams dropped on purpose, to test the tester and its subjects on a bad line.

use nuggets_game::{Rng, Seed};

/// Drops a percentage of datagrams, chosen by a seed.
#[derive(Debug)]
pub(crate) struct Loss {
    percent: u32,
    rng: Rng,
}

impl Loss {
    pub(crate) fn new(percent: u32, seed: i64) -> Self {
        Self { percent, rng: Rng::new(Seed::new(seed)) }
    }

    /// True if the next datagram is to be dropped.
    pub(crate) fn drops_next(&mut self) -> bool {
        self.percent > 0 && self.rng.below(100) < self.percent
    }
}
