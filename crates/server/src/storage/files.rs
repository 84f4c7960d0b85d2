//! Journals and recordings as files. What happens when one can't be written is decided here, and always
//! logged.

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use tracing::{error, warn};

use super::{RecordKind, Storage, Stored};
use crate::journal::{JournalFile, RecordingFile};

/// What to do when the journal can't be written any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnJournalError {
    /// The game stops: no move is ever shown that is not in the journal.
    #[default]
    Stop,
    /// The game continues without a journal.
    Continue,
}

/// How a journal is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalPolicy {
    /// Every move is on the disk before anybody sees it, so that it survives a power failure.
    pub durable: bool,
    /// What to do when it can't be written any more.
    pub on_error: OnJournalError,
}

/// The name of a journal that its game has continued without.
pub(crate) fn stale_path(journal: &Path) -> PathBuf {
    let mut path = journal.as_os_str().to_owned();
    path.push(".stale");
    path.into()
}

/// No recording begins like this.
const STALE_MARK: &[u8] = b"stale ";

/// The files that a room's records go into; perhaps none.
#[derive(Debug, Default)]
pub struct Files {
    recording: Option<AppendFile>,
    journal: Option<AppendFile>,
    policy: JournalPolicy,
}

/// A file that is only ever appended to.
#[derive(Debug)]
struct AppendFile {
    file: File,
    path: PathBuf,
    /// The length of its good part, in bytes.
    length: u64,
    needs_sync: bool,
}

impl Files {
    /// Recordings go into this file.
    #[must_use]
    pub fn with_recording(mut self, recording: RecordingFile) -> Self {
        let RecordingFile { file, path, length } = recording;
        self.recording = Some(AppendFile { file, path, length, needs_sync: false });
        self
    }

    /// The journal goes into this file, behind what is already there.
    #[must_use]
    pub fn with_journal(mut self, journal: JournalFile, policy: JournalPolicy) -> Self {
        let JournalFile { file, path, length, .. } = journal;
        self.journal = Some(AppendFile { file, path, length, needs_sync: false });
        self.policy = policy;
        self
    }

    fn handle_failure(&mut self, kind: RecordKind, why: &io::Error) -> io::Result<Stored> {
        let failed = match kind {
            RecordKind::Recording => self.recording.take(),
            RecordKind::Journal => self.journal.take(),
        };
        let Some(failed) = failed else { return Ok(Stored::GivenUp) };
        let path = failed.path.display().to_string();
        match (kind, self.policy.on_error) {
            (RecordKind::Recording, _) => {
                warn!("can't write '{path}': {why}. The game continues unrecorded");
                Ok(Stored::GivenUp)
            }
            (RecordKind::Journal, OnJournalError::Continue) => {
                let done = failed.mark_stale();
                error!("can't write '{path}': {why}. The game continues without a journal. {done}");
                Ok(Stored::GivenUp)
            }
            (RecordKind::Journal, OnJournalError::Stop) => {
                error!("can't write '{path}': {why}. The game is stopped");
                Err(io::Error::new(why.kind(), format!("'{path}': {why}")))
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
            Ok(()) => Ok(Stored::Yes),
            Err(why) => self.handle_failure(kind, &why),
        }
    }

    fn sync(&mut self) -> io::Result<Stored> {
        match &mut self.journal {
            Some(journal) if self.policy.durable => match journal.sync() {
                Ok(()) => Ok(Stored::Yes),
                Err(why) => self.handle_failure(RecordKind::Journal, &why),
            },
            _ => Ok(Stored::Yes),
        }
    }

    fn is_slow(&self) -> bool {
        self.policy.durable && self.journal.is_some()
    }
}

impl AppendFile {
    /// All of it or nothing, as far as the system allows.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Err(why) = self.file.write_all(bytes) {
            // A reader would cut a torn end off; it is better not to leave one.
            let _ = self.file.set_len(self.length);
            return Err(why);
        }
        self.length += bytes.len() as u64;
        self.needs_sync = true;
        Ok(())
    }

    /// Makes sure that no server resumes it as if it were the whole game: it gets another name, which needs no
    /// space on a full disk. If that fails, its first bytes are overwritten. Returns what was done, for the
    /// log.
    fn mark_stale(mut self) -> String {
        let stale = stale_path(&self.path);
        let Err(why) = fs::rename(&self.path, &stale) else {
            return format!("What was written is now '{}'", stale.display());
        };
        let overwritten = self.file.rewind().and_then(|()| self.file.write_all(STALE_MARK));
        match overwritten {
            Ok(()) => format!("It can't be renamed ({why}), so its beginning was made unreadable"),
            Err(_) => format!("It can't be renamed ({why}): REMOVE IT, it is out of date"),
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.needs_sync) { self.file.sync_data() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
