//! The rate limit for the messages of one seat, whatever their content.

use super::{Peer, Room};
use crate::Timestamp;
use crate::rate_limit::{Rate, TokenBucket};

/// Rate of error replies to a client that presses keys too fast.
const COMPLAINTS: Rate = Rate { burst: 1, per_s: 1 };

/// The decision whether to handle a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyRate {
    Within,
    /// The message is ignored.
    Exceeded {
        complain: bool,
    },
}

/// The usage of one seat's key rate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KeyRateLimit {
    messages: TokenBucket,
    complaints: TokenBucket,
    is_lifted: bool,
}

impl KeyRateLimit {
    pub(super) fn lift(&mut self) {
        self.is_lifted = true;
    }

    /// Checks a message against the rate. Allows bursts of twice the rate: some links hold datagrams back and then
    /// deliver all of them together.
    pub(super) fn check(&mut self, now: Timestamp, keys_per_s: u32) -> KeyRate {
        let rate = Rate::per_second(keys_per_s).with_burst(2 * u64::from(keys_per_s));
        if self.is_lifted || self.messages.take(now, rate, 1) {
            KeyRate::Within
        } else {
            KeyRate::Exceeded { complain: self.complaints.take(now, COMPLAINTS, 1) }
        }
    }
}

impl Room {
    /// Checks a message against the sender's key rate. Messages of peers without a seat are always handled: the guard
    /// limits their effects.
    pub(super) fn check_key_rate(&mut self, from: Peer) -> KeyRate {
        let Some(keys_per_s) = self.options.keys_per_s else { return KeyRate::Within };
        let seat = self.seats.of_peer_mut(from);
        seat.map_or(KeyRate::Within, |seat| seat.key_rate.check(self.now, keys_per_s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp(5_000);

    #[test]
    fn keys_beyond_the_rate_are_left_unread_with_one_complaint_per_second() {
        let mut limit = KeyRateLimit::default();
        // 1,000 per second, for ten seconds.
        let mut read = 0;
        let mut complaints = 0;
        for step in 0..10_000 {
            match limit.check(START.after(step), 100) {
                KeyRate::Within => read += 1,
                KeyRate::Exceeded { complain } => complaints += u32::from(complain),
            }
        }
        assert!((1190..=1200).contains(&read), "{read}: 100 per second and 200 at once");
        assert!((9..=10).contains(&complaints), "{complaints}");
        assert_eq!(KeyRateLimit::default().check(START.after(10_000), 100), KeyRate::Within);
    }

    #[test]
    fn a_steady_hundred_keys_per_second_are_all_read() {
        let mut limit = KeyRateLimit::default();
        assert!((0..5000).all(|n| limit.check(START.after(n * 10), 100) == KeyRate::Within));
    }

    #[test]
    fn a_trusted_peer_has_no_key_rate() {
        let mut limit = KeyRateLimit::default();
        limit.lift();
        assert!((0..1000).all(|_| limit.check(START, 1) == KeyRate::Within));
    }
}
