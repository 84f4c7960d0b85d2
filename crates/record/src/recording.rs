//! A recording in memory: the header and the entries, with their places in the file.

use crate::{Entry, Header, RecordedEvent, RecordingEnd, Timestamp};

/// A recorded game, as [`Recording::read`] gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// The header, which fixes the game before its first input.
    pub header: Header,
    /// All entries with their places, in order.
    pub records: Vec<Record>,
    /// State hashes of the game, in order. The first is of its start.
    pub checkpoints: Vec<Checkpoint>,
}

/// An entry and its place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The entry itself.
    pub entry: Entry,
    /// The offset of its first byte.
    pub offset: usize,
}

/// The state of the game at one point of the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The number of entries before it.
    pub position: usize,
    /// The state hash of the game.
    pub state: u64,
    /// The offset of its first byte.
    pub offset: usize,
}

impl Recording {
    /// The entries, in order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &Entry> + DoubleEndedIterator {
        self.records.iter().map(|record| &record.entry)
    }

    /// Why the recording ends. `None` if it just stops, as after a crash.
    pub fn end(&self) -> Option<RecordingEnd> {
        match self.last()?.what {
            RecordedEvent::End(end) => Some(end),
            _ => None,
        }
    }

    /// True if the game is over and its result was delivered.
    pub fn is_end_delivered(&self) -> bool {
        self.records.last().is_some_and(|record| record.entry.what == RecordedEvent::EndDelivered)
    }

    /// The time of the last entry of the game itself.
    pub fn duration(&self) -> Timestamp {
        self.last().map_or(Timestamp(0), |entry| entry.at)
    }

    /// The last entry of the game itself.
    fn last(&self) -> Option<&Entry> {
        self.entries().rfind(|entry| entry.what != RecordedEvent::EndDelivered)
    }
}
