//! A file that a server appends records to. It is locked against other servers, and checked, because bytes appended
//! to a deleted, moved or replaced file are lost.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nuggets_record::STALE_MARK;
use thiserror::Error;
use tracing::warn;

/// An open file and its expected state. A file that this process has created is removed if nothing was ever written.
#[derive(Debug)]
pub(crate) struct RecordFile {
    file: File,
    path: PathBuf,
    /// The device and inode number of the open file.
    identity: (u64, u64),
    /// The length of the valid part, in bytes.
    length: u64,
    is_new: bool,
    /// Reserves the path itself, which the lock of the open file can't do.
    lock: Option<PathLock>,
}

/// The change that another program made to a file in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum Interference {
    #[error("it was deleted or moved away while the server was writing it")]
    Missing,
    #[error("another file was put in its place while the server was writing it")]
    Replaced,
    #[error(
        "it was changed by another program: it has {found} bytes, and the server has written {expected}"
    )]
    OtherLength { expected: u64, found: u64 },
}

/// The reason why a file can't be opened for records.
#[derive(Debug)]
pub(crate) enum OpenProblem {
    Open(io::Error),
    Io(io::Error),
    NotAFile,
    Locked,
}

impl RecordFile {
    /// Opens or creates a regular file and locks it against other servers, and against this server's other file.
    pub(crate) fn open(path: &Path) -> Result<Self, OpenProblem> {
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        let (file, is_new) = match options.clone().create_new(true).open(path) {
            Ok(file) => (file, true),
            Err(why) if why.kind() == ErrorKind::AlreadyExists => {
                (options.create(true).truncate(false).open(path).map_err(OpenProblem::Open)?, false)
            }
            Err(why) => return Err(OpenProblem::Open(why)),
        };
        let metadata = file.metadata().map_err(OpenProblem::Io)?;
        if !metadata.is_file() {
            return Err(OpenProblem::NotAFile);
        }
        let identity = (metadata.dev(), metadata.ino());
        let opened = Self { file, path: path.to_owned(), identity, length: 0, is_new, lock: None };
        match opened.file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(OpenProblem::Locked),
            Err(TryLockError::Error(why)) => {
                warn!("'{}' can't be locked: {why}", path.display());
                Ok(opened)
            }
            Ok(()) => Ok(opened),
        }
    }

    /// Opens the file like `open`, and locks the path, so that no other server creates a file there when this one is
    /// moved away.
    pub(crate) fn open_with_path_lock(path: &Path) -> Result<Self, OpenProblem> {
        let lock = PathLock::take(path)?;
        let mut opened = Self::open(path)?;
        opened.lock = lock;
        Ok(opened)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn file_mut(&mut self) -> &mut File {
        &mut self.file
    }

    /// The current size of the file in bytes.
    pub(crate) fn bytes(&self) -> io::Result<u64> {
        self.file.metadata().map(|metadata| metadata.len())
    }

    /// Truncates the file to this length; later appends follow there.
    pub(crate) fn cut(&mut self, length: u64) -> io::Result<()> {
        if self.bytes()? != length {
            self.file.set_len(length)?;
        }
        self.length = length;
        self.file.seek(SeekFrom::Start(length)).map(drop)
    }

    /// Overwrites the bytes at this offset without changing the length.
    pub(crate) fn overwrite(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(offset))?;
        self.file.write_all(bytes)
    }

    /// Fails with an `Interference` if the path does not lead to this file any more or another program has changed
    /// its length. Does not detect bytes overwritten in place.
    pub(crate) fn check(&self) -> io::Result<()> {
        let interference = match fs::metadata(&self.path) {
            Err(why) if why.kind() == ErrorKind::NotFound => Interference::Missing,
            Err(why) => return Err(why),
            Ok(found) if (found.dev(), found.ino()) != self.identity => Interference::Replaced,
            Ok(found) if found.len() == self.length => return Ok(()),
            Ok(found) => Interference::OtherLength { expected: self.length, found: found.len() },
        };
        Err(io::Error::other(interference))
    }

    /// Appends all of the bytes or none, as far as the system allows.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.check()?;
        if let Err(why) = self.file.write_all(bytes) {
            // A reader would cut off a torn end, but it is better not to leave one.
            let _ = self.file.set_len(self.length);
            return Err(why);
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Keeps servers from resuming this journal as if it were the whole game: renames it to `stale`. If its path
    /// leads to another file or to none, copies its content there. Returns a description for the log.
    pub(crate) fn set_aside(mut self, stale: &Path) -> String {
        let stale_name = stale.display();
        if !self.is_in_its_place() {
            return match self.copy_part(stale, 0, self.length) {
                Ok(()) => format!("What was written is now '{stale_name}'"),
                Err(why) => format!("What was written can't be saved as '{stale_name}': {why}"),
            };
        }
        let Err(why) = fs::rename(&self.path, stale) else {
            return format!("What was written is now '{stale_name}'");
        };
        match self.overwrite(0, STALE_MARK) {
            Ok(()) => format!("It can't be renamed ({why}), so its beginning was made unreadable"),
            Err(_) => format!("It can't be renamed ({why}): REMOVE IT, it is out of date"),
        }
    }

    fn is_in_its_place(&self) -> bool {
        let found = fs::metadata(&self.path);
        found.is_ok_and(|found| (found.dev(), found.ino()) == self.identity)
    }

    /// Copies bytes of the open file, which still has them after it was deleted, into a new file.
    pub(crate) fn copy_part(&mut self, to: &Path, offset: u64, count: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(offset))?;
        let mut copy = OpenOptions::new().write(true).create_new(true).open(to)?;
        io::copy(&mut (&self.file).take(count), &mut copy)?;
        copy.sync_data()
    }
}

impl Drop for RecordFile {
    fn drop(&mut self) {
        let is_empty =
            self.is_new && self.length == 0 && self.bytes().is_ok_and(|bytes| bytes == 0);
        if is_empty && self.is_in_its_place() {
            // If this fails, an empty file stays, which does no harm.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A lock on a path, whatever file is there: a second file next to it, which is removed at the end.
#[derive(Debug)]
struct PathLock {
    path: PathBuf,
    _file: File,
}

impl PathLock {
    /// Takes the lock; returns `None` if the system or the folder does not allow it.
    fn take(path: &Path) -> Result<Option<Self>, OpenProblem> {
        let mut name = path.as_os_str().to_owned();
        name.push(".lock");
        let path = PathBuf::from(name);
        loop {
            let mut options = OpenOptions::new();
            let Ok(file) = options.write(true).create(true).truncate(false).open(&path) else {
                // The journal itself reports the problem with the folder.
                return Ok(None);
            };
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Err(OpenProblem::Locked),
                Err(TryLockError::Error(_)) => return Ok(None),
                Ok(()) => {}
            }
            // The previous owner may have removed the file between our opening and locking it.
            let locked = file.metadata().map(|found| (found.dev(), found.ino()));
            let there = fs::metadata(&path).map(|found| (found.dev(), found.ino()));
            if locked.ok() == there.ok() {
                return Ok(Some(Self { path, _file: file }));
            }
        }
    }
}

impl Drop for PathLock {
    fn drop(&mut self) {
        // If this fails, the file stays and the next server reuses it.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
impl RecordFile {
    /// Reopens the file read-only, so that nothing can be appended.
    pub(crate) fn reading_only(mut self) -> Self {
        self.file = File::open(&self.path).unwrap();
        self
    }

    /// Replaces the open file with one of another kind, under the same path.
    pub(crate) fn with_file(mut self, file: File) -> Self {
        self.file = file;
        self
    }
}
