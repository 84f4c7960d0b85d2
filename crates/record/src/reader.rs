//! Reading a recording: bytes become entries, and damage is detected.
//!
//! It only checks that these are the bytes that were written. Whether they replay to the recorded
//! game is checked by `verify`.

use thiserror::Error;

use crate::file_header::{Format, HeaderRead, RULES_VERSION};
use crate::progress::Progress;
use crate::record_frame;
use crate::{Checkpoint, Damage, Header, Record, Recording, Unplayable};

/// The valid part of a recording, and what follows it.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The valid part.
    pub recording: Recording,
    /// Its length in bytes. A writer that resumes continues here.
    pub good_bytes: usize,
    /// What follows it.
    pub tail: Tail,
    pub(crate) progress: Progress,
}

/// What follows the valid part of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// Nothing.
    Whole,
    /// Torn or damaged bytes without a valid checkpoint after them.
    Cut {
        /// The offset of the first of them.
        offset: usize,
        /// How many there are.
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
    /// The first bytes are not those of a recording.
    #[error("this is not a Nuggets recording: it doesn't begin like one")]
    NotARecording,
    /// The header is damaged.
    #[error(
        "the header of the recording is torn or damaged: without its map, rules and seed it can't be \
         replayed. Use another copy of the file"
    )]
    Header,
    /// Written in a format that this program can't read.
    #[error(
        "this recording was written by Nuggets {by} in format {format}; this is Nuggets {ours}, which \
         reads formats 1 to {} only: replay it with Nuggets {by}",
        Format::LATEST.number()
    )]
    OtherFormat {
        /// The version of the program that wrote it.
        by: String,
        /// Its format version.
        format: u16,
        /// The version of this program.
        ours: &'static str,
    },
    /// Written under another version of the rules.
    #[error(
        "this recording was written by Nuggets {by} under rules {rules}; this is Nuggets {ours} with \
         rules {RULES_VERSION}, under which the same keys give another game: replay it with Nuggets {by}"
    )]
    OtherRules {
        /// The version of the program that wrote it.
        by: String,
        /// Its rules version.
        rules: u16,
        /// The version of this program.
        ours: &'static str,
    },
    /// The header is undamaged, but gives no game.
    #[error(transparent)]
    Unplayable(#[from] Unplayable),
    /// A damaged record with a valid checkpoint after it.
    #[error(
        "the recording is damaged at byte {offset} (record {}): {why}. There is a valid checkpoint after \
         it (at byte {again}), so cutting the file here would lose recorded inputs. Use another copy \
         of the file; in this one only the part before byte {since} is certainly valid",
        index + 1
    )]
    DamagedMiddle {
        /// The index of the entry.
        index: usize,
        /// The offset of the damaged record.
        offset: usize,
        /// What is wrong there.
        why: Damage,
        /// Everything before this offset is certainly valid.
        since: usize,
        /// The offset of the next valid checkpoint.
        again: usize,
    },
}

impl Recording {
    /// Reads the bytes of a recording. A damaged tail is cut off and reported; damage before a valid
    /// checkpoint is an error.
    pub fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
        if bytes.is_empty() {
            return Err(ReadError::Empty);
        }
        let HeaderRead { header, length: start, format, crc } = Header::read(bytes)?;
        let mut reading = Reading {
            recording: Self { header, records: vec![], checkpoints: vec![] },
            good_bytes: start,
            tail: Tail::Whole,
            progress: Progress::after_header(format, crc),
        };
        while reading.good_bytes < bytes.len() {
            if let Err(why) = reading.read_record(bytes) {
                reading.tail = reading.classify_damage(bytes, start, why)?;
                break;
            }
        }
        Ok(reading)
    }
}

impl Reading {
    fn read_record(&mut self, bytes: &[u8]) -> Result<(), Damage> {
        let offset = self.good_bytes;
        let found = record_frame::read(&bytes[offset..], &mut self.progress)?;
        let Recording { records, checkpoints, .. } = &mut self.recording;
        records.extend(found.entry.map(|entry| Record { entry, offset }));
        let position = records.len();
        checkpoints.extend(found.state.map(|state| Checkpoint { position, state, offset }));
        self.good_bytes += found.length;
        Ok(())
    }

    /// Damage with a valid checkpoint after it is an error, other damage a tail to cut off. The
    /// search starts at the damage itself: a checkpoint that is valid on its own but doesn't fit what
    /// was read before shows that the part before is damaged.
    fn classify_damage(&self, bytes: &[u8], start: usize, why: Damage) -> Result<Tail, ReadError> {
        let offset = self.good_bytes;
        let again = (offset..bytes.len()).find(|at| record_frame::is_self_checked(&bytes[*at..]));
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
