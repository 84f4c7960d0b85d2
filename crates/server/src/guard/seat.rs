//! The guard's data about an address that has a seat.

use std::net::SocketAddr;

use crate::Timestamp;
use crate::rate_limit::TokenBucket;

/// Number of keys that prove that a client listens at the address.
const KEYS_FOR_PROOF: u8 = 5;
/// Minimum time from the previous key, or from taking the seat, for a key to count: two seconds in all.
const BETWEEN_KEYS_MS: u64 = 400;

/// One address of a player, former player or spectator, possibly in several rooms.
#[derive(Debug)]
pub(super) struct GuardedAddress {
    pub(super) address: SocketAddr,
    /// Number of rooms in which the address is or was a player.
    pub(super) player_seats: u32,
    /// Number of rooms in which the address is the spectator.
    pub(super) spectator_seats: u32,
    /// Bytes sent to a player before the proof that the address listens.
    pub(super) sent_bytes: u64,
    /// Repeated welcomes.
    pub(super) welcomes: TokenBucket,
    keys: u8,
    last_key: Timestamp,
}

impl GuardedAddress {
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
            // The clock went back: the time before that doesn't count.
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
