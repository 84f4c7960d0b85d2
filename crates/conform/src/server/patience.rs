//! How long to wait for an answer: a slow server is not a wrong one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Even the fastest is given so long: our own machine may be busy. A server's repeat of a lost
/// message (a quarter of a second) comes within it.
const SHORTEST: Duration = Duration::from_millis(400);
/// The slowest answer so far may take so many times as long the next time.
const LENIENCE: u32 = 20;

/// Adapts to the slowest answer so far. Clones know the same.
#[derive(Clone, Debug)]
pub(crate) struct Patience {
    slowest_ms: Arc<AtomicU64>,
    shortest: Duration,
    longest: Duration,
}

impl Patience {
    /// Each attempt waits longer than the one before.
    pub(crate) fn new(attempt: u32, longest: Duration) -> Self {
        let shortest = (SHORTEST * (1 << attempt.min(3))).min(longest);
        Self { slowest_ms: Arc::default(), shortest, longest }
    }

    /// Notes how long an answer took.
    pub(crate) fn note(&self, took: Duration) {
        let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        self.slowest_ms.fetch_max(took, Ordering::Relaxed);
    }

    /// For one answer.
    pub(crate) fn wait(&self) -> Duration {
        let slowest = Duration::from_millis(self.slowest_ms.load(Ordering::Relaxed));
        slowest.saturating_mul(LENIENCE).clamp(self.shortest, self.longest)
    }

    /// For the first answer of all, and for the end of a program.
    pub(crate) fn longest(&self) -> Duration {
        self.longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_answers_slowly_is_waited_for_longer() {
        let patience = Patience::new(0, Duration::from_secs(5));
        assert_eq!(patience.wait(), SHORTEST);
        patience.note(Duration::from_millis(100));
        patience.note(Duration::from_millis(3));
        assert_eq!(patience.wait(), Duration::from_secs(2));
        patience.note(Duration::from_secs(60));
        assert_eq!(patience.wait(), Duration::from_secs(5));
        assert!(Patience::new(2, Duration::from_secs(5)).wait() > SHORTEST);
    }
}
