//! The quota of log lines. It knows neither the log nor its content.

use crate::Timestamp;
use crate::rate_limit::{Rate, TokenBucket};

const LINES: Rate = Rate { burst: 200, per_s: 50 };
/// Minimum interval between reports of dropped lines.
const REPORT_EVERY_MS: u64 = 1000;

/// Keeps a flood from filling the log: lines beyond the quota are counted instead.
///
/// ```
/// use nuggets_server::{LogQuota, Timestamp};
///
/// let mut quota = LogQuota::default();
/// let now = Timestamp(0);
/// let written = (0..1000).filter(|_| quota.may_log(now)).count();
/// assert_eq!(written, 200);
/// assert_eq!(quota.poll_dropped(now.after(1000)), Some(800));
/// assert_eq!(quota.poll_dropped(now.after(1000)), None);
/// ```
#[derive(Debug, Default)]
pub struct LogQuota {
    lines: TokenBucket,
    dropped: u64,
    /// Time when the first of them was dropped.
    since: Timestamp,
}

impl LogQuota {
    /// True if one more line may be written; otherwise the line is counted as dropped.
    pub fn may_log(&mut self, now: Timestamp) -> bool {
        let may = self.lines.take(now, LINES, 1);
        if !may {
            if self.dropped == 0 {
                self.since = now;
            }
            self.dropped = self.dropped.saturating_add(1);
        }
        may
    }

    /// Returns the number of lines dropped since the last report, at most once per second. The line that reports it
    /// needs no quota.
    pub fn poll_dropped(&mut self, now: Timestamp) -> Option<u64> {
        let is_due = self.dropped > 0 && now.since(self.since) >= REPORT_EVERY_MS;
        is_due.then(|| std::mem::take(&mut self.dropped))
    }

    /// Returns the number of dropped lines immediately, for the end.
    pub fn take_dropped(&mut self) -> Option<u64> {
        Some(std::mem::take(&mut self.dropped)).filter(|n| *n > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_lines_is_written_at_the_rate_and_counted_beyond() {
        let mut quota = LogQuota::default();
        let mut written = 0;
        let mut reports = 0;
        let mut dropped = 0;
        for step in 0..100_000 {
            let now = Timestamp(step / 10);
            written += u64::from(quota.may_log(now));
            if let Some(n) = quota.poll_dropped(now) {
                reports += 1;
                dropped += n;
            }
        }
        dropped += quota.take_dropped().unwrap();
        assert_eq!(quota.take_dropped(), None);
        // Ten seconds.
        assert!((690..=700).contains(&written), "{written}");
        assert!((8..=10).contains(&reports), "{reports}");
        assert_eq!(written + dropped, 100_000);
    }

    #[test]
    fn a_quiet_log_drops_nothing() {
        let mut quota = LogQuota::default();
        for step in 0..1000 {
            assert!(quota.may_log(Timestamp(step * 20)));
            assert_eq!(quota.poll_dropped(Timestamp(step * 20)), None);
        }
    }
}
