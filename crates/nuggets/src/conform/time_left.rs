//! The remaining time of a run for display: it follows a rough estimate, but never jumps. Pure.

use std::time::Duration;

/// No time is shown before this percentage of the checks is done: one check says little.
const MIN_DONE_PERCENT: u64 = 5;
/// The maximum ratio by which the displayed time falls faster than real time passes.
const MAX_FALL: u32 = 3;

/// The time that was shown last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TimeLeft {
    shown: Option<(Duration, Duration)>,
}

impl TimeLeft {
    /// The time left at a point of the run, when this many of all checks are done.
    pub(super) fn update(&mut self, elapsed: Duration, done: u64, all: u64) -> Option<Duration> {
        if done == 0 || done * 100 < all * MIN_DONE_PERCENT {
            return None;
        }
        let more = f64::from(u32::try_from(all.saturating_sub(done)).unwrap_or(u32::MAX));
        let done = f64::from(u32::try_from(done).unwrap_or(u32::MAX));
        let estimate = elapsed.mul_f64(more / done);
        let left = match self.shown {
            None => estimate,
            Some((then, left)) => {
                let passed = elapsed.saturating_sub(then);
                // The displayed time may stand still, but does not rise.
                estimate.clamp(left.saturating_sub(passed * MAX_FALL), left)
            }
        };
        self.shown = Some((elapsed, left));
        Some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn nothing_is_shown_before_some_checks_are_done() {
        let mut left = TimeLeft::default();
        assert_eq!(left.update(SECOND, 0, 100), None);
        assert_eq!(left.update(SECOND, 4, 100), None);
        assert_eq!(left.update(SECOND, 5, 100), Some(SECOND * 19));
    }

    #[test]
    fn a_long_check_makes_it_stand_still_and_short_ones_fall_smoothly() {
        let mut left = TimeLeft::default();
        assert_eq!(left.update(SECOND * 10, 50, 100), Some(SECOND * 10));
        assert_eq!(left.update(SECOND * 30, 50, 100), Some(SECOND * 10), "nothing was done");
        assert_eq!(left.update(SECOND * 31, 95, 100), Some(SECOND * 7), "not at once to 2");
        assert_eq!(left.update(SECOND * 33, 99, 100), Some(SECOND));
        assert_eq!(left.update(SECOND * 34, 100, 100), Some(Duration::ZERO));
    }
}
