//! The byte budget against amplification: a small datagram with a spoofed source triggers large answers to that
//! address. So an address gets few bytes until it has proven that it listens.

use super::seat::GuardedAddress;
use super::source::SourceKey;
use super::{Limits, SourceBuckets};
use crate::Timestamp;
use crate::rate_limit::{Rate, TokenBucket};

const COLUMNS: usize = 1 << 14;
/// Addresses without a seat get this fraction of the byte budget of one address, and of the budget of all.
const UNSEATED_PART_OF_ONE: u64 = 8;
const UNSEATED_PART_OF_ALL: u64 = 2;

/// The bytes sent to addresses that have not proven that they listen.
#[derive(Debug)]
pub(super) struct ByteBudget {
    /// Usage per source, without players, who have their own counters.
    sources: SourceBuckets,
    all: TokenBucket,
    rate_of_one: Option<Rate>,
    rate_of_all: Option<Rate>,
}

impl ByteBudget {
    pub(super) fn new(limits: &Limits, key: &[u8; 16]) -> Self {
        Self {
            sources: SourceBuckets::new(COLUMNS, key),
            all: TokenBucket::default(),
            rate_of_one: limits.bytes_of_one(),
            rate_of_all: limits.bytes_of_all(),
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.sources.memory_bytes()
    }

    /// The bytes sent to this source that have not been refilled.
    pub(super) fn spent_on(&self, now: Timestamp, source: SourceKey) -> u64 {
        self.rate_of_one.map_or(0, |rate| self.sources.spent(now, rate, source).div_ceil(1000))
    }

    /// Counts these bytes if the budgets of the address and of all addresses suffice; returns false if not.
    pub(super) fn take(
        &mut self,
        now: Timestamp,
        seat: Option<&mut GuardedAddress>,
        source: SourceKey,
        bytes: usize,
    ) -> bool {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let is_seated = seat.is_some();
        let player = seat.filter(|seat| seat.is_player());
        if let Some(rate) = self.rate_of_one {
            let has = match &player {
                Some(player) => player.sent_bytes.saturating_add(bytes) <= rate.burst,
                None if is_seated => self.sources.has(now, rate, source, bytes),
                None => self.sources.has(now, part(rate, UNSEATED_PART_OF_ONE), source, bytes),
            };
            if !has {
                return false;
            }
        }
        if let Some(rate) = self.rate_of_all {
            let rate_for_it = if is_seated { rate } else { part(rate, UNSEATED_PART_OF_ALL) };
            if !self.all.has(now, rate_for_it, bytes) {
                return false;
            }
            self.all.take(now, rate, bytes);
        }
        if let Some(player) = player {
            player.sent_bytes = player.sent_bytes.saturating_add(bytes);
        } else if let Some(rate) = self.rate_of_one {
            self.sources.spend(now, rate, source, bytes);
        }
        true
    }
}

fn part(rate: Rate, of: u64) -> Rate {
    rate.with_burst(rate.burst / of)
}
