//! The log of events for the side panel, newest entry first.

use std::collections::VecDeque;

use nuggets_session::Timestamp;

/// The maximum number of entries.
const MAX_ENTRIES: usize = 100;

/// An event and its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogEntry {
    /// Milliseconds since the start of the log.
    pub(crate) after_ms: u64,
    /// Printable ASCII.
    pub(crate) text: String,
    /// The letter of the player that it is about.
    pub(crate) letter: Option<u8>,
}

/// The latest entries.
#[derive(Clone, Debug)]
pub(crate) struct EventLog {
    start: Timestamp,
    /// Newest first.
    pub(crate) entries: VecDeque<LogEntry>,
    /// The number of entries that there ever were.
    pub(crate) count: u64,
}

impl EventLog {
    pub(super) fn new(start: Timestamp) -> Self {
        Self { start, entries: VecDeque::new(), count: 0 }
    }

    pub(super) fn add(&mut self, now: Timestamp, letter: Option<u8>, text: String) {
        let after_ms = now.since(self.start);
        self.entries.push_front(LogEntry { after_ms, text, letter });
        self.entries.truncate(MAX_ENTRIES);
        self.count += 1;
    }
}
