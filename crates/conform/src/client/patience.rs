//! How long to wait for a client: a slow one is not a wrong one.

use std::time::Duration;

/// Even the fastest is given so long: our own machine may be busy.
const SHORTEST: Duration = Duration::from_millis(1500);
/// Whoever needed long to start may take so many times as long for anything.
const LENIENCE: u32 = 10;
/// And this is the end of it.
const LONGEST: Duration = Duration::from_secs(30);
/// The first sign of life may take so long: a program in an interpreter starts slowly.
pub(crate) const START: Duration = Duration::from_secs(15);

/// Adapts to how long the program took to start. Each attempt waits longer than the one before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    usual: Duration,
    started: Duration,
}

impl Patience {
    pub(crate) fn new(attempt: u32, longest: Duration) -> Self {
        let usual = (SHORTEST * (1 << attempt.min(4))).min(longest);
        Self { usual, started: Duration::ZERO }
    }

    /// Is this the shortest wait of all, before anything is tried again?
    pub(crate) fn is_first(&self) -> bool {
        self.wait() == SHORTEST
    }

    /// The first sign of life took so long.
    pub(crate) fn note(&mut self, took: Duration) {
        self.started = self.started.max(took);
    }

    /// For one thing to happen.
    pub(crate) fn wait(&self) -> Duration {
        self.started.saturating_mul(LENIENCE).clamp(self.usual, LONGEST.max(self.usual))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_starts_slowly_is_waited_for_longer() {
        let mut patience = Patience::new(0, Duration::from_secs(5));
        assert_eq!(patience.wait(), SHORTEST);
        patience.note(Duration::from_millis(900));
        assert_eq!(patience.wait(), Duration::from_secs(9));
        patience.note(Duration::from_secs(9));
        assert_eq!(patience.wait(), LONGEST);
        assert_eq!(Patience::new(9, Duration::from_secs(5)).wait(), Duration::from_secs(5));
    }
}
