//! How long to wait for an answer. A slow server is not a wrong one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The shortest wait: our own machine may be busy. A server that resends a lost message after a
/// quarter of a second does so within this time.
const MIN_WAIT: Duration = Duration::from_millis(400);
/// The next answer may take this many times as long as the slowest one so far.
const SLOWEST_FACTOR: u32 = 20;

/// Adapts to the slowest answer so far. Clones share what they learn.
#[derive(Clone, Debug)]
pub(crate) struct Timeouts {
    slowest_ms: Arc<AtomicU64>,
    min: Duration,
    max: Duration,
}

impl Timeouts {
    /// Each attempt waits longer than the one before.
    pub(crate) fn new(attempt: u32, max: Duration) -> Self {
        let min = (MIN_WAIT * (1 << attempt.min(3))).min(max);
        Self { slowest_ms: Arc::default(), min, max }
    }

    /// Records how long an answer took.
    pub(crate) fn record(&self, took: Duration) {
        let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        self.slowest_ms.fetch_max(took, Ordering::Relaxed);
    }

    /// The limit for one answer.
    pub(crate) fn answer(&self) -> Duration {
        let slowest = Duration::from_millis(self.slowest_ms.load(Ordering::Relaxed));
        slowest.saturating_mul(SLOWEST_FACTOR).clamp(self.min, self.max)
    }

    /// The limit for the start and the exit of the program.
    pub(crate) fn max(&self) -> Duration {
        self.max
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_server_gets_more_time() {
        let timeouts = Timeouts::new(0, Duration::from_secs(5));
        assert_eq!(timeouts.answer(), MIN_WAIT);
        timeouts.record(Duration::from_millis(100));
        timeouts.record(Duration::from_millis(3));
        assert_eq!(timeouts.answer(), Duration::from_secs(2));
        timeouts.record(Duration::from_secs(60));
        assert_eq!(timeouts.answer(), Duration::from_secs(5));
        assert!(Timeouts::new(2, Duration::from_secs(5)).answer() > MIN_WAIT);
    }
}
