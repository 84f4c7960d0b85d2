//! The timing of a bot's keys.

use nuggets_atlas::Point;
use nuggets_session::Timestamp;

use crate::rng::BotRng;

/// Without a pace: the initial wait for the answer to a key, in milliseconds.
const MIN_WAIT_MS: u64 = 20;
/// With a pace: the minimum wait for the answer to a key, in milliseconds, even if the pace is shorter. A bot that is
/// faster than its server would walk by outdated pictures.
const PACED_WAIT_MS: u64 = 60;
/// Without a pace, the wait doubles with every key that is not answered, up to this.
const MAX_WAIT_MS: u64 = 320;

/// The time between keys.
#[derive(Clone, Debug)]
pub(super) struct Beat {
    pace_ms: u64,
    rng: BotRng,
    next: Timestamp,
    wait_ms: u64,
    /// The due time of the next key by the pace alone.
    paced: Timestamp,
    /// Our position when we pressed a key that is not answered yet.
    pressed_at: Option<Point>,
}

impl Beat {
    pub(super) fn new(pace_ms: u64, seed: u64) -> Self {
        Self {
            pace_ms,
            rng: BotRng::new(seed),
            next: Timestamp(0),
            wait_ms: MIN_WAIT_MS,
            paced: Timestamp(0),
            pressed_at: None,
        }
    }

    /// Returns the due time of the next key.
    pub(super) fn next(&self) -> Timestamp {
        self.next
    }

    /// Schedules the first key at a random time within one pace, so that many bots don't beat in step.
    pub(super) fn begin(&mut self, now: Timestamp) {
        let part = self.rng.below(256);
        self.next = now.after(self.scaled_pace_ms(part));
    }

    /// Handles a picture that shows us here. A changed position answers the key: the next key follows at once, or when
    /// the pace allows it.
    pub(super) fn handle_picture(&mut self, now: Timestamp, you: Point) {
        if self.pressed_at.is_some_and(|from| from != you) {
            self.pressed_at = None;
            self.wait_ms = MIN_WAIT_MS;
            self.next = if self.pace_ms == 0 { now } else { self.paced };
        }
    }

    /// Notes a key pressed at this position; `None` if there was nothing to do.
    pub(super) fn press(&mut self, now: Timestamp, you: Option<Point>) {
        if self.pressed_at.is_some() {
            self.wait_ms = MAX_WAIT_MS.min(self.wait_ms * 2);
        }
        let pause_ms = if self.pace_ms == 0 {
            self.wait_ms
        } else {
            // The pace, an eighth more or less.
            let part = 224 + self.rng.below(65);
            let pace_ms = self.scaled_pace_ms(part);
            self.paced = now.after(pace_ms);
            if you.is_some() { pace_ms.max(PACED_WAIT_MS) } else { pace_ms }
        };
        self.next = now.after(pause_ms);
        self.pressed_at = you;
    }

    /// The pace times `part`/256, rounded up.
    fn scaled_pace_ms(&self, part: u32) -> u64 {
        self.pace_ms.saturating_mul(part.into()).div_ceil(256)
    }
}
