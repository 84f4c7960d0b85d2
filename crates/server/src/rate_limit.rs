//! Rate limits: a token bucket in whole numbers. It knows neither who is limited nor what is counted.

use crate::Timestamp;

/// A rate limit: `burst` units at once, and `per_s` more in every second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Maximum number of units at once.
    pub burst: u64,
    /// Units that are refilled per second.
    pub per_s: u64,
}

/// The amount that was spent and has not been refilled yet, in thousandths of a unit. A new bucket is full.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokenBucket {
    spent: u64,
    at: Timestamp,
}

impl Rate {
    /// A rate whose burst is the refill of one second.
    pub(crate) fn per_second(per_s: u32) -> Self {
        Self { burst: per_s.into(), per_s: per_s.into() }
    }

    /// The same rate with another burst.
    pub(crate) fn with_burst(self, burst: u64) -> Self {
        Self { burst, ..self }
    }
}

impl TokenBucket {
    /// The amount that is still spent now, in thousandths. A clock that went back refills nothing.
    pub(crate) fn spent(self, now: Timestamp, rate: Rate) -> u64 {
        self.spent.saturating_sub(now.since(self.at).saturating_mul(rate.per_s))
    }

    /// True if this amount could be spent now.
    pub(crate) fn has(self, now: Timestamp, rate: Rate, amount: u64) -> bool {
        fits(self.spent(now, rate), rate, amount)
    }

    /// Spends this amount if it is available; returns false if not.
    pub fn take(&mut self, now: Timestamp, rate: Rate, amount: u64) -> bool {
        let has = self.has(now, rate, amount);
        if has {
            self.raise(now, rate, self.spent(now, rate).saturating_add(thousandths(amount)));
        }
        has
    }

    /// Raises the spent amount to at least this, in thousandths.
    ///
    /// The bucket follows the given time, even backwards: if it kept the later time, it would stay empty until then.
    pub(crate) fn raise(&mut self, now: Timestamp, rate: Rate, spent: u64) {
        *self = Self { spent: self.spent(now, rate).max(spent), at: now };
    }
}

/// True if this amount may be spent in addition to `spent` thousandths.
pub(crate) fn fits(spent: u64, rate: Rate, amount: u64) -> bool {
    spent.saturating_add(thousandths(amount)) <= thousandths(rate.burst)
}

pub(crate) fn thousandths(amount: u64) -> u64 {
    amount.saturating_mul(1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate { burst: 4, per_s: 2 };

    #[test]
    fn the_burst_is_available_at_once_and_refills_with_time() {
        let mut bucket = TokenBucket::default();
        let now = Timestamp(1_000_000);
        assert!((0..4).all(|_| bucket.take(now, RATE, 1)) && !bucket.take(now, RATE, 1));
        assert!(!bucket.take(now.after(499), RATE, 1));
        assert!(bucket.take(now.after(500), RATE, 1));
        assert!(!bucket.take(now.after(500), RATE, 1));
        // However long the bucket is unused, no more than the burst is available.
        assert!(!bucket.has(now.after(1_000_000), RATE, 5));
        assert!(bucket.has(now.after(1_000_000), RATE, 4));
    }

    #[test]
    fn a_clock_that_goes_back_refills_nothing_and_locks_nobody_out() {
        let mut bucket = TokenBucket::default();
        assert!(bucket.take(Timestamp(u64::MAX), RATE, 3));
        assert!(bucket.take(Timestamp(0), RATE, 1) && !bucket.take(Timestamp(0), RATE, 1));
        assert!(bucket.take(Timestamp(500), RATE, 1));
    }

    #[test]
    fn a_rate_of_zero_allows_nothing() {
        let mut bucket = TokenBucket::default();
        assert!(!bucket.take(Timestamp(u64::MAX), Rate::per_second(0), 1));
    }
}
