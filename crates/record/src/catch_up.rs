//! A recording that goes on beside a journal after a crash: what it lacks is written from there.

use thiserror::Error;

use crate::run::Run;
use crate::{BadRecord, Entry, ReadError, Reading, Recording, Writer};

/// How a recording goes on.
#[derive(Clone, Debug)]
pub struct CatchUp {
    /// So many bytes of it stay.
    pub keep: usize,
    /// These come behind them.
    pub bytes: Vec<u8>,
    /// And what happens from now on.
    pub writer: Writer,
}

/// Why a recording can't go on with a journal's game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CatchUpError {
    /// It can't be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It tells of another game.
    #[error("it holds another game than the journal")]
    OtherGame,
    /// The journal itself is bad.
    #[error(transparent)]
    Bad(#[from] BadRecord),
}

impl CatchUp {
    /// Brings the bytes of a recording, perhaps none yet, to where the journal is. What it has beyond
    /// that is cut off: it never came to be for those who play on.
    ///
    /// ```
    /// use nuggets_game::{Name, Rules, Seed, SightRule, shipped};
    /// use nuggets_protocol::Dialect;
    /// use nuggets_record::{CatchUp, Entry, Header, Millis, Recording, What, Writer};
    ///
    /// let header = Header {
    ///     rules: Rules::default(),
    ///     seed: Seed::new(7),
    ///     dialect: Dialect::V2021,
    ///     sight: SightRule::DarkPassages,
    ///     map: shipped::ALL[0].map(),
    ///     port: 0,
    /// };
    /// let mut game = header.game().unwrap();
    /// let (mut writer, mut journal) = Writer::new(&header, &game);
    /// let peer = Some("127.0.0.1:4000".parse().unwrap());
    /// let what = What::Join { name: Name::new(b"Ann").unwrap(), peer };
    /// game.apply(what.input().unwrap(), &mut vec![]);
    /// writer.append(&Entry::new(Millis(1500), what), &game, &mut journal);
    ///
    /// let journal = Recording::read(&journal).unwrap().recording;
    /// let recording = Recording::read(&CatchUp::of(b"", &journal).unwrap().bytes).unwrap().recording;
    /// assert_eq!(recording.entries().len(), 1);
    /// assert!(matches!(recording.records[0].entry.what, What::Join { peer: None, .. }));
    /// ```
    pub fn of(recording: &[u8], journal: &Recording) -> Result<Self, CatchUpError> {
        let reading = if recording.is_empty() { None } else { Some(common(recording, journal)?) };
        let known = reading.as_ref().map_or(0, |reading| reading.recording.records.len());
        let (mut run, mut events) = (Run::start(journal)?, vec![]);
        for _ in 0..known {
            run.step(journal, &mut events)?;
        }
        let keep = reading.as_ref().map_or(0, |reading| reading.good_bytes);
        let (mut writer, mut bytes) = match &reading {
            Some(reading) => Writer::behind(reading, &run.game),
            None => Writer::new(&journal.header, &run.game),
        };
        for entry in shared(journal).skip(known) {
            run.step(journal, &mut events)?;
            writer.append(&entry, &run.game, &mut bytes);
        }
        Ok(Self { keep, bytes, writer })
    }
}

/// What a recording of the journal's game would tell.
fn shared(journal: &Recording) -> impl Iterator<Item = Entry> {
    journal.entries().filter_map(|entry| entry.clone().shared())
}

/// The recording as far as it tells the same as the journal. One may be ahead of the other.
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
