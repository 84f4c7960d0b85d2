//! Playing a recording again, entry by entry, and checking it on the way.

use nuggets_game::{Event, Game, Refusal};
use thiserror::Error;

use crate::{Ending, Recording, Unplayable, What};

/// The first record that doesn't fit the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("record {} (at byte {offset}) is bad: {why}", index + 1)]
pub struct BadRecord {
    /// Which entry, counted from 0; behind a wrong state, the last one before the checkpoint.
    pub index: usize,
    /// The first byte of the entry, or of the checkpoint.
    pub offset: usize,
    /// Why.
    pub why: Mismatch,
}

/// What doesn't fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Mismatch {
    /// No game can be made from the header.
    #[error(transparent)]
    Unplayable(#[from] Unplayable),
    /// The header gives another start than the one that was recorded.
    #[error(
        "the game starts otherwise than it was recorded to: its header was changed, or this version \
         of Nuggets plays by other rules"
    )]
    Start,
    /// Only inputs that the game took are recorded.
    #[error("the game refuses it: {}", in_words(*.0))]
    Refused(Refusal),
    /// Playing it again gives something else.
    #[error(
        "the game stands otherwise than it was recorded to: one of the records since number {} was \
         changed, or this version of Nuggets plays by other rules",
        since + 1
    )]
    State {
        /// The first entry that may be the cause, counted from 0.
        since: usize,
    },
    /// The recording says that the game is over.
    #[error("it says that the game is over, but it is not")]
    NotOver,
}

/// A game somewhere in its recording.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) game: Game,
    /// Entries behind it.
    pub(crate) done: usize,
    /// Checkpoints behind it.
    checked: usize,
}

impl Run {
    /// The start, checked.
    pub(crate) fn start(recording: &Recording) -> Result<Self, BadRecord> {
        let game = recording.header.game();
        let game = game.map_err(|why| BadRecord { index: 0, offset: 0, why: why.into() })?;
        let mut run = Self { game, done: 0, checked: 0 };
        run.check(recording)?;
        Ok(run)
    }

    /// Plays one more entry, and tells what came of it; false at the end.
    pub(crate) fn step(
        &mut self,
        recording: &Recording,
        events: &mut Vec<Event>,
    ) -> Result<bool, BadRecord> {
        events.clear();
        let Some(record) = recording.records.get(self.done) else { return Ok(false) };
        let bad = |why| BadRecord { index: self.done, offset: record.offset, why };
        if let Some(input) = record.entry.what.input() {
            self.game.apply(input, events);
        }
        if let [Event::Refused(refusal)] = events[..] {
            return Err(bad(Mismatch::Refused(refusal)));
        }
        if record.entry.what == What::End(Ending::Over) && self.game.end().is_none() {
            return Err(bad(Mismatch::NotOver));
        }
        self.done += 1;
        self.check(recording)?;
        Ok(true)
    }

    /// Compares the state with every checkpoint that stands here.
    fn check(&mut self, recording: &Recording) -> Result<(), BadRecord> {
        while let Some(checkpoint) = recording.checkpoints.get(self.checked)
            && checkpoint.behind <= self.done
        {
            if self.game.state_hash() != checkpoint.state {
                let before = recording.checkpoints[..self.checked].last();
                let why = before.map_or(Mismatch::Start, |c| Mismatch::State { since: c.behind });
                let index = self.done.saturating_sub(1);
                return Err(BadRecord { index, offset: checkpoint.offset, why });
            }
            self.checked += 1;
        }
        Ok(())
    }

    /// How many checkpoints were right.
    pub(crate) fn checked(&self) -> usize {
        self.checked
    }
}

fn in_words(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::Full => "all letters are taken",
        Refusal::NoSpot => "no spot is free",
        Refusal::NotPlaying => "that player isn't on the map",
        Refusal::Blocked => "there is no spot that way",
        Refusal::Over => "it is over",
    }
}

/// What checking a recording found.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The game as the recording leaves it.
    pub game: Game,
    /// Entries that were played.
    pub entries: usize,
    /// States that were compared.
    pub states: usize,
}

/// Plays a whole recording again and compares every state that it holds; finds the first record
/// that doesn't fit.
pub fn verify(recording: &Recording) -> Result<Verified, BadRecord> {
    let (mut run, mut events) = (Run::start(recording)?, vec![]);
    while run.step(recording, &mut events)? {}
    Ok(Verified { entries: run.done, states: run.checked(), game: run.game })
}
