//! Where a replay stands in its recording, and how it gets elsewhere. Real time is not known here.

use nuggets_record::{Millis, Record, Replay};

/// Where pauses are skipped, none is longer than this.
const LONGEST_PAUSE_MS: u64 = 1_000;

/// A replay that was played through once, and so can't fail.
#[derive(Clone, Debug)]
pub(crate) struct Playhead {
    replay: Replay,
    /// How much of the pause before the next entry has passed.
    since_ms: u64,
}

impl Playhead {
    /// At the start. The replay must have been played to its end.
    pub(crate) fn new(replay: Replay) -> Self {
        let mut playhead = Self { replay, since_ms: 0 };
        playhead.go(0);
        playhead
    }

    pub(crate) fn replay(&self) -> &Replay {
        &self.replay
    }

    /// The recorded time.
    pub(crate) fn at(&self) -> Millis {
        Millis(self.behind_ms().saturating_add(self.since_ms))
    }

    pub(crate) fn duration(&self) -> Millis {
        self.replay.recording().duration()
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.replay.position() == self.records().len()
    }

    /// How long it is until the next entry; nothing at the end.
    pub(crate) fn wait_ms(&self, skips: bool) -> Option<u64> {
        let next = self.records().get(self.replay.position())?;
        let pause = next.entry.at.0 - self.behind_ms();
        let pause = if skips { pause.min(LONGEST_PAUSE_MS) } else { pause };
        Some(pause.saturating_sub(self.since_ms))
    }

    /// Plays so much recorded time.
    pub(crate) fn advance(&mut self, mut ms: u64, skips: bool) {
        while let Some(wait) = self.wait_ms(skips) {
            if ms < wait {
                self.since_ms += ms;
                return;
            }
            ms -= wait;
            self.go(self.replay.position() + 1);
        }
    }

    /// Goes to where so many entries are behind; past the end, to the end.
    pub(crate) fn go(&mut self, position: usize) {
        self.replay.seek(position).expect("it was played to its end before");
        self.since_ms = 0;
    }

    /// Goes to a recorded time; past the end, to the end.
    pub(crate) fn go_to_time(&mut self, at: Millis) {
        let at = at.min(self.duration());
        self.go(self.records().partition_point(|record| record.entry.at <= at));
        self.since_ms = at.0 - self.behind_ms();
    }

    pub(crate) fn go_to_end(&mut self) {
        self.go(self.records().len());
    }

    /// Behind the next input of the game.
    pub(crate) fn step(&mut self) {
        let ahead = &self.records()[self.replay.position()..];
        let next = ahead.iter().position(is_input).unwrap_or(ahead.len());
        self.go(self.replay.position() + next + 1);
    }

    /// Behind the input before the last one.
    pub(crate) fn step_back(&mut self) {
        let behind = &self.records()[..self.replay.position()];
        let last = behind.iter().rposition(is_input).unwrap_or(0);
        let before = behind[..last].iter().rposition(is_input);
        self.go(before.map_or(0, |index| index + 1));
    }

    fn records(&self) -> &[Record] {
        &self.replay.recording().records
    }

    /// The time of the last entry that was played.
    fn behind_ms(&self) -> u64 {
        let last = self.replay.position().checked_sub(1);
        last.map_or(0, |index| self.records()[index].entry.at.0)
    }
}

fn is_input(record: &Record) -> bool {
    record.entry.what.input().is_some()
}
