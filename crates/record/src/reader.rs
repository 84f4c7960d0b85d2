//! Reading a recording: bytes become entries, and damage is detected.
//!
//! It only checks that these are the bytes that were written. `verify` checks that they replay to the
//! recorded game.

use std::io::{self, Read};

use thiserror::Error;

use crate::file_header::{Format, HeaderRead, MAX_HEADER_BYTES, RULES_VERSION};
use crate::progress::Progress;
use crate::record_frame::{self, MAX_RECORD_BYTES, MAX_SELF_CHECKED_BYTES};
use crate::repair::{MAX_REPAIR_BYTES, find_flipped_bit};
use crate::window::ReadBuffer;
use crate::{Checkpoint, Damage, Header, Record, Recording, Repair, Unplayable};

/// The valid part of a recording, and what follows it.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The valid part.
    pub recording: Recording,
    /// Its length in bytes. A writer that resumes continues here.
    pub good_bytes: usize,
    /// The bytes after it.
    pub tail: Tail,
    /// Repairs in the valid part, in the order of the file. `recording` is read as if these bytes had never
    /// been damaged.
    pub repairs: Vec<Repair>,
    pub(crate) progress: Progress,
}

/// The bytes after the valid part of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// Nothing.
    Whole,
    /// Torn or damaged bytes without a valid checkpoint after them.
    Cut {
        /// The offset of the first of them.
        offset: usize,
        /// Their number.
        bytes: usize,
        /// Their number without zeros at the end, which a crash may leave.
        content: usize,
        /// The kind of damage.
        why: Damage,
    },
}

/// The maximum number of repairs in a file: with more damage, the search is not worthwhile.
const MAX_REPAIRS: usize = 64;
/// The number of bytes of a tail that are searched at once.
const SEARCH_BYTES: usize = 1 << 16;

/// Why an input can't be read as a recording.
#[derive(Debug, Error)]
pub enum StreamError {
    /// The input can't be read at all.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The input is not a recording, or a damaged one.
    #[error(transparent)]
    Read(#[from] ReadError),
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
        /// The kind of damage there.
        why: Damage,
        /// Everything before this offset is certainly valid.
        since: usize,
        /// The offset of the next valid checkpoint.
        again: usize,
    },
}

impl Recording {
    /// Reads the bytes of a recording. A damaged tail is cut off and reported; damage before a valid
    /// checkpoint is an error, unless it is one flipped bit, which is repaired and reported.
    pub fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
        match Self::read_from(bytes) {
            Ok(reading) => Ok(reading),
            Err(StreamError::Read(why)) => Err(why),
            Err(StreamError::Io(why)) => unreachable!("reading from memory does not fail: {why}"),
        }
    }

    /// Reads a recording from an input of any length, and stops at the first bytes that can't belong to one. Only
    /// the entries and a small part of the input are in memory.
    pub fn read_from(input: impl Read) -> Result<Reading, StreamError> {
        let mut window = ReadBuffer::new(input);
        let bytes = window.peek(MAX_HEADER_BYTES)?;
        if bytes.is_empty() {
            return Err(ReadError::Empty.into());
        }
        let HeaderRead { header, length: start, format, crc, repair } = Header::read(bytes)?;
        window.pass(start);
        let mut reading = Reading {
            recording: Self { header, records: vec![], checkpoints: vec![] },
            good_bytes: start,
            tail: Tail::Whole,
            repairs: repair.into_iter().collect(),
            progress: Progress::after_header(format, crc),
        };
        while !window.peek(MAX_RECORD_BYTES)?.is_empty() {
            if let Err(why) = reading.read_record(&mut window)?
                && !reading.repair(&mut window, why)?
            {
                reading.tail = reading.classify_damage(&mut window, start, why)?;
                break;
            }
        }
        Ok(reading)
    }
}

impl Reading {
    fn read_record(
        &mut self,
        window: &mut ReadBuffer<impl Read>,
    ) -> io::Result<Result<(), Damage>> {
        let offset = self.good_bytes;
        let found = match record_frame::read(window.peek(MAX_RECORD_BYTES)?, &mut self.progress) {
            Ok(found) => found,
            Err(why) => return Ok(Err(why)),
        };
        let Recording { records, checkpoints, .. } = &mut self.recording;
        records.extend(found.entry.map(|entry| Record { entry, offset }));
        let position = records.len();
        checkpoints.extend(found.state.map(|state| Checkpoint { position, state, offset }));
        self.good_bytes += found.length;
        window.pass(found.length);
        Ok(Ok(()))
    }

    /// Flips a bit of the next record back, if the checksums prove that it is wrong; returns false if not.
    fn repair(&mut self, window: &mut ReadBuffer<impl Read>, why: Damage) -> io::Result<bool> {
        if self.repairs.len() >= MAX_REPAIRS {
            return Ok(false);
        }
        let found = find_flipped_bit(window.peek(MAX_REPAIR_BYTES)?, &self.progress, why);
        let Some((index, byte)) = found else { return Ok(false) };
        window.set(index, byte);
        self.repairs.push(Repair { offset: self.good_bytes + index, bytes: vec![byte] });
        Ok(true)
    }

    /// Classifies damage: with a valid checkpoint after it, it is an error; otherwise a tail to cut off. The
    /// search starts at the damage itself: a checkpoint that is valid on its own but doesn't fit what
    /// was read before shows that the part before is damaged.
    fn classify_damage(
        &self,
        window: &mut ReadBuffer<impl Read>,
        start: usize,
        why: Damage,
    ) -> Result<Tail, StreamError> {
        let offset = self.good_bytes;
        let mut passed = 0;
        let mut content = 0;
        loop {
            let bytes = window.peek(SEARCH_BYTES)?;
            let has_ended = bytes.len() < SEARCH_BYTES;
            // A checkpoint may begin at the end of this part.
            let searched =
                if has_ended { bytes.len() } else { bytes.len() - MAX_SELF_CHECKED_BYTES };
            if let Some(last) = bytes[..searched].iter().rposition(|byte| *byte != 0) {
                content = passed + last + 1;
                if let Some(found) =
                    (0..=last).find(|at| record_frame::is_self_checked(&bytes[*at..]))
                {
                    let Recording { records, checkpoints, .. } = &self.recording;
                    let index = records.len();
                    let since = checkpoints.last().map_or(start, |checkpoint| checkpoint.offset);
                    let again = offset + passed + found;
                    return Err(
                        ReadError::DamagedMiddle { index, offset, why, since, again }.into()
                    );
                }
            }
            passed += searched;
            window.pass(searched);
            if has_ended {
                return Ok(Tail::Cut { offset, bytes: passed, content, why });
            }
        }
    }
}
