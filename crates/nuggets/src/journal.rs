//! Journals: the file that a server can be started again with, and the game in it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use nuggets_game::{Map, Rules, Seed};
use nuggets_protocol::Dialect;
use nuggets_record::{Header, Reading, Recording, Tail};
use nuggets_server::{Room, stale_path};
use tracing::{debug, warn};

/// A journal that was opened: empty, or with a game to go on with.
pub(crate) struct Journal {
    pub(crate) file: File,
    pub(crate) reading: Option<Reading>,
}

impl Journal {
    /// Opens or makes the file, and reads what is in it. A torn end is cut off, with a warning.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let failed = || format!("can't use the journal '{}'", path.display());
        refuse_stale(path)?;
        let mut options = OpenOptions::new();
        let opened = options.read(true).write(true).create(true).truncate(false).open(path);
        let mut file = opened.map_err(|why| anyhow!("{}: {}", failed(), explain(&why)))?;
        if !file.metadata().with_context(failed)?.is_file() {
            bail!("{}: it is no plain file. Name one, or a path where one can be made", failed());
        }
        if !is_ours(&file, path) {
            bail!(
                "{}: another server is writing it. Stop that one, or name another file",
                failed()
            );
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(failed)?;
        let reading = (!bytes.is_empty()).then(|| Recording::read(&bytes)).transpose();
        let reading = reading.with_context(failed)?;
        if reading.is_none() {
            keep_the_name(path);
        } else if let Some(reading) = &reading {
            cut_tail(&mut file, reading, path).with_context(failed)?;
        }
        Ok(Self { file, reading })
    }
}

/// Nobody else writes this file, and nobody will while it is open: as far as the system knows.
pub(crate) fn is_ours(file: &File, path: &Path) -> bool {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return false,
        Err(TryLockError::Error(why)) => warn!("'{}' can't be locked: {why}", path.display()),
        Ok(()) => {}
    }
    true
}

/// A journal that a game went on without is old. To take it up must be somebody's decision.
fn refuse_stale(path: &Path) -> anyhow::Result<()> {
    let stale = stale_path(path);
    if stale.symlink_metadata().is_ok() {
        bail!(
            "can't use the journal '{}': there is '{}'. A game could not be written any more and went on \
             without its journal; that file has only its beginning. Remove it or name another file to \
             begin another game; rename it to '{0}' to take up what is in it, older than what was played",
            path.display(),
            stale.display()
        );
    }
    Ok(())
}

/// Why a file can't be opened, and what to do.
fn explain(why: &io::Error) -> String {
    let advice = match why.kind() {
        ErrorKind::NotFound => "its folder is not there. Make it, or name a file in another",
        ErrorKind::IsADirectory => "it is a folder. Name a file in it",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "it may not be written. Name a file that you may write"
        }
        _ => "name another file",
    };
    format!("{why}: {advice}")
}

/// A new file must be found again after a power failure. Where the system can't promise that, the
/// journal is as good as it gets.
fn keep_the_name(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Err(why) = File::open(folder.unwrap_or(Path::new("."))).and_then(|it| it.sync_all()) {
        debug!("the folder of '{}' can't be synced: {why}", path.display());
    }
}

fn cut_tail(file: &mut File, reading: &Reading, path: &Path) -> io::Result<()> {
    if let Tail::Cut { offset, bytes, why } = reading.tail {
        warn!(
            "the end of '{}' is torn: its last {bytes} bytes, from byte {offset} on, are left out \
             ({why})",
            path.display()
        );
        file.set_len(reading.good_bytes as u64)?;
    }
    file.seek(SeekFrom::Start(reading.good_bytes as u64)).map(drop)
}

/// The room of a journal. What was typed must be the same game.
pub(crate) fn resume(
    path: &Path,
    reading: &Reading,
    map: &Map,
    rules: &Rules,
    dialect: Dialect,
    seed: Option<Seed>,
) -> anyhow::Result<Room> {
    let header = &reading.recording.header;
    if let Some(what) = differs(header, map, rules, dialect, seed) {
        bail!(
            "the journal '{}' holds a game with {what}. Give the same arguments as before to go on \
             with it, or name another file to begin another game",
            path.display()
        );
    }
    Room::resume(reading).with_context(|| format!("can't go on with '{}'", path.display()))
}

/// In what the game of a journal is not the one that was asked for.
fn differs(
    header: &Header,
    map: &Map,
    rules: &Rules,
    dialect: Dialect,
    seed: Option<Seed>,
) -> Option<String> {
    let other_seed = seed.is_some_and(|seed| seed != header.seed);
    let found = [
        (header.map != *map, "another map".to_owned()),
        (header.rules != *rules, "other rules".to_owned()),
        (header.dialect != dialect, format!("the dialect {}", header.dialect)),
        (other_seed, format!("the seed {}", header.seed)),
    ];
    found.into_iter().find_map(|(differs, what)| differs.then_some(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As root everything may be written, so the programs can't be tested with this.
    #[test]
    fn a_file_that_may_not_be_written_is_told_of_with_what_to_do() {
        for (kind, words) in [
            (ErrorKind::PermissionDenied, "may not be written"),
            (ErrorKind::ReadOnlyFilesystem, "may not be written"),
            (ErrorKind::NotFound, "its folder is not there"),
            (ErrorKind::StorageFull, "name another file"),
        ] {
            let said = explain(&kind.into());
            assert!(said.contains(words), "{said}");
        }
    }
}
