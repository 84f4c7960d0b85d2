//! A recording that is played again, forth and back. What anybody sees of it is the game's own.

use nuggets_game::{Event, Game};

use crate::run::Run;
use crate::{BadRecord, Entry, Recording};

/// A game played again from its recording. Every state that the recording holds is compared on the
/// way, so nothing is ever played wrongly.
///
/// ```
/// use nuggets_game::{Name, Rules, Seed, SightRule, shipped};
/// use nuggets_protocol::Dialect;
/// use nuggets_record::{Entry, Header, Millis, Recording, Replay, What, Writer};
///
/// # let header = Header {
/// #     rules: Rules::default(),
/// #     seed: Seed::new(7),
/// #     dialect: Dialect::V2021,
/// #     sight: SightRule::DarkPassages,
/// #     map: shipped::ALL[0].map(),
/// #     port: 0,
/// # };
/// # let mut game = header.game().unwrap();
/// # let (mut writer, mut bytes) = Writer::new(&header, &game);
/// # let what = What::Join { name: Name::new(b"Ann").unwrap(), peer: None };
/// # game.apply(what.input().unwrap(), &mut vec![]);
/// # writer.append(&Entry::new(Millis(1500), what), &game, &mut bytes);
/// let mut replay = Replay::new(Recording::read(&bytes).unwrap().recording).unwrap();
/// let step = replay.step().unwrap().unwrap();
/// assert_eq!((step.entry.at, step.events.len()), (Millis(1500), 1));
/// assert_eq!(replay.game().players().len(), 1);
/// replay.seek(0).unwrap();
/// assert_eq!(replay.game().players().len(), 0);
/// ```
#[derive(Clone, Debug)]
pub struct Replay {
    recording: Recording,
    run: Run,
    snapshots: Snapshots,
    events: Vec<Event>,
}

/// One entry played again.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The entry.
    pub entry: &'a Entry,
    /// What came of it.
    pub events: &'a [Event],
}

impl Replay {
    /// A replay at the start of the game.
    pub fn new(recording: Recording) -> Result<Self, BadRecord> {
        Self::within(recording, KEEP_AT_MOST_BYTES)
    }

    /// The same, with so much memory for going back.
    fn within(recording: Recording, budget: usize) -> Result<Self, BadRecord> {
        let run = Run::start(&recording)?;
        let snapshots = Snapshots::new(run.clone(), budget);
        Ok(Self { recording, run, snapshots, events: vec![] })
    }

    /// The recording.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// The game as it is here.
    pub fn game(&self) -> &Game {
        &self.run.game
    }

    /// How many entries are behind.
    pub fn position(&self) -> usize {
        self.run.done
    }

    /// Plays the next entry; none at the end.
    pub fn step(&mut self) -> Result<Option<Step<'_>>, BadRecord> {
        let index = self.run.done;
        if !self.run.step(&self.recording, &mut self.events)? {
            return Ok(None);
        }
        self.snapshots.keep(&self.run);
        Ok(Some(Step { entry: &self.recording.records[index].entry, events: &self.events }))
    }

    /// Goes to where so many entries are behind, forth or back; past the end, to the end.
    pub fn seek(&mut self, position: usize) -> Result<(), BadRecord> {
        let nearest = self.snapshots.before(position);
        if position < self.run.done || nearest.done > self.run.done {
            self.run = nearest.clone();
        }
        while self.run.done < position && self.step()?.is_some() {}
        Ok(())
    }
}

/// What is kept for going back takes at most about this much memory.
const KEEP_AT_MOST_BYTES: usize = 64 << 20;
/// At first a game is kept every so many entries.
const FIRST_SPACING: usize = 64;

/// Games kept on the way, evenly spaced: when they become too many every second one goes.
#[derive(Clone, Debug)]
struct Snapshots {
    /// In order; the first is the start.
    kept: Vec<Run>,
    spacing: usize,
    bytes: usize,
    budget: usize,
}

impl Snapshots {
    fn new(start: Run, budget: usize) -> Self {
        Self { bytes: bytes(&start.game), kept: vec![start], spacing: FIRST_SPACING, budget }
    }

    /// Keeps this one if it is time for it.
    fn keep(&mut self, run: &Run) {
        let is_new = self.kept.last().is_none_or(|last| last.done < run.done);
        if is_new && run.done.is_multiple_of(self.spacing) {
            self.kept.push(run.clone());
            self.bytes += bytes(&run.game);
        }
        while self.bytes > self.budget && self.kept.len() > 1 {
            self.spacing *= 2;
            self.kept.retain(|run| run.done.is_multiple_of(self.spacing));
            self.bytes = self.kept.iter().map(|run| bytes(&run.game)).sum();
        }
    }

    /// The last one that isn't past this position.
    fn before(&self, position: usize) -> &Run {
        &self.kept[self.kept.partition_point(|run| run.done <= position) - 1]
    }
}

/// About how much memory a game takes. What is seen from its spots is shared by all.
fn bytes(game: &Game) -> usize {
    let players = game.players().iter();
    let players: usize = players.map(|player| 256 + player.known().bytes()).sum();
    let lying = game.piles().count() * 8 + game.food().len() * 4;
    1024 + game.map().tiles().len() + lying + players
}

#[cfg(test)]
mod tests;
