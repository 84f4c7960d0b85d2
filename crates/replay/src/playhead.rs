//! The position of a replay in recorded time, and moving it. It must not know real time.

use nuggets_record::{Record, Replay, Timestamp};

/// The length that skipped pauses are shortened to.
const MAX_PAUSE_MS: u64 = 1_000;

/// A replay that was verified to its end, so that moving can't fail.
#[derive(Clone, Debug)]
pub(crate) struct Playhead {
    replay: Replay,
    /// The part of the pause before the next entry that has passed, in recorded milliseconds.
    since_ms: u64,
}

impl Playhead {
    /// Starts at the beginning. The replay must have reached its end before.
    pub(crate) fn new(replay: Replay) -> Self {
        let mut playhead = Self { replay, since_ms: 0 };
        playhead.go(0);
        playhead
    }

    pub(crate) fn replay(&self) -> &Replay {
        &self.replay
    }

    /// The current time within the recording.
    pub(crate) fn at(&self) -> Timestamp {
        Timestamp(self.applied_ms().saturating_add(self.since_ms))
    }

    pub(crate) fn duration(&self) -> Timestamp {
        self.replay.recording().duration()
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.replay.position() == self.records().len()
    }

    /// The time until the next entry; `None` at the end.
    pub(crate) fn wait_ms(&self, skips_pauses: bool) -> Option<u64> {
        let next = self.records().get(self.replay.position())?;
        let pause = next.entry.at.0 - self.applied_ms();
        let pause = if skips_pauses { pause.min(MAX_PAUSE_MS) } else { pause };
        Some(pause.saturating_sub(self.since_ms))
    }

    /// Advances by this much recorded time.
    pub(crate) fn advance(&mut self, mut ms: u64, skips_pauses: bool) {
        while let Some(wait) = self.wait_ms(skips_pauses) {
            if ms < wait {
                self.since_ms += ms;
                return;
            }
            ms -= wait;
            self.go(self.replay.position() + 1);
        }
    }

    /// Goes to this position, at most to the end.
    pub(crate) fn go(&mut self, position: usize) {
        self.replay.seek(position).expect("the recording was verified to its end");
        self.since_ms = 0;
    }

    /// Goes to this time within the recording, at most to the end.
    pub(crate) fn go_to_time(&mut self, at: Timestamp) {
        let at = at.min(self.duration());
        self.go(self.records().partition_point(|record| record.entry.at <= at));
        self.since_ms = at.0 - self.applied_ms();
    }

    pub(crate) fn go_to_end(&mut self) {
        self.go(self.records().len());
    }

    /// Goes to the position after the next input of the game.
    pub(crate) fn step(&mut self) {
        let ahead = &self.records()[self.replay.position()..];
        let next = ahead.iter().position(is_input).unwrap_or(ahead.len());
        self.go(self.replay.position() + next + 1);
    }

    /// Goes to the position after the input before the last one.
    pub(crate) fn step_back(&mut self) {
        let applied = &self.records()[..self.replay.position()];
        let last = applied.iter().rposition(is_input).unwrap_or(0);
        let before = applied[..last].iter().rposition(is_input);
        self.go(before.map_or(0, |index| index + 1));
    }

    fn records(&self) -> &[Record] {
        &self.replay.recording().records
    }

    /// The time of the last entry that was applied.
    fn applied_ms(&self) -> u64 {
        let last = self.replay.position().checked_sub(1);
        last.map_or(0, |index| self.records()[index].entry.at.0)
    }
}

fn is_input(record: &Record) -> bool {
    record.entry.what.input().is_some()
}
