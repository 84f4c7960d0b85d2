//! Measures the duration of journal writes, since no move is sent before its write has returned.

use std::io;

use nuggets_server::{Files, JournalFile, JournalPolicy, RecordKind, Storage, Stored};
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
    /// Opens the storage of a game with this file, whose appends are measured.
    pub(super) fn measured(&self, file: JournalFile) -> GameStorage {
        let files = Files::default().with_journal(file, JournalPolicy::default());
        Box::new(MeasuredFiles { files, time: self.clone() })
    }
}

struct MeasuredFiles {
    files: Files,
    time: JournalTime,
}

impl Storage for MeasuredFiles {
    fn append(&mut self, kind: RecordKind, bytes: &[u8]) -> io::Result<Stored> {
        let clock = Clock::start();
        let stored = self.files.append(kind, bytes);
        self.time.0.observe(clock.elapsed().as_secs_f64());
        stored
    }

    fn sync(&mut self) -> io::Result<Stored> {
        self.files.sync()
    }

    fn check(&mut self) -> io::Result<Stored> {
        self.files.check()
    }

    fn check_interval_ms(&self) -> Option<u64> {
        self.files.check_interval_ms()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measured_journal_is_checked_as_often_as_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut measured = JournalTime::default().measured(JournalFile::open(&path).unwrap());
        assert_eq!(measured.check_interval_ms(), Some(5_000));
        std::fs::remove_file(path).unwrap();
        assert!(measured.check().is_err());
    }
}
