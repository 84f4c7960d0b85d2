//! Journals and recordings as files. Decides what happens when one can't be written, and always logs it.

use std::io;
use std::path::{Path, PathBuf};

use tracing::{error, warn};

use super::{RecordKind, Storage, Stored};
use crate::journal::{JournalFile, RecordingFile};
use crate::record_file::{Interference, RecordFile};

/// The reaction to a journal that can't be written any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnJournalError {
    /// Stop the game: no move is ever shown that is not in the journal.
    #[default]
    Stop,
    /// Continue the game without a journal.
    Continue,
}

/// Options for writing a journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalPolicy {
    /// True if every move is on the disk before any client sees it, so that it survives a power failure.
    pub durable: bool,
    /// The reaction if the journal can't be written any more, or was deleted, moved or changed.
    pub on_error: OnJournalError,
}

/// The name of a journal after its game has continued without it.
pub(crate) fn stale_path(journal: &Path) -> PathBuf {
    let mut path = journal.as_os_str().to_owned();
    path.push(".stale");
    path.into()
}

/// Maximum time until the driver notices that a journal was deleted, moved or changed while nothing is written.
const CHECK_INTERVAL_MS: u64 = 5_000;

/// The files for a room's records, if any.
#[derive(Debug, Default)]
pub struct Files {
    recording: Option<RecordFile>,
    journal: Option<RecordFile>,
    policy: JournalPolicy,
    /// True if the journal has bytes that may not be on the disk yet.
    needs_sync: bool,
}

impl Files {
    /// Writes the recording to this file.
    #[must_use]
    pub fn with_recording(mut self, recording: RecordingFile) -> Self {
        self.recording = Some(recording.file);
        self
    }

    /// Appends the journal to this file.
    #[must_use]
    pub fn with_journal(mut self, journal: JournalFile, policy: JournalPolicy) -> Self {
        self.journal = Some(journal.file);
        self.policy = policy;
        self
    }

    fn handle_failure(&mut self, kind: RecordKind, why: &io::Error) -> io::Result<Stored> {
        let failed = match kind {
            RecordKind::Recording => self.recording.take(),
            RecordKind::Journal => self.journal.take(),
        };
        let Some(failed) = failed else { return Ok(Stored::GivenUp) };
        let path = failed.path().display().to_string();
        let stale = stale_path(failed.path());
        let has_interfered =
            why.get_ref().and_then(|why| why.downcast_ref::<Interference>()).is_some();
        match (kind, self.policy.on_error) {
            (RecordKind::Recording, _) => {
                warn!("can't write '{path}': {why}. The game continues unrecorded");
                Ok(Stored::GivenUp)
            }
            (RecordKind::Journal, OnJournalError::Continue) => {
                let done = failed.set_aside(&stale);
                error!("can't write '{path}': {why}. The game continues without a journal. {done}");
                Ok(Stored::GivenUp)
            }
            (RecordKind::Journal, OnJournalError::Stop) => {
                let done = has_interfered.then(|| failed.set_aside(&stale));
                let done = done.map(|done| format!(". {done}")).unwrap_or_default();
                error!("can't write '{path}': {why}. The game is stopped{done}");
                Err(io::Error::new(why.kind(), format!("'{path}': {why}{done}")))
            }
        }
    }
}

impl Storage for Files {
    fn append(&mut self, kind: RecordKind, bytes: &[u8]) -> io::Result<Stored> {
        let file = match kind {
            RecordKind::Recording => &mut self.recording,
            RecordKind::Journal => &mut self.journal,
        };
        let Some(file) = file else { return Ok(Stored::GivenUp) };
        match file.append(bytes) {
            Ok(()) => {
                self.needs_sync |= kind == RecordKind::Journal;
                Ok(Stored::Yes)
            }
            Err(why) => self.handle_failure(kind, &why),
        }
    }

    fn sync(&mut self) -> io::Result<Stored> {
        let needs_sync = std::mem::take(&mut self.needs_sync);
        match &self.journal {
            Some(journal) if self.policy.durable && needs_sync => match journal.sync() {
                Ok(()) => Ok(Stored::Yes),
                Err(why) => self.handle_failure(RecordKind::Journal, &why),
            },
            _ => Ok(Stored::Yes),
        }
    }

    fn check(&mut self) -> io::Result<Stored> {
        match self.journal.as_ref().map(RecordFile::check) {
            Some(Err(why)) => self.handle_failure(RecordKind::Journal, &why),
            _ => Ok(Stored::Yes),
        }
    }

    fn check_interval_ms(&self) -> Option<u64> {
        self.journal.as_ref().map(|_| CHECK_INTERVAL_MS)
    }

    fn is_slow(&self) -> bool {
        self.policy.durable && self.journal.is_some()
    }
}

#[cfg(test)]
mod tests;
