//! Token buckets for any number of sources, spoofed ones included, in fixed memory.
//!
//! Every source has one bucket in each of two rows, found by a keyed hash, and shares them with others. The amount
//! spent by a source is the smaller value of its two buckets. That is never below the true amount, so sharing only
//! makes limits stricter; and since the key is secret, an attacker can't target the buckets of another source.
//! Buckets refill with time, so no source is locked out for good.

use siphasher::sip::SipHasher13;

use super::source::SourceKey;
use crate::Timestamp;
use crate::rate_limit::{Rate, TokenBucket, fits, thousandths};

/// Two rows of buckets.
#[derive(Debug)]
pub(super) struct SourceBuckets {
    hasher: SipHasher13,
    rows: [Box<[TokenBucket]>; 2],
}

impl SourceBuckets {
    pub(super) fn new(columns: usize, key: &[u8; 16]) -> Self {
        assert!(columns > 0, "a row has a bucket");
        let row = || vec![TokenBucket::default(); columns].into_boxed_slice();
        Self { hasher: SipHasher13::new_with_key(key), rows: [row(), row()] }
    }

    /// Upper bound of the amount that this source has spent, in thousandths.
    pub(super) fn spent(&self, now: Timestamp, rate: Rate, source: SourceKey) -> u64 {
        let [first, second] = self.places(source);
        self.rows[0][first].spent(now, rate).min(self.rows[1][second].spent(now, rate))
    }

    /// True if this source could spend this amount now.
    pub(super) fn has(&self, now: Timestamp, rate: Rate, source: SourceKey, amount: u64) -> bool {
        fits(self.spent(now, rate, source), rate, amount)
    }

    /// Adds this amount to the source, even beyond its limit.
    pub(super) fn spend(&mut self, now: Timestamp, rate: Rate, source: SourceKey, amount: u64) {
        // Not added to both buckets: amounts that others have spent in one of them need not count twice.
        let spent = self.spent(now, rate, source).saturating_add(thousandths(amount));
        let places = self.places(source);
        for (row, place) in self.rows.iter_mut().zip(places) {
            row[place].raise(now, rate, spent);
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.rows.iter().map(|row| size_of_val(&**row)).sum()
    }

    fn places(&self, source: SourceKey) -> [usize; 2] {
        let hash = self.hasher.hash(&source.bytes());
        let columns = self.rows[0].len() as u64;
        [hash >> 32, hash & 0xffff_ffff]
            .map(|half| usize::try_from(half % columns).expect("it is below the columns"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate { burst: 10, per_s: 1 };
    const NOW: Timestamp = Timestamp(77);

    fn source(number: u32) -> SourceKey {
        SourceKey::of((number.to_be_bytes(), 9).into())
    }

    #[test]
    fn a_shared_bucket_never_shows_less_than_was_spent() {
        let mut buckets = SourceBuckets::new(16, &[3; 16]);
        let mut truth = [0_u64; 100];
        for step in 0..3000_u32 {
            let who = step * 7 % 100;
            buckets.spend(NOW, RATE, source(who), 1);
            truth[who as usize] += 1000;
        }
        for (who, spent) in (0..).zip(truth) {
            assert!(buckets.spent(NOW, RATE, source(who)) >= spent);
        }
    }

    #[test]
    fn few_sources_rarely_share_a_bucket() {
        let mut buckets = SourceBuckets::new(1024, &[3; 16]);
        for who in 0..30 {
            buckets.spend(NOW, RATE, source(who), 10);
        }
        let shut = (1000..11_000).filter(|who| !buckets.has(NOW, RATE, source(*who), 10)).count();
        assert!(shut < 100, "{shut} of 10,000 other sources share buckets with 30");
    }

    #[test]
    fn a_shared_bucket_refills_with_time() {
        let mut buckets = SourceBuckets::new(1, &[3; 16]);
        buckets.spend(NOW, RATE, source(1), 10);
        assert!(!buckets.has(NOW, RATE, source(2), 1));
        assert!(buckets.has(NOW.after(1000), RATE, source(2), 1));
    }

    #[test]
    fn another_key_gives_other_places() {
        let (one, two) =
            (SourceBuckets::new(1 << 14, &[1; 16]), SourceBuckets::new(1 << 14, &[2; 16]));
        let same = (0..1000).filter(|who| one.places(source(*who)) == two.places(source(*who)));
        assert!(same.count() < 3);
    }
}
