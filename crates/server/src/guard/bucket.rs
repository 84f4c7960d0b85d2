//! A token bucket in whole numbers. It knows neither whom it is for nor what is counted.

use crate::Millis;

/// How much may be spent: so much at once, and so much again in every second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rate {
    pub(super) burst: u64,
    pub(super) per_s: u64,
}

/// What was spent and is not forgiven yet, in thousandths. A new one has spent nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bucket {
    spent: u64,
    at: Millis,
}

impl Rate {
    /// As much at once as comes back in one second.
    pub(super) fn per_second(per_s: u32) -> Self {
        Self { burst: per_s.into(), per_s: per_s.into() }
    }

    /// The same rate with another burst.
    pub(super) fn with_burst(self, burst: u64) -> Self {
        Self { burst, ..self }
    }
}

impl Bucket {
    /// What is spent by now, in thousandths. A clock that went back forgives nothing.
    pub(super) fn spent(self, now: Millis, rate: Rate) -> u64 {
        self.spent.saturating_sub(now.since(self.at).saturating_mul(rate.per_s))
    }

    /// Whether so much could be spent now.
    pub(super) fn has(self, now: Millis, rate: Rate, amount: u64) -> bool {
        fits(self.spent(now, rate), rate, amount)
    }

    /// Spends so much if it is there.
    pub(super) fn take(&mut self, now: Millis, rate: Rate, amount: u64) -> bool {
        let has = self.has(now, rate, amount);
        if has {
            self.raise(now, rate, self.spent(now, rate).saturating_add(thousandths(amount)));
        }
        has
    }

    /// From now on at least so much is spent, in thousandths.
    ///
    /// The bucket follows the time that it is given, also backwards: one that kept the later time
    /// would stay shut until then.
    pub(super) fn raise(&mut self, now: Millis, rate: Rate, spent: u64) {
        *self = Self { spent: self.spent(now, rate).max(spent), at: now };
    }
}

/// Whether so much may be spent where so many thousandths already are.
pub(super) fn fits(spent: u64, rate: Rate, amount: u64) -> bool {
    spent.saturating_add(thousandths(amount)) <= thousandths(rate.burst)
}

pub(super) fn thousandths(amount: u64) -> u64 {
    amount.saturating_mul(1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate { burst: 4, per_s: 2 };

    #[test]
    fn the_burst_is_there_at_once_and_comes_back_with_time() {
        let mut bucket = Bucket::default();
        let now = Millis(1_000_000);
        assert!((0..4).all(|_| bucket.take(now, RATE, 1)) && !bucket.take(now, RATE, 1));
        assert!(!bucket.take(now.after(499), RATE, 1));
        assert!(bucket.take(now.after(500), RATE, 1));
        assert!(!bucket.take(now.after(500), RATE, 1));
        // However long it rested, no more than the burst is there.
        assert!(!bucket.has(now.after(1_000_000), RATE, 5));
        assert!(bucket.has(now.after(1_000_000), RATE, 4));
    }

    #[test]
    fn a_clock_that_goes_back_forgives_nothing_and_locks_nobody_out() {
        let mut bucket = Bucket::default();
        assert!(bucket.take(Millis(u64::MAX), RATE, 3));
        assert!(bucket.take(Millis(0), RATE, 1) && !bucket.take(Millis(0), RATE, 1));
        assert!(bucket.take(Millis(500), RATE, 1));
    }

    #[test]
    fn a_rate_of_nothing_gives_nothing() {
        let mut bucket = Bucket::default();
        assert!(!bucket.take(Millis(u64::MAX), Rate::per_second(0), 1));
    }
}
