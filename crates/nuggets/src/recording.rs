//! The file that a server records its game into: a new one, or the one of a game that goes on.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use nuggets_record::{CatchUp, CatchUpError, ReadError, Recording};
use nuggets_server::Room;

use crate::journal;

/// A file for a new recording: an old one is never written over.
pub(crate) fn begin(path: &Path) -> anyhow::Result<File> {
    let file = open(path)?;
    if file.metadata().with_context(|| failed(path))?.len() > 0 {
        bail!("'{}' is there already. Name another file to record into", path.display());
    }
    Ok(file)
}

/// The recording of a game that was taken up again goes on, too. Whatever it lacks is in the journal;
/// so it may also begin only now. Gives the length that it has so far.
pub(crate) fn go_on(
    room: Room,
    path: &Path,
    journal: &Recording,
) -> anyhow::Result<(Room, File, u64)> {
    let (mut file, mut bytes) = (open(path)?, vec![]);
    file.read_to_end(&mut bytes).with_context(|| failed(path))?;
    let caught_up = CatchUp::of(&bytes, journal).map_err(|why| explain(&why, path))?;
    let length = caught_up.keep as u64;
    file.set_len(length).with_context(|| failed(path))?;
    file.seek(SeekFrom::Start(length)).with_context(|| failed(path))?;
    Ok((room.recorded_on(caught_up), file, length))
}

fn open(path: &Path) -> anyhow::Result<File> {
    let mut options = OpenOptions::new();
    let opened = options.read(true).write(true).create(true).truncate(false).open(path);
    let file = opened.map_err(|why| match why.kind() {
        ErrorKind::IsADirectory => anyhow!("{}: it is a folder. Name a file in it", failed(path)),
        _ => anyhow!("{}: {why}. Give a path you may write to", failed(path)),
    })?;
    if !file.metadata().with_context(|| failed(path))?.is_file() {
        bail!("{}: it is no plain file. Name one, or a path where one can be made", failed(path));
    }
    // The journal is open by now: nobody gets two things into one file.
    if !journal::is_ours(&file, path) {
        bail!(
            "{}: it is the journal, or another server is writing it. Name another file",
            failed(path)
        );
    }
    Ok(file)
}

fn failed(path: &Path) -> String {
    format!("can't record into '{}'", path.display())
}

fn explain(why: &CatchUpError, path: &Path) -> anyhow::Error {
    match why {
        CatchUpError::Bad(why) => anyhow!("can't go on with the journal: {why}"),
        CatchUpError::OtherGame | CatchUpError::Read(ReadError::NotARecording) => {
            anyhow!("{}: {why}. Name another file to record into", failed(path))
        }
        CatchUpError::Read(why) => anyhow!(
            "{}: {why}. Or name another file to record into: the journal has the whole game",
            failed(path)
        ),
    }
}
