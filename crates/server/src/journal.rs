//! The files of journals and recordings: opens and locks them, cuts off a torn tail, and resumes the game in a
//! journal.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use nuggets_game::{Seed, Setup};
use nuggets_protocol::Dialect;
use nuggets_record::{
    CatchUp, CatchUpError, Damage, Header, PeerToken, ReadError, Reading, Recording, Repair,
    StreamError, Tail,
};
use thiserror::Error;
use tracing::{debug, warn};

use crate::record_file::{OpenProblem, RecordFile};
use crate::storage::stale_path;
use crate::{Peer, RecordKind, ResumeError, Room};

/// An open and locked journal file: empty, or with a game to resume.
#[derive(Debug)]
pub struct JournalFile {
    pub(crate) file: RecordFile,
    reading: Option<Reading>,
}

/// An open and locked recording file.
#[derive(Debug)]
pub struct RecordingFile {
    pub(crate) file: RecordFile,
}

/// The reason why a file can't be used.
#[derive(Debug, Error)]
#[error("can't {} '{}': {problem}", purpose(*kind), path.display())]
pub struct RecordFileError {
    /// The intended use of the file.
    pub kind: RecordKind,
    /// The path as the operator gave it.
    pub path: PathBuf,
    /// The problem with the file.
    pub problem: RecordFileProblem,
}

impl RecordFileError {
    /// True if the game in the journal is over and nothing is left to resume.
    pub fn is_over(&self) -> bool {
        matches!(self.problem, RecordFileProblem::Resume(ResumeError::Over))
    }
}

/// A problem with a file, and the remedy.
#[derive(Debug, Error)]
pub enum RecordFileProblem {
    /// The file can't be opened for writing.
    #[error("{0}: {advice}", advice = advice(.0.kind()))]
    Open(io::Error),
    /// The file can't be read or truncated.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file is a device, a pipe or the like.
    #[error("it is not a regular file. Name one, or a path where one can be created")]
    NotAFile,
    /// Another process has locked the journal.
    #[error("another server is writing it. Stop that one, or name another file")]
    LockedJournal,
    /// Another process, or the journal of this one, has locked the recording.
    #[error("it is the journal, or another server is writing it. Name another file")]
    LockedRecording,
    /// The recording exists; recordings are never overwritten.
    #[error("it already exists. Name another file")]
    Exists,
    /// A game was separated from its journal, so the journal is out of date.
    #[error(
        "there is '{}'. A game could not be written any more and continued without its journal, or its journal \
         was deleted, moved or changed while the server was writing it; that file has what was written until \
         then. Remove it or name another file to begin another game; rename it to the journal's name to resume \
         what is in it, perhaps older than what was played",
        .0.display()
    )]
    Stale(PathBuf),
    /// The file is neither a journal nor a recording.
    #[error("{}. Name another file; this one is left unchanged", ReadError::NotARecording)]
    NotAJournal,
    /// The file is damaged, or has another version.
    #[error("{0}")]
    Unreadable(ReadError),
    /// The journal contains another game than the requested one.
    #[error(
        "it holds a game with {0}. Give the same arguments as before to resume it, or name another file to \
         begin another game"
    )]
    OtherGame(SetupDifference),
    /// The game in the journal can't be resumed.
    #[error("{0}")]
    Resume(ResumeError),
    /// The recording is not a prefix of the journal's game.
    #[error("{0}. Name another file to record into: the journal has the whole game")]
    CatchUp(CatchUpError),
}

/// The difference between the game in a journal and the requested one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SetupDifference {
    /// The map.
    #[error("another map")]
    Map,
    /// The rules.
    #[error("other rules")]
    Rules,
    /// The journal's dialect.
    #[error("the dialect {0}")]
    Dialect(Dialect),
    /// The journal's seed.
    #[error("the seed {0}")]
    Seed(Seed),
}

impl JournalFile {
    /// Opens or creates the file, locks it and reads it. Cuts off a torn tail with a warning.
    pub fn open(path: &Path) -> Result<Self, RecordFileError> {
        Self::read(path, RecordFile::open)
            .map_err(|problem| error(RecordKind::Journal, path, problem))
    }

    /// Opens the file like `open`, and keeps other servers that use this function from opening the path, even if the
    /// file is moved away.
    pub fn open_and_reserve(path: &Path) -> Result<Self, RecordFileError> {
        Self::read(path, RecordFile::open_with_path_lock)
            .map_err(|problem| error(RecordKind::Journal, path, problem))
    }

