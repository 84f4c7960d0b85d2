//! Where the records of a room are stored: files, memory, later a replicated log. What happens when a
//! record can't be stored is the storage's decision.

use std::io;

mod files;

pub(crate) use files::stale_path;
pub use files::{Files, JournalPolicy, OnJournalError};

/// What is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// A journal, from which the game can be resumed with every peer in the same seat.
    Journal,
    /// A recording to be shared: it identifies no peer.
    Recording,
}

/// What became of bytes that were to be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Stored {
    /// They are stored.
    Yes,
    /// They could not be stored, and the game continues without this journal or recording.
    GivenUp,
}

/// Stores the bytes of journals and recordings. `Err` means that the game must stop, since nothing may be
/// sent that is not stored.
pub trait Storage {
    /// Appends all of these bytes, or none.
    fn append(&mut self, kind: RecordKind, bytes: &[u8]) -> io::Result<Stored>;

    /// Makes the journal durable up to here, if it is to survive a power failure. The driver calls it once
    /// for everything that is sent together, before it is sent.
    fn sync(&mut self) -> io::Result<Stored> {
        Ok(Stored::Yes)
    }

    /// Checks that the journal is still where a server would look for it.
    fn check(&mut self) -> io::Result<Stored> {
        Ok(Stored::Yes)
    }

    /// How often the driver calls `check` while nothing is stored; `None` for never.
    fn check_interval_ms(&self) -> Option<u64> {
        None
    }

    /// True if `sync` is so slow that several messages should share one call.
    fn is_slow(&self) -> bool {
        false
    }
}

impl<S: Storage + ?Sized> Storage for Box<S> {
    fn append(&mut self, kind: RecordKind, bytes: &[u8]) -> io::Result<Stored> {
        (**self).append(kind, bytes)
    }

    fn sync(&mut self) -> io::Result<Stored> {
        (**self).sync()
    }

    fn check(&mut self) -> io::Result<Stored> {
        (**self).check()
    }

    fn check_interval_ms(&self) -> Option<u64> {
        (**self).check_interval_ms()
    }

    fn is_slow(&self) -> bool {
        (**self).is_slow()
    }
}

/// Stores nothing if there is none, for example because it was closed.
impl<S: Storage> Storage for Option<S> {
    fn append(&mut self, kind: RecordKind, bytes: &[u8]) -> io::Result<Stored> {
        self.as_mut().map_or(Ok(Stored::GivenUp), |storage| storage.append(kind, bytes))
    }

    fn sync(&mut self) -> io::Result<Stored> {
        self.as_mut().map_or(Ok(Stored::GivenUp), Storage::sync)
    }

    fn check(&mut self) -> io::Result<Stored> {
        self.as_mut().map_or(Ok(Stored::GivenUp), Storage::check)
    }

    fn check_interval_ms(&self) -> Option<u64> {
        self.as_ref().and_then(Storage::check_interval_ms)
    }

    fn is_slow(&self) -> bool {
        self.as_ref().is_some_and(Storage::is_slow)
    }
}

/// Stores nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoStorage;

impl Storage for NoStorage {
    fn append(&mut self, _: RecordKind, _: &[u8]) -> io::Result<Stored> {
        Ok(Stored::GivenUp)
    }
}
