//! Reading a recording: bytes become entries, and what is not as it was written is found out.
//!
//! It asks only whether these are the bytes that were written. Whether the game that they tell of
//! can be played is `verify`'s business.

use thiserror::Error;

use crate::header::{FORMAT_VERSION, RULES_VERSION};
use crate::progress::Progress;
use crate::record;
use crate::{Checkpoint, Damage, Header, Record, Recording, Unplayable};

/// A recording as far as it is good, and how it ends.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The good part.
    pub recording: Recording,
    /// How many bytes it takes. A writer that resumes goes on from here.
    pub good_bytes: usize,
    /// What comes behind it.
    pub tail: Tail,
    pub(crate) progress: Progress,
}

/// What comes behind the good part of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// Nothing.
    Whole,
    /// Torn or damaged bytes, with nothing good behind them.
    Cut {
        /// Where they begin.
        offset: usize,
        /// How many.
        bytes: usize,
        /// What is wrong with them.
        why: Damage,
    },
}

/// Why bytes can't be read as a recording.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadError {
    /// No bytes at all.
    #[error("the file is empty: it holds no recording")]
    Empty,
    /// Something else.
    #[error("this is no recording of Nuggets: it doesn't begin like one")]
    NotARecording,
    /// What fixes the game is not to be trusted.
    #[error(
        "the header of the recording is torn or damaged: without its map, rules and seed there is \
         nothing to play. Take another copy of the file"
    )]
    Header,
    /// Written in a layout that this version can't read.
    #[error(
        "this recording was written by Nuggets {by} in format {format}; this is Nuggets {ours}, which \
         reads format {FORMAT_VERSION} only: play it with Nuggets {by}"
    )]
    OtherFormat {
        /// The version of the program that wrote it.
        by: String,
        /// The format it has.
        format: u16,
        /// The version of this program.
        ours: &'static str,
    },
    /// Written under other rules.
    #[error(
        "this recording was written by Nuggets {by} under rules {rules}; this is Nuggets {ours} with \
         rules {RULES_VERSION}, by which the same keys give another game: play it with Nuggets {by}"
    )]
    OtherRules {
        /// The version of the program that wrote it.
        by: String,
        /// The rules it was played by.
        rules: u16,
        /// The version of this program.
        ours: &'static str,
    },
    /// The header is as it was written, and makes no sense.
    #[error(transparent)]
    Unplayable(#[from] Unplayable),
    /// Something is damaged, and what follows is not.
    #[error(
        "the recording is damaged at byte {offset} (record {}): {why}. It goes on behind that (at byte {again} \
         stands a good checkpoint), so cutting it here would lose what happened. Take another copy \
         of the file; in this one only what comes before byte {since} is beyond doubt",
        index + 1
    )]
    DamagedMiddle {
        /// Which entry, counted from 0.
        index: usize,
        /// Where the damage shows.
        offset: usize,
        /// What is wrong there.
        why: Damage,
        /// Up to here everything is certainly as it was written.
        since: usize,
        /// Where the next good checkpoint stands.
        again: usize,
    },
}

impl Recording {
    /// Reads the bytes of a recording. A bad tail is cut off and told of; damage before a good
    /// checkpoint is refused.
    pub fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
        if bytes.is_empty() {
            return Err(ReadError::Empty);
        }
        let (header, start, crc) = Header::read(bytes)?;
        let recording = Self { header, records: vec![], checkpoints: vec![] };
        let (progress, tail) = (Progress::behind_header(crc), Tail::Whole);
        let mut reading = Reading { recording, good_bytes: start, tail, progress };
        while reading.good_bytes < bytes.len() {
            if let Err(why) = reading.take_record(bytes) {
                reading.tail = reading.judge(bytes, start, why)?;
                break;
            }
        }
        Ok(reading)
    }
}

impl Reading {
    fn take_record(&mut self, bytes: &[u8]) -> Result<(), Damage> {
        let offset = self.good_bytes;
        let found = record::read(&bytes[offset..], &mut self.progress)?;
        let Recording { records, checkpoints, .. } = &mut self.recording;
        records.extend(found.entry.map(|entry| Record { entry, offset }));
        let behind = records.len();
        checkpoints.extend(found.state.map(|state| Checkpoint { behind, state, offset }));
        self.good_bytes += found.length;
        Ok(())
    }

    /// Is this the tail, or is there something good behind it? A checkpoint that is good in itself
    /// counts from the very place: if it doesn't fit what was read, that is damaged.
    fn judge(&self, bytes: &[u8], start: usize, why: Damage) -> Result<Tail, ReadError> {
        let offset = self.good_bytes;
        let again = (offset..bytes.len()).find(|at| record::is_seal(&bytes[*at..]));
        match again {
            None => Ok(Tail::Cut { offset, bytes: bytes.len() - offset, why }),
            Some(again) => {
                let Recording { records, checkpoints, .. } = &self.recording;
                let index = records.len();
                let since = checkpoints.last().map_or(start, |checkpoint| checkpoint.offset);
                Err(ReadError::DamagedMiddle { index, offset, why, since, again })
            }
        }
    }
}
