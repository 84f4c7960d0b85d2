//! Recordings and journals as files. What happens when one can't be written is decided here, and
//! never silently.

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use tracing::{error, warn};

use crate::{RecordKind, Room};

/// What to do when the journal can't be written any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnJournalError {
    /// The game ends: no move that isn't in the journal is ever shown.
    #[default]
    Stop,
    /// The game goes on without a journal.
    GoOn,
}

/// What a journal is called that a game has gone on without.
pub fn stale_path(journal: &Path) -> PathBuf {
    let mut path = journal.as_os_str().to_owned();
    path.push(".stale");
    path.into()
}

/// No recording begins like this.
const SPOILT: &[u8] = b"stale ";

/// The files that a room's records go into; perhaps none.
#[derive(Debug, Default)]
pub struct Files {
    recording: Option<Kept>,
    journal: Option<Kept>,
    /// The journal is on the disk before anything is sent.
    durable: bool,
    on_journal_error: OnJournalError,
}

#[derive(Debug)]
struct Kept {
    file: File,
    path: PathBuf,
    /// How many bytes are in it as they should be.
    length: u64,
    has_news: bool,
}

impl Files {
    /// Recordings go into this file behind so many bytes.
    #[must_use]
    pub fn with_recording(mut self, file: File, path: &Path, length: u64) -> Self {
        self.recording = Some(Kept::new(file, path, length));
        self
    }

    /// The journal goes into this file behind so many bytes. If it must be `durable`, every move
    /// is on the disk before anybody hears of it.
    #[must_use]
    pub fn with_journal(
        mut self,
        file: File,
        path: &Path,
        length: u64,
        durable: bool,
        on_error: OnJournalError,
    ) -> Self {
        self.journal = Some(Kept::new(file, path, length));
        self.durable = durable;
        self.on_journal_error = on_error;
        self
    }

    /// Does it pay to take in several messages at once?
    pub(crate) fn are_slow(&self) -> bool {
        self.durable && self.journal.is_some()
    }

    /// Keeps what the room has to tell. Fails if the game must not go on.
    pub fn keep(&mut self, room: &mut Room) -> io::Result<()> {
        while let Some((kind, bytes)) = room.poll_record() {
            let kept = match kind {
                RecordKind::Recording => &mut self.recording,
                RecordKind::Journal => &mut self.journal,
            };
            let written = kept.as_mut().map_or(Ok(()), |kept| kept.append(bytes));
            self.weigh(written, kind, room)?;
        }
        let synced = match &mut self.journal {
            Some(journal) if self.durable => journal.sync(),
            _ => Ok(()),
        };
        self.weigh(synced, RecordKind::Journal, room)
    }

    /// What an error means.
    fn weigh(&mut self, done: io::Result<()>, kind: RecordKind, room: &mut Room) -> io::Result<()> {
        let Err(why) = done else { return Ok(()) };
        room.stop_recording(kind);
        match (kind, self.on_journal_error) {
            (RecordKind::Recording, _) => {
                let path = self.recording.take().map(|kept| kept.path).unwrap_or_default();
                warn!("can't write '{}': {why}. The game goes on unrecorded", path.display());
                Ok(())
            }
            (RecordKind::Journal, OnJournalError::GoOn) => {
                if let Some(journal) = self.journal.take() {
                    let path = journal.path.display().to_string();
                    let left = journal.leave_behind();
                    error!(
                        "can't write '{path}': {why}. The game GOES ON WITHOUT A JOURNAL. {left}"
                    );
                }
                Ok(())
            }
            (RecordKind::Journal, OnJournalError::Stop) => {
                let path = self.journal.take().map(|kept| kept.path).unwrap_or_default();
                error!("can't write '{}': {why}. The game STOPS", path.display());
                Err(io::Error::new(why.kind(), format!("'{}': {why}", path.display())))
            }
        }
    }
}

impl Kept {
    fn new(file: File, path: &Path, length: u64) -> Self {
        Self { file, path: path.to_owned(), length, has_news: false }
    }

    /// All of it or nothing, as far as the system lets us.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Err(why) = self.file.write_all(bytes) {
            // A torn end would be cut by whoever reads it; it is better not to leave one.
            let _ = self.file.set_len(self.length);
            return Err(why);
        }
        self.length += bytes.len() as u64;
        self.has_news = true;
        Ok(())
    }

    /// Nobody may take it for the game as it will have become: it gets another name, for which a disk
    /// needs no room. Where that can't be, its first bytes are written over. Tells what was done.
    fn leave_behind(mut self) -> String {
        let stale = stale_path(&self.path);
        let Err(why) = fs::rename(&self.path, &stale) else {
            return format!("What was written is now '{}'", stale.display());
        };
        let spoilt = self.file.rewind().and_then(|()| self.file.write_all(SPOILT));
        match spoilt {
            Ok(()) => format!("It can't be renamed ({why}), so its beginning was made unreadable"),
            Err(_) => format!("It can't be renamed ({why}): REMOVE IT, what is in it is old"),
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.has_news) { self.file.sync_data() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