    fn read(
        path: &Path,
        open: impl FnOnce(&Path) -> Result<RecordFile, OpenProblem>,
    ) -> Result<Self, RecordFileProblem> {
        let stale = stale_path(path);
        if stale.symlink_metadata().is_ok() {
            return Err(RecordFileProblem::Stale(stale));
        }
        let opened = open(path);
        let mut file = opened.map_err(|why| problem(why, RecordFileProblem::LockedJournal))?;
        if file.bytes()? == 0 {
            sync_folder_of(path);
            return Ok(Self { file, reading: None });
        }
        let reading = Recording::read_from(file.file_mut()).map_err(|why| match why {
            StreamError::Io(why) => RecordFileProblem::Io(why),
            StreamError::Read(ReadError::NotARecording) => RecordFileProblem::NotAJournal,
            StreamError::Read(why) => RecordFileProblem::Unreadable(why),
        })?;
        repair_file(&mut file, &reading)?;
        Ok(Self { file, reading: Some(reading) })
    }

    /// Takes the contents of the journal, as read by `open`; `None` if the file was empty.
    pub fn take_reading(&mut self) -> Option<Reading> {
        self.reading.take()
    }

    /// The header of the game in the journal; `None` if the file is empty.
    pub fn header(&self) -> Option<&Header> {
        self.reading.as_ref().map(|reading| &reading.recording.header)
    }

    /// Resumes the game in the journal, which must match this setup; `None` if the file is empty. `peer_of` maps the
    /// tokens in the journal to peers.
    pub fn resume(
        &self,
        setup: &Setup,
        peer_of: impl FnMut(&PeerToken) -> Option<Peer>,
    ) -> Result<Option<Room>, RecordFileError> {
        let Some(reading) = &self.reading else { return Ok(None) };
        let failed = |problem| error(RecordKind::Journal, self.file.path(), problem);
        if let Some(difference) = difference(&reading.recording.header.setup, setup) {
            return Err(failed(RecordFileProblem::OtherGame(difference)));
        }
        let room = Room::resume(reading, peer_of);
        room.map(Some).map_err(|why| failed(RecordFileProblem::Resume(why)))
    }
}

impl RecordingFile {
    /// Creates a file for a new recording.
    pub fn create(path: &Path) -> Result<Self, RecordFileError> {
        let create = || {
            let file = RecordFile::open(path)
                .map_err(|why| problem(why, RecordFileProblem::LockedRecording))?;
            match file.bytes()? {
                0 => Ok(Self { file }),
                _ => Err(RecordFileProblem::Exists),
            }
        };
        create().map_err(|problem| error(RecordKind::Recording, path, problem))
    }

    /// Opens the recording of a game that was resumed from this journal. The file may be new, because the journal
    /// contains everything that the recording lacks.
    pub fn resume(path: &Path, journal: &Recording) -> Result<(Self, CatchUp), RecordFileError> {
        let resume = || {
            let mut file = RecordFile::open(path)
                .map_err(|why| problem(why, RecordFileProblem::LockedRecording))?;
            let mut bytes = Vec::new();
            file.file_mut().read_to_end(&mut bytes)?;
            let catch_up = CatchUp::of(&bytes, journal).map_err(RecordFileProblem::CatchUp)?;
            for Repair { offset, bytes } in &catch_up.repairs {
                file.overwrite(*offset as u64, bytes)?;
            }
            file.cut(catch_up.keep as u64)?;
            Ok((Self { file }, catch_up))
        };
        resume().map_err(|problem| error(RecordKind::Recording, path, problem))
    }
}

fn error(kind: RecordKind, path: &Path, problem: RecordFileProblem) -> RecordFileError {
    RecordFileError { kind, path: path.to_owned(), problem }
}

fn purpose(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Journal => "use the journal",
        RecordKind::Recording => "record into",
    }
}

/// The advice for a file that can't be opened.
fn advice(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "its folder does not exist. Create it, or name a file in another",
        ErrorKind::IsADirectory => "it is a folder. Name a file in it",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "it may not be written. Name a file that you may write"
        }
        _ => "name another file",
    }
}

