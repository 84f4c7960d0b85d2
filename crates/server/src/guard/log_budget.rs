//! How much may be logged. It knows neither the log nor what is written there.

use super::bucket::{Bucket, Rate};
use crate::Millis;

/// So many lines in a second, and some more at once.
const LINES: Rate = Rate { burst: 200, per_s: 50 };
/// How often it is told what was left out.
const TELL_EVERY_MS: u64 = 1000;

/// Keeps a flood from filling the log: what is too much is counted instead.
///
/// ```
/// use nuggets_server::{LogBudget, Millis};
///
/// let mut budget = LogBudget::default();
/// let now = Millis(0);
/// let written = (0..1000).filter(|_| budget.may_log(now)).count();
/// assert_eq!(written, 200);
/// assert_eq!(budget.poll_left_out(now.after(1000)), Some(800));
/// assert_eq!(budget.poll_left_out(now.after(1000)), None);
/// ```
#[derive(Debug, Default)]
pub struct LogBudget {
    lines: Bucket,
    left_out: u64,
    /// When the first of those was left out.
    since: Millis,
}

impl LogBudget {
    /// Whether one more line may be written; if not, it is counted.
    pub fn may_log(&mut self, now: Millis) -> bool {
        let may = self.lines.take(now, LINES, 1);
        if !may {
            if self.left_out == 0 {
                self.since = now;
            }
            self.left_out = self.left_out.saturating_add(1);
        }
        may
    }

    /// How many lines were left out since this was last told, at most once in a second. The line
    /// that tells it needs no leave.
    pub fn poll_left_out(&mut self, now: Millis) -> Option<u64> {
        let is_due = self.left_out > 0 && now.since(self.since) >= TELL_EVERY_MS;
        is_due.then(|| std::mem::take(&mut self.left_out))
    }

    /// The same at the end, when there is no more waiting.
    pub fn take_left_out(&mut self) -> Option<u64> {
        Some(std::mem::take(&mut self.left_out)).filter(|n| *n > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_lines_is_written_at_its_rate_and_counted_beyond() {
        let mut budget = LogBudget::default();
        let (mut written, mut told, mut left_out) = (0, 0, 0);
        for step in 0..100_000 {
            let now = Millis(step / 10);
            written += u64::from(budget.may_log(now));
            if let Some(n) = budget.poll_left_out(now) {
                told += 1;
                left_out += n;
            }
        }
        left_out += budget.take_left_out().unwrap();
        assert_eq!(budget.take_left_out(), None);
        // Ten seconds.
        assert!((690..=700).contains(&written), "{written}");
        assert!((8..=10).contains(&told), "{told}");
        assert_eq!(written + left_out, 100_000);
    }

    #[test]
    fn a_quiet_log_leaves_nothing_out() {
        let mut budget = LogBudget::default();
        for step in 0..1000 {
            assert!(budget.may_log(Millis(step * 20)));
            assert_eq!(budget.poll_left_out(Millis(step * 20)), None);
        }
    }
}
