//! Rate limits per source for expensive operations (new guests, passwords, maps, replays) and for requests in general.

use std::collections::BTreeMap;
use std::sync::Mutex;

use axum::http::StatusCode;
use nuggets_server::{Rate, TokenBucket};
use nuggets_time::{Clock, Timestamp};

use super::rejection::HttpError;
use crate::Source;
use crate::locks::lock;

/// A limited operation. Each costs 60 units of its token bucket, so that a rate can be given per minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Limited {
    /// A request that reads.
    Read,
    /// A request that changes something.
    Write,
    /// A new guest; a whole class may share one address.
    NewGuest,
    /// An attempt with a password or an admin token; a whole class may log in at once.
    Password,
    /// The check or generation of a map.
    MapCheck,
    /// The computation of a replay.
    Replay,
}

impl Limited {
    /// Returns the burst and the rate per minute.
    fn times(self) -> (u64, u64) {
        match self {
            Self::Read => (600, 3000),
            Self::Write => (120, 600),
            Self::NewGuest => (120, 60),
            Self::Password => (60, 30),
            Self::MapCheck => (60, 240),
            Self::Replay => (60, 120),
        }
    }

    fn rate(self) -> Rate {
        let (burst, per_minute) = self.times();
        Rate { burst: burst * UNITS, per_s: per_minute }
    }
}

/// The units that one operation costs.
const UNITS: u64 = 60;

/// The maximum number of sources with a bucket; beyond it, the least busy are dropped.
const MAX_SOURCES: usize = 20_000;

/// The token buckets of all sources.
#[derive(Debug)]
pub(crate) struct RateLimits {
    clock: Clock,
    buckets: Mutex<BTreeMap<(Source, Limited), TokenBucket>>,
}

impl RateLimits {
    /// Creates full buckets for all sources.
    pub(crate) fn new(clock: Clock) -> Self {
        Self { clock, buckets: Mutex::default() }
    }

    /// Counts an operation, or rejects it if its limit is exceeded.
    pub(crate) fn spend(&self, what: Limited, source: Source) -> Result<(), HttpError> {
        if self.spend_at(self.clock.now(), what, source) {
            return Ok(());
        }
        let words = match what {
            Limited::Password => "too many tries. Wait a minute, then try again",
            _ => "too many requests from your address. Wait a minute, then try again",
        };
        Err(HttpError::new(StatusCode::TOO_MANY_REQUESTS, words))
    }

    fn spend_at(&self, now: Timestamp, what: Limited, source: Source) -> bool {
        let mut buckets = lock(&self.buckets);
        if buckets.len() >= MAX_SOURCES {
            // A full bucket has no information.
            buckets.retain(|(_, what), bucket| {
                let rate = what.rate();
                !bucket.take(now, rate, rate.burst)
            });
        }
        if buckets.len() >= MAX_SOURCES && !buckets.contains_key(&(source, what)) {
            return false;
        }
        buckets.entry((source, what)).or_default().take(now, what.rate(), UNITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_source_has_its_own_limit_and_gets_it_back() {
        let limits = RateLimits::new(Clock::start());
        let one = Source::of([10, 0, 0, 1].into());
        let other = Source::of([10, 0, 0, 2].into());
        let now = Timestamp(1000);
        let tries = |now, source| limits.spend_at(now, Limited::Password, source);
        assert!((0..60).all(|_| tries(now, one)) && !tries(now, one));
        assert!(tries(now, other));
        assert!(limits.spend_at(now, Limited::Read, one), "another kind");
        assert!(!tries(now.after(1_900), one));
        assert!(tries(now.after(2_000), one), "thirty per minute");
    }

    #[test]
    fn memory_is_bounded_and_idle_sources_are_forgotten() {
        let limits = RateLimits::new(Clock::start());
        let source = |n: u32| Source::of(std::net::Ipv4Addr::from_bits(n).into());
        let max = u32::try_from(MAX_SOURCES).unwrap();
        for n in 0..max {
            assert!(limits.spend_at(Timestamp(0), Limited::Read, source(n)));
        }
        assert!(!limits.spend_at(Timestamp(0), Limited::Read, source(max)));
        assert!(limits.spend_at(Timestamp(60_000), Limited::Read, source(max)));
        assert_eq!(limits.buckets.lock().unwrap().len(), 1);
    }
}
