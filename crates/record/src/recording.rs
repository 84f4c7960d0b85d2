//! A recording in memory: what fixed the game, and what happened in it.

use crate::{Ending, Entry, Header, Millis, What};

/// A game as it was recorded. Reading gives one (see `Recording::read`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// What fixed the game.
    pub header: Header,
    /// What happened, in order.
    pub records: Vec<Record>,
    /// How the game stood every so often, in order. The first is its start.
    pub checkpoints: Vec<Checkpoint>,
}

/// An entry and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The entry.
    pub entry: Entry,
    /// Its first byte.
    pub offset: usize,
}

/// How the game stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Behind so many entries.
    pub behind: usize,
    /// The hash of the game's state there.
    pub state: u64,
    /// Its first byte.
    pub offset: usize,
}

impl Recording {
    /// The entries, in order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &Entry> + DoubleEndedIterator {
        self.records.iter().map(|record| &record.entry)
    }

    /// Why it ends, if it says so. A server that crashed could not.
    pub fn ending(&self) -> Option<Ending> {
        match self.last()?.what {
            What::End(ending) => Some(ending),
            _ => None,
        }
    }

    /// The game is over, and everybody was told.
    pub fn is_told(&self) -> bool {
        self.records.last().is_some_and(|record| record.entry.what == What::Told)
    }

    /// How long it goes on.
    pub fn duration(&self) -> Millis {
        self.last().map_or(Millis(0), |entry| entry.at)
    }

    /// The last entry of the game itself.
    fn last(&self) -> Option<&Entry> {
        self.entries().rfind(|entry| entry.what != What::Told)
    }
}
