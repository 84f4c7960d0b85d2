//! Measures the duration of journal writes, since no move is sent before its write has returned.

use std::io;

use nuggets_server::{RecordKind, Storage, Stored};
use nuggets_time::Clock;
use prometheus_client::metrics::histogram::Histogram;

use crate::GameStorage;

/// Bucket bounds in seconds, from a write to the page cache to a failing disk.
const BUCKETS: [f64; 8] = [0.000_01, 0.000_03, 0.000_1, 0.001, 0.01, 0.1, 1.0, 10.0];

/// Durations of the journal appends of all games, in seconds.
#[derive(Clone, Debug)]
pub(crate) struct JournalTime(pub(crate) Histogram);

impl Default for JournalTime {
    fn default() -> Self {
        Self(Histogram::new(BUCKETS))
    }
}

impl JournalTime {
    /// Wraps a storage so that its appends are measured.
    pub(super) fn measure(&self, storage: GameStorage) -> GameStorage {
        Box::new(Measured { storage, time: self.clone() })
    }
}

struct Measured {
    storage: GameStorage,
    time: JournalTime,
}

impl Storage for Measured {
    fn append(&mut self, kind: RecordKind, bytes: &[u8]) -> io::Result<Stored> {
        let clock = Clock::start();
        let stored = self.storage.append(kind, bytes);
        self.time.0.observe(clock.elapsed().as_secs_f64());
        stored
    }

    fn sync(&mut self) -> io::Result<Stored> {
        self.storage.sync()
    }

    fn prove(&mut self) -> io::Result<Stored> {
        self.storage.prove()
    }

    fn is_ready(&self) -> bool {
        self.storage.is_ready()
    }

    fn check(&mut self) -> io::Result<Stored> {
        self.storage.check()
    }

    fn check_interval_ms(&self) -> Option<u64> {
        self.storage.check_interval_ms()
    }

    fn is_slow(&self) -> bool {
        self.storage.is_slow()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_games::Deleted;

    #[test]
    fn a_measured_journal_is_checked_as_often_as_others() {
        let mut measured = JournalTime::default().measure(Box::new(Deleted));
        assert_eq!(measured.check_interval_ms(), Some(5_000));
        assert!(measured.check().is_err());
    }
}
