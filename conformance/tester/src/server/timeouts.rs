//! Time limits for answers. A slow server is not a wrong one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The shortest wait: our own machine may be busy. A server that resends a lost message after a
/// quarter of a second does so within this time.
const MIN_WAIT: Duration = Duration::from_millis(400);
/// The shortest wait for something that a server perhaps never does. The probe waits for it once, not every check.
const PROBE_WAIT: Duration = Duration::from_secs(2);
/// The factor by which the next answer may be slower than the slowest one up to now.
const SLOWEST_FACTOR: u32 = 20;
/// The factor by which the wait is longer for a working server that is known to need time than for a sleeping one.
const WORKING_FACTOR: u32 = 5;
/// The longest wait for a server with fast answers, unless `FAST_FACTOR` allows more.
const FAST_WAIT: Duration = Duration::from_secs(1);
/// The factor by which an answer of a fast server may be slower than its slowest one.
const FAST_FACTOR: u32 = 4;
/// The number of times its slowest answer that a server must be silent before it counts as done.
const QUIET_FACTOR: u32 = 5;
/// The minimum of that silence.
const MIN_QUIET: Duration = Duration::from_millis(100);

/// The time of sleep, without waiting datagrams, after which a server is not about to do anything.
const SETTLE: Duration = Duration::from_millis(20);
/// The time of the fastest answer above which a server counts as slow by itself, and not because this machine is busy.
pub(crate) const SLOW_ANSWER: Duration = Duration::from_millis(40);

/// Time limits that adapt to the slowest answer up to now. Clones share what they learn.
#[derive(Clone, Debug)]
pub(crate) struct Timeouts {
    slowest_ms: Arc<AtomicU64>,
    fastest_ms: Arc<AtomicU64>,
    min: Duration,
    max: Duration,
}

impl Timeouts {
    /// Creates the limits of an attempt. Each attempt waits longer than the one before.
    pub(crate) fn new(attempt: u32, max: Duration) -> Self {
        let min = (MIN_WAIT * (1 << attempt.min(3))).min(max);
        Self {
            slowest_ms: Arc::default(),
            fastest_ms: Arc::new(AtomicU64::new(u64::MAX)),
            min,
            max,
        }
    }

    /// Creates the limits for probing a server: a slow one gets much time.
    pub(crate) fn for_probe(probe: u32, max: Duration) -> Self {
        let min = (PROBE_WAIT * (1 << probe.min(3))).min(max);
        Self { min, ..Self::new(0, max) }
    }

    /// Returns the same limits for a server whose answers may take this long, however fast others are. As long as it
    /// works, it gets even more time.
    pub(crate) fn with_slow_answers(&self, time: Duration) -> Self {
        let min = time.saturating_mul(SLOWEST_FACTOR).max(self.min);
        Self { min, max: self.max.max(min.saturating_mul(WORKING_FACTOR)), ..self.clone() }
    }

    /// Records the time of an answer.
    pub(crate) fn record(&self, took: Duration) {
        let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        self.slowest_ms.fetch_max(took, Ordering::Relaxed);
        self.fastest_ms.fetch_min(took, Ordering::Relaxed);
    }

    /// Returns the limit for one answer. If some answers are fast, a slow one has probably waited for a processor:
    /// while waiting for the next one, the client can see that the server is busy.
    pub(crate) fn answer(&self) -> Duration {
        let slowest = self.slowest();
        let limit = slowest.saturating_mul(SLOWEST_FACTOR);
        let limit = if self.is_slow() {
            limit
        } else {
            limit.min(FAST_WAIT.max(slowest.saturating_mul(FAST_FACTOR)))
        };
        limit.clamp(self.min, self.max)
    }

    /// True if even the fastest answer took long.
    fn is_slow(&self) -> bool {
        self.fastest().is_some_and(|fastest| fastest >= SLOW_ANSWER)
    }

    /// Returns the time of the slowest answer up to now.
    pub(crate) fn slowest(&self) -> Duration {
        Duration::from_millis(self.slowest_ms.load(Ordering::Relaxed))
    }

    /// Returns the time of the fastest answer up to now; `None` if there was no answer.
    pub(crate) fn fastest(&self) -> Option<Duration> {
        let fastest = self.fastest_ms.load(Ordering::Relaxed);
        (fastest < u64::MAX).then(|| Duration::from_millis(fastest))
    }

    /// Returns the silence after which a server has handled everything that was sent to it.
    pub(crate) fn quiet(&self) -> Duration {
        self.slowest().saturating_mul(QUIET_FACTOR).clamp(MIN_QUIET, self.max)
    }

    /// Returns the time after which a sleeping server, for which no datagram waits, will do nothing more. A server
    /// whose answers are all late may sleep before it answers.
    pub(crate) fn settle(&self) -> Duration {
        if self.is_slow() { self.quiet() } else { SETTLE }
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
        assert_eq!(timeouts.answer(), Duration::from_secs(2));
        timeouts.record(Duration::from_secs(60));
        assert_eq!(timeouts.answer(), Duration::from_secs(5));
        assert!(Timeouts::new(2, Duration::from_secs(5)).answer() > MIN_WAIT);
    }

    #[test]
    fn one_slow_answer_of_a_fast_server_does_not_slow_down_all_waits() {
        let timeouts = Timeouts::new(0, Duration::from_secs(5));
        timeouts.record(Duration::from_millis(3));
        timeouts.record(Duration::from_millis(100));
        assert_eq!(timeouts.answer(), FAST_WAIT);
        timeouts.record(Duration::from_millis(600));
        assert_eq!(timeouts.answer(), Duration::from_millis(2400));
        let slow = timeouts.with_slow_answers(Duration::from_millis(150));
        assert_eq!(slow.answer(), Duration::from_secs(3));
        assert_eq!(slow.max(), Duration::from_secs(15), "as long as it works");
    }
}
