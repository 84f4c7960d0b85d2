//! Crash recovery of a recording that was written beside a journal: missing entries are copied from the
//! journal.

use thiserror::Error;

use crate::verify::Playback;
use crate::{BadRecord, Entry, ReadError, Reading, Recording, Repair, Writer};

/// The continuation of a recording, up to the last entry of its journal.
#[derive(Clone, Debug)]
pub struct CatchUp {
    /// The length of the part of the recording to keep, in bytes.
    pub keep: usize,
    /// Repairs of damaged bytes in that part, to be written over them.
    pub repairs: Vec<Repair>,
    /// The bytes to append to that part.
    pub bytes: Vec<u8>,
    /// The writer for all later entries.
    pub writer: Writer,
}

/// Why a recording can't be continued with a journal.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CatchUpError {
    /// The recording can't be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The recording and the journal hold different games.
    #[error("it holds another game than the journal")]
    OtherGame,
    /// The journal doesn't replay.
    #[error(transparent)]
    Bad(#[from] BadRecord),
}

impl CatchUp {
    /// Continues a recording, which may be empty, up to the end of the journal. Entries beyond
    /// that are cut off: they didn't happen in the resumed game.
    ///
    /// ```
    /// use nuggets_record::{CatchUp, RecordedEvent, Recording};
    ///
    /// # let journal = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kept_v3_journal.nuggets"));
    /// let journal = Recording::read(journal).unwrap().recording;
    /// assert!(journal.entries().any(|entry| matches!(entry.what, RecordedEvent::Join { peer: Some(_), .. })));
    /// let recording = Recording::read(&CatchUp::of(b"", &journal).unwrap().bytes).unwrap().recording;
    /// assert!(!recording.entries().any(|entry| matches!(entry.what, RecordedEvent::Join { peer: Some(_), .. })));
    /// ```
    pub fn of(recording: &[u8], journal: &Recording) -> Result<Self, CatchUpError> {
        let reading = if recording.is_empty() { None } else { Some(common(recording, journal)?) };
        let known = reading.as_ref().map_or(0, |reading| reading.recording.records.len());
        let mut playback = Playback::start(journal)?;
        let mut events = vec![];
        let mut entries = journal.entries().map(|entry| entry.clone().shared());
        for _ in 0..known {
            // Entries that are not shared may lie between those that are.
            while entries.next().is_some_and(|shared| shared.is_none()) {
                playback.step(journal, &mut events)?;
            }
            playback.step(journal, &mut events)?;
        }
        let keep = reading.as_ref().map_or(0, |reading| reading.good_bytes);
        let (mut writer, mut bytes) = match &reading {
            Some(reading) => Writer::continuing(reading, &playback.game),
            None => Writer::new(&journal.header, &playback.game),
        };
        for shared in entries {
            playback.step(journal, &mut events)?;
            if let Some(entry) = shared {
                writer.append(&entry, &playback.game, &mut bytes);
            }
        }
        let repairs = reading.map_or(vec![], |reading| reading.repairs);
        Ok(Self { keep, repairs, bytes, writer })
    }
}

/// The entries that a recording of the journal's game holds.
fn shared(journal: &Recording) -> impl Iterator<Item = Entry> {
    journal.entries().filter_map(|entry| entry.clone().shared())
}

/// The part of the recording that agrees with the journal. Either may be longer than the other.
fn common(bytes: &[u8], journal: &Recording) -> Result<Reading, CatchUpError> {
    let reading = Recording::read(bytes)?;
    let Recording { header, records, .. } = &reading.recording;
    let both = || records.iter().zip(shared(journal));
    let agree = both().all(|(record, entry)| record.entry == entry);
    if *header != journal.header || !agree {
        return Err(CatchUpError::OtherGame);
    }
    match records.get(both().count()) {
        Some(beyond) => Ok(Recording::read(&bytes[..beyond.offset])?),
        None => Ok(reading),
    }
}
