//! The delayed state of a stream, as watchers see it: always at least the configured delay behind.

use nuggets_time::Timestamp;

use super::Snapshot;
use crate::wire::StreamLine;

/// Maximum size of the lines that wait for the delay, in bytes. With 26 players and 60 keys per second each, this is
/// about a minute.
pub(super) const MAX_PENDING_BYTES: usize = 4 << 20;

/// The state of a view as its watchers see it.
#[derive(Debug)]
pub(super) struct Delayed {
    delay_ms: u64,
    shown: State,
    /// The later picture that watchers continue from, if there were too many pending lines before it to keep them.
    skip: Option<Box<State>>,
}

/// The state of a view after a line.
#[derive(Debug)]
struct State {
    snapshot: Snapshot,
    seq: u64,
    /// The time when the line was published.
    at: Timestamp,
}

impl Delayed {
    pub(super) fn new(now: Timestamp, delay_ms: u64, first: &Snapshot) -> Self {
        let shown = State { snapshot: first.clone(), seq: 1, at: now };
        Self { delay_ms, shown, skip: None }
    }

    pub(super) fn snapshot(&self) -> &Snapshot {
        &self.shown.snapshot
    }

    /// Returns the number of the last line that was applied or skipped. Lines after it must be kept.
    pub(super) fn seq(&self) -> u64 {
        self.skip.as_deref().unwrap_or(&self.shown).seq
    }

    /// Returns the number of the last line that may be shown; `None` if nothing is old enough yet.
    pub(super) fn visible_seq(&self, now: Timestamp) -> Option<u64> {
        self.is_old(now, self.shown.at).then_some(self.shown.seq)
    }

    /// Skips all lines up to `seq`: the picture does not change until this snapshot is old enough.
    pub(super) fn skip_to(&mut self, now: Timestamp, seq: u64, snapshot: &Snapshot) {
        self.skip = Some(Box::new(State { snapshot: snapshot.clone(), seq, at: now }));
    }

    pub(super) fn apply_skip(&mut self, now: Timestamp) {
        if self.skip.as_ref().is_some_and(|skip| self.is_old(now, skip.at))
            && let Some(skip) = self.skip.take()
        {
            self.shown = *skip;
        }
    }

    /// Applies the line after `seq`, unless it is too new. Returns true if it was applied.
    pub(super) fn apply_if_old(&mut self, now: Timestamp, at: Timestamp, text: &str) -> bool {
        if self.skip.is_some() || !self.is_old(now, at) {
            return false;
        }
        let line: StreamLine = serde_json::from_str(text).expect("the stream wrote this line");
        self.shown.snapshot.apply(&line);
        self.shown.seq = line.seq;
        self.shown.at = at;
        true
    }

    fn is_old(&self, now: Timestamp, at: Timestamp) -> bool {
        at.after(self.delay_ms) <= now
    }
}
