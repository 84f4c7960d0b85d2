//! Replaying a recording forwards and backwards.

use nuggets_game::{Event, Game};

use crate::verify::Playback;
use crate::{BadRecord, Entry, Recording};

/// A recording being replayed. Every state hash is compared on the way, so the game shown is always the
/// recorded one.
///
/// ```
/// use nuggets_record::{Recording, Replay};
///
/// # let bytes = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kept_v3_journal.nuggets"));
/// let mut replay = Replay::new(Recording::read(bytes).unwrap().recording).unwrap();
/// while let Some(step) = replay.step().unwrap() {
///     assert_eq!(step.entry.what.input().is_some(), !step.events.is_empty());
/// }
/// assert!(replay.game().players().len() > 1);
/// replay.seek(0).unwrap();
/// assert_eq!(replay.game().players().len(), 0);
/// ```
#[derive(Clone, Debug)]
pub struct Replay {
    recording: Recording,
    playback: Playback,
    snapshots: Snapshots,
    events: Vec<Event>,
}

/// One replayed entry.
#[derive(Clone, Copy, Debug)]
pub struct ReplayStep<'a> {
    /// The position of the replay after it.
    pub position: usize,
    /// The recorded entry.
    pub entry: &'a Entry,
    /// Its effects on the game.
    pub events: &'a [Event],
}

impl Replay {
    /// A replay at the start of the game.
    pub fn new(recording: Recording) -> Result<Self, BadRecord> {
        Self::within(recording, MAX_SNAPSHOT_BYTES)
    }

    /// A replay for one pass from start to end: it needs no memory for seeking back.
    pub fn without_snapshots(recording: Recording) -> Result<Self, BadRecord> {
        Self::within(recording, 0)
    }

    /// A replay whose snapshots take at most this much memory.
    fn within(recording: Recording, max_bytes: usize) -> Result<Self, BadRecord> {
        let playback = Playback::start(&recording)?;
        let snapshots = Snapshots::new(playback.clone(), max_bytes);
        Ok(Self { recording, playback, snapshots, events: vec![] })
    }

    /// The recording that is replayed.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// The game at the current position.
    pub fn game(&self) -> &Game {
        &self.playback.game
    }

    /// The number of entries applied so far.
    pub fn position(&self) -> usize {
        self.playback.position
    }

    /// Applies the next entry; returns `None` at the end.
    pub fn step(&mut self) -> Result<Option<ReplayStep<'_>>, BadRecord> {
        let index = self.playback.position;
        if !self.playback.step(&self.recording, &mut self.events)? {
            return Ok(None);
        }
        self.snapshots.keep(&self.playback);
        let entry = &self.recording.records[index].entry;
        Ok(Some(ReplayStep { position: index + 1, entry, events: &self.events }))
    }

    /// Goes forwards or backwards to this position, at most to the end.
    pub fn seek(&mut self, position: usize) -> Result<(), BadRecord> {
        let nearest = self.snapshots.before(position);
        if position < self.playback.position || nearest.position > self.playback.position {
            self.playback = nearest.clone();
        }
        while self.playback.position < position && self.step()?.is_some() {}
        Ok(())
    }
}

/// The approximate limit on the memory for snapshots, in bytes.
const MAX_SNAPSHOT_BYTES: usize = 64 << 20;
/// The initial number of entries between two snapshots.
const FIRST_SPACING: usize = 64;

/// Snapshots for going back, evenly spaced: when they take too much memory, every second one is removed.
#[derive(Clone, Debug)]
struct Snapshots {
    /// By position; the first is the start.
    kept: Vec<Playback>,
    spacing: usize,
    bytes: usize,
    max_bytes: usize,
}

impl Snapshots {
    fn new(start: Playback, max_bytes: usize) -> Self {
        Self { bytes: bytes(&start.game), kept: vec![start], spacing: FIRST_SPACING, max_bytes }
    }

    /// Keeps a snapshot if it is at the right distance from the last one.
    fn keep(&mut self, playback: &Playback) {
        let is_new = self.kept.last().is_none_or(|last| last.position < playback.position);
        if is_new && playback.position.is_multiple_of(self.spacing) {
            self.kept.push(playback.clone());
            self.bytes += bytes(&playback.game);
        }
        while self.bytes > self.max_bytes && self.kept.len() > 1 {
            self.spacing *= 2;
            self.kept.retain(|kept| kept.position.is_multiple_of(self.spacing));
            self.bytes = self.kept.iter().map(|kept| bytes(&kept.game)).sum();
        }
    }

    /// The last snapshot that isn't past this position.
    fn before(&self, position: usize) -> &Playback {
        &self.kept[self.kept.partition_point(|kept| kept.position <= position) - 1]
    }
}

/// The approximate memory of a game. Visibility is shared by all snapshots and doesn't count.
fn bytes(game: &Game) -> usize {
    let players = game.players().iter();
    let players: usize = players.map(|player| 256 + player.known().bytes()).sum();
    let lying = game.piles().count() * 8 + game.food().len() * 4;
    1024 + game.map().tiles().len() + lying + players
}

#[cfg(test)]
mod tests;
