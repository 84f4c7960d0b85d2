//! What the guard knows about an address that has a seat.

use std::net::SocketAddr;

use crate::Timestamp;
use crate::rate_limit::TokenBucket;

/// This many keys prove that a client listens at the address,
const KEYS_FOR_PROOF: u8 = 5;
/// each at least this long after the one before it or after the seat was taken: two seconds in all.
const BETWEEN_KEYS_MS: u64 = 400;

/// One address that plays, has played or watches, perhaps in several rooms.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) address: SocketAddr,
    /// How many rooms it plays or has played in.
    pub(super) player_seats: u32,
    /// How many rooms it is the spectator of.
    pub(super) spectator_seats: u32,
    /// What a player was sent before it had proven that it listens.
    pub(super) sent_bytes: u64,
    /// How often it was welcomed again.
    pub(super) welcomes: TokenBucket,
    keys: u8,
    last_key: Timestamp,
}

impl Seat {
    pub(super) fn new(now: Timestamp, address: SocketAddr) -> Self {
        Self {
            address,
            player_seats: 0,
            spectator_seats: 0,
            sent_bytes: 0,
            welcomes: TokenBucket::default(),
            keys: 0,
            last_key: now,
        }
    }

    pub(super) fn is_player(&self) -> bool {
        self.player_seats > 0
    }

    pub(super) fn note_key(&mut self, now: Timestamp) {
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
