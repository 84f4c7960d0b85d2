//! Replaying a recording entry by entry and checking it against its state hashes.

use nuggets_game::{Event, Game, Rejection};
use thiserror::Error;

use crate::{RecordedEvent, Recording, RecordingEnd, Unplayable};

/// The first record that doesn't replay as recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("record {} (at byte {offset}) is bad: {why}", index + 1)]
pub struct BadRecord {
    /// The index of the entry; for a wrong state, of the last one before the checkpoint.
    pub index: usize,
    /// The offset of the entry, or of the checkpoint.
    pub offset: usize,
    /// The mismatch.
    pub why: ReplayMismatch,
}

/// A difference between a record and the replayed game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ReplayMismatch {
    /// No game can be created from the header.
    #[error(transparent)]
    Unplayable(#[from] Unplayable),
    /// The start of the game differs from the recorded one.
    #[error(
        "the start of the game differs from the recorded one: the header was changed, or this version \
         of Nuggets plays by other rules"
    )]
    Start,
    /// The game rejects the input. Only accepted inputs are recorded.
    #[error("the game rejects it: {}", describe(*.0))]
    Rejected(Rejection),
    /// The state of the game differs from the recorded one.
    #[error(
        "the state of the game differs from the recorded one: one of the records since number {} was \
         changed, or this version of Nuggets plays by other rules",
        since + 1
    )]
    State {
        /// The index of the first entry that may be the cause.
        since: usize,
    },
    /// The recording ends as over, but the game is not.
    #[error("it records the end of the game, but the game is not over")]
    NotOver,
}

/// A game at some position of its recording.
#[derive(Clone, Debug)]
pub(crate) struct Playback {
    pub(crate) game: Game,
    /// The number of entries applied so far.
    pub(crate) position: usize,
    /// The number of checkpoints compared so far.
    checked: usize,
}

impl Playback {
    /// The start of the game, checked against the first checkpoint.
    pub(crate) fn start(recording: &Recording) -> Result<Self, BadRecord> {
        let game = recording.header.game();
        let game = game.map_err(|why| BadRecord { index: 0, offset: 0, why: why.into() })?;
        let mut playback = Self { game, position: 0, checked: 0 };
        playback.check(recording)?;
        Ok(playback)
    }

    /// Applies the next entry and replaces `events` with its events; returns false at the end.
    pub(crate) fn step(
        &mut self,
        recording: &Recording,
        events: &mut Vec<Event>,
    ) -> Result<bool, BadRecord> {
        events.clear();
        let Some(record) = recording.records.get(self.position) else { return Ok(false) };
        let bad = |why| BadRecord { index: self.position, offset: record.offset, why };
        if let Some(input) = record.entry.what.input() {
            self.game.apply(input, events);
        }
        if let [Event::Rejected(rejection)] = events[..] {
            return Err(bad(ReplayMismatch::Rejected(rejection)));
        }
        if record.entry.what == RecordedEvent::End(RecordingEnd::Over) && self.game.end().is_none()
        {
            return Err(bad(ReplayMismatch::NotOver));
        }
        self.position += 1;
        self.check(recording)?;
        Ok(true)
    }

    /// Compares the state with every checkpoint at this position.
    fn check(&mut self, recording: &Recording) -> Result<(), BadRecord> {
        while let Some(checkpoint) = recording.checkpoints.get(self.checked)
            && checkpoint.position <= self.position
        {
            if self.game.state_hash() != checkpoint.state {
                let before = recording.checkpoints[..self.checked].last();
                let why = before
                    .map_or(ReplayMismatch::Start, |c| ReplayMismatch::State { since: c.position });
                let index = self.position.saturating_sub(1);
                return Err(BadRecord { index, offset: checkpoint.offset, why });
            }
            self.checked += 1;
        }
        Ok(())
    }
}

fn describe(rejection: Rejection) -> &'static str {
    match rejection {
        Rejection::Full => "all letters are taken",
        Rejection::NoSpot => "no spot is free",
        Rejection::NotPlaying => "that player isn't on the map",
        Rejection::Blocked => "there is no spot in that direction",
        Rejection::Over => "it is over",
    }
}

/// A recording that replays as recorded.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The game at the end of the recording.
    pub game: Game,
    /// The number of entries replayed.
    pub entries: usize,
    /// The number of state hashes compared.
    pub states: usize,
}

/// Replays a whole recording and compares every state hash in it; the error is the first record that
/// differs.
pub fn verify(recording: &Recording) -> Result<Verified, BadRecord> {
    let mut playback = Playback::start(recording)?;
    let mut events = vec![];
    while playback.step(recording, &mut events)? {}
    let Playback { game, position, checked } = playback;
    Ok(Verified { game, entries: position, states: checked })
}
