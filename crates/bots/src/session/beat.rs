//! When a bot presses its next key.

use std::time::Duration;

use nuggets_atlas::Point;

use crate::chance::Chance;

/// Without a pace: how long to wait for the answer to a key, at first and at most. A server that
/// takes longer is given more time with every key.
const PATIENCE: [Duration; 2] = [Duration::from_millis(20), Duration::from_millis(320)];

/// The time between keys.
#[derive(Clone, Debug)]
pub(super) struct Beat {
    pace: Duration,
    chance: Chance,
    next: Duration,
    patience: Duration,
    /// Where we were when we pressed a key that is not answered yet.
    pressed_at: Option<Point>,
}

impl Beat {
    pub(super) fn new(pace: Duration, seed: u64) -> Self {
        let (next, patience) = (Duration::ZERO, PATIENCE[0]);
        Self { pace, chance: Chance::new(seed), next, patience, pressed_at: None }
    }

    /// The moment of the next key.
    pub(super) fn next(&self) -> Duration {
        self.next
    }

    /// The first key comes somewhere within the first beat.
    pub(super) fn begin(&mut self, now: Duration) {
        self.next = now + self.pace * self.chance.below(256) / 256;
    }

    /// A picture came with us here. Without a pace, one that shows us elsewhere is the answer.
    pub(super) fn hear(&mut self, now: Duration, you: Point) {
        if self.pressed_at.is_some_and(|from| from != you) {
            self.pressed_at = None;
            self.patience = PATIENCE[0];
            if self.pace.is_zero() {
                self.next = now;
            }
        }
    }

    /// A key was pressed by somebody who stood here; or there was nothing to do.
    pub(super) fn press(&mut self, now: Duration, you: Option<Point>) {
        if self.pressed_at.is_some() {
            self.patience = PATIENCE[1].min(self.patience * 2);
        }
        self.next = now + if self.pace.is_zero() { self.patience } else { self.spread_pace() };
        self.pressed_at = you;
    }

    /// The pace, an eighth more or less.
    fn spread_pace(&mut self) -> Duration {
        self.pace * (224 + self.chance.below(65)) / 256
    }
}
