//! What the guard knows of one who has a seat.

use std::net::SocketAddr;

use super::bucket::{Bucket, Rate};
use crate::Millis;

/// So many keys show that somebody listens,
const KEYS_FOR_PROOF: u8 = 5;
/// each so long after the one before it or after the seat was taken: two seconds in all.
const BETWEEN_KEYS_MS: u64 = 400;
/// How often one who presses keys too fast is told so.
const SAY_SO: Rate = Rate { burst: 1, per_s: 1 };

/// One address that plays, has played or watches.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) address: SocketAddr,
    /// How much it was sent before it had shown that it listens.
    pub(super) sent_bytes: u64,
    /// How often it was welcomed again.
    pub(super) welcomes: Bucket,
    heard: Bucket,
    told: Bucket,
    keys: u8,
    last_key: Millis,
}

/// Whether a datagram is listened to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// It is.
    Yes,
    /// It is left unread: there were too many. Now and then the sender should be told.
    TooFast {
        /// Whether to tell it this time.
        say_so: bool,
    },
}

impl Seat {
    pub(super) fn new(now: Millis, address: SocketAddr, sent_bytes: u64) -> Self {
        Self {
            address,
            sent_bytes,
            welcomes: Bucket::default(),
            heard: Bucket::default(),
            told: Bucket::default(),
            keys: 0,
            last_key: now,
        }
    }

    pub(super) fn hear(&mut self, now: Millis, rate: Rate) -> Heard {
        if self.heard.take(now, rate, 1) {
            Heard::Yes
        } else {
            Heard::TooFast { say_so: self.told.take(now, SAY_SO, 1) }
        }
    }

    pub(super) fn note_key(&mut self, now: Millis) {
        if now < self.last_key {
            // The clock went back: the time until then doesn't count.
            self.last_key = now;
        } else if !self.has_proven() && now.since(self.last_key) >= BETWEEN_KEYS_MS {
            self.keys += 1;
            self.last_key = now;
        }
    }

    pub(super) fn has_proven(&self) -> bool {
        self.keys >= KEYS_FOR_PROOF
    }
}