fn problem(why: OpenProblem, locked: RecordFileProblem) -> RecordFileProblem {
    match why {
        OpenProblem::Open(why) => RecordFileProblem::Open(why),
        OpenProblem::Io(why) => RecordFileProblem::Io(why),
        OpenProblem::NotAFile => RecordFileProblem::NotAFile,
        OpenProblem::Locked => locked,
    }
}

fn difference(journal: &Setup, setup: &Setup) -> Option<SetupDifference> {
    if journal.map != setup.map {
        return Some(SetupDifference::Map);
    }
    if journal.rules != setup.rules {
        return Some(SetupDifference::Rules);
    }
    if journal.dialect != setup.dialect {
        return Some(SetupDifference::Dialect(journal.dialect));
    }
    (journal.seed != setup.seed).then_some(SetupDifference::Seed(journal.seed))
}

/// Syncs the folder, so that a new file survives a power failure. If the system can't do that, the journal is used
/// anyway.
fn sync_folder_of(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let synced = File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all());
    if let Err(why) = synced {
        debug!("the folder of '{}' can't be synced: {why}", path.display());
    }
}

/// Repairs the file where possible and cuts off the rest, which is copied into another file.
fn repair_file(file: &mut RecordFile, reading: &Reading) -> io::Result<()> {
    let name = file.path().display().to_string();
    for Repair { offset, bytes } in &reading.repairs {
        let length = match bytes.len() {
            1 => "1 byte".to_owned(),
            count => format!("{count} bytes"),
        };
        warn!(
            "'{name}' was damaged at byte {offset} ({length}), and is repaired from its checksums. Check the disk"
        );
        file.overwrite(*offset as u64, bytes)?;
    }
    if let Tail::Cut { offset, bytes, content, why } = reading.tail {
        let after = reading.recording.duration().0 / 1000;
        let kept = match keep_damaged(file, offset, content) {
            Ok(Some(path)) => format!("They are kept in '{}'", path.display()),
            Ok(None) => "All of them are zeros".to_owned(),
            Err(why) => {
                return Err(io::Error::new(why.kind(), format!("{why}: can't keep its end")));
            }
        };
        let lost = match why {
            Damage::Torn => "with the record that was being written last".to_owned(),
            _ => match content.div_ceil(MIN_INPUT_BYTES) {
                1 => "with at most 1 input".to_owned(),
                inputs => format!("with at most {inputs} inputs"),
            },
        };
        warn!(
            "the end of '{name}' is torn: its last {bytes} bytes, from byte {offset} on, {lost}, are cut off \
             ({why}). {kept}. The game is resumed as it was {after} seconds after its beginning"
        );
    }
    file.cut(reading.good_bytes as u64)
}

/// The smallest size of an input in a journal.
const MIN_INPUT_BYTES: usize = 3;
/// Maximum number of copies of one journal's damaged ends; more indicate a broken disk.
const MAX_DAMAGED_FILES: usize = 100;

/// Copies these bytes of a journal into a new file next to it; returns `None` if there are none.
fn keep_damaged(file: &mut RecordFile, offset: usize, count: usize) -> io::Result<Option<PathBuf>> {
    if count == 0 {
        return Ok(None);
    }
    for number in 1..=MAX_DAMAGED_FILES {
        let mut path = file.path().as_os_str().to_owned();
        path.push(".damaged");
        if number > 1 {
            path.push(format!("-{number}"));
        }
        match file.copy_part(Path::new(&path), offset as u64, count as u64) {
            Err(why) if why.kind() == ErrorKind::AlreadyExists => {}
            copied => return copied.map(|()| Some(path.into())),
        }
    }
    Err(io::Error::other("there are too many damaged ends of it already. Remove them"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Root may write everything, so a test of the program can't cover this.
    #[test]
    fn a_file_that_may_not_be_written_is_reported_with_what_to_do() {
        for (kind, words) in [
            (ErrorKind::PermissionDenied, "may not be written"),
            (ErrorKind::ReadOnlyFilesystem, "may not be written"),
            (ErrorKind::NotFound, "its folder does not exist"),
            (ErrorKind::StorageFull, "name another file"),
        ] {
            let problem = RecordFileProblem::Open(kind.into());
            let error = error(RecordKind::Journal, Path::new("j"), problem);
            assert!(error.to_string().starts_with("can't use the journal 'j': "), "{error}");
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
