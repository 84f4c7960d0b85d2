//! Storage for the records of a room: files, memory, a database. The storage decides what happens when a record can't
//! be stored.

use std::io;

mod files;

pub(crate) use files::stale_path;
pub use files::{Files, JournalPolicy, OnJournalError};

/// The kind of a record file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// A journal, from which the game can be resumed with every peer in the same seat.
    Journal,
    /// A recording for sharing: it identifies no peer.
    Recording,
}

/// The number of a commit, which stores everything that was appended before it began. Later commits have greater
/// numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Commit(pub u64);

/// The result of storing bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Stored {
    /// The bytes are stored.
    Yes,
    /// The bytes are stored with this commit: nothing that shows them may be sent earlier.
    With(Commit),
    /// The bytes could not be stored, and the game continues without this journal or recording.
    GivenUp,
}

/// Stores the bytes of journals and recordings. `Err` means that the game must stop, since nothing may be sent that
/// is not stored.
pub trait Storage {
    /// Appends all of these bytes, or none.
    fn append(&mut self, kind: RecordKind, bytes: &[u8]) -> io::Result<Stored>;

    /// Makes the journal durable up to here, if it must survive a power failure. The driver calls it once for all
    /// messages that are sent together, before sending them.
    fn sync(&mut self) -> io::Result<Stored> {
        Ok(Stored::Yes)
    }

    /// Proves that the journal is still the valid one: no other node has taken over the game. For an answer that
    /// shows the game without storing anything.
    fn prove(&mut self) -> io::Result<Stored> {
        Ok(Stored::Yes)
    }

    /// False while inputs must wait, because it is unknown whether this node still owns the game.
    fn is_ready(&self) -> bool {
        true
    }

    /// Checks that the journal is still where a server would look for it.
    fn check(&mut self) -> io::Result<Stored> {
        Ok(Stored::Yes)
    }

    /// Interval at which the driver calls `check` while nothing is stored; `None` for never.
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

    fn prove(&mut self) -> io::Result<Stored> {
        (**self).prove()
    }

    fn is_ready(&self) -> bool {
        (**self).is_ready()
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

/// Stores nothing if it is `None`, for example because the storage was closed.
impl<S: Storage> Storage for Option<S> {
    fn append(&mut self, kind: RecordKind, bytes: &[u8]) -> io::Result<Stored> {
        self.as_mut().map_or(Ok(Stored::GivenUp), |storage| storage.append(kind, bytes))
    }

    fn sync(&mut self) -> io::Result<Stored> {
        self.as_mut().map_or(Ok(Stored::GivenUp), Storage::sync)
    }

    fn prove(&mut self) -> io::Result<Stored> {
        self.as_mut().map_or(Ok(Stored::GivenUp), Storage::prove)
    }

    fn is_ready(&self) -> bool {
        self.as_ref().is_none_or(Storage::is_ready)
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
