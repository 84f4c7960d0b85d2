//! The guard: decides who may join, and how many bytes are sent to addresses where possibly no client listens. One
//! per process for all rooms, keyed by source. Pure: time is an argument, and the only randomness is the key.
//!
//! It owns the limits and their usage. It must not know the game, the content of messages, or a socket. Its
//! guarantees, and the limits of any guard, are in docs/security.md.
//!
//! Its memory is bounded. Addresses with a seat are few and stored exactly. Sources without a seat may be numerous
//! and spoofed, so they share token buckets in fixed memory.

use std::net::{IpAddr, SocketAddr};

use nuggets_game::Letter;
use siphasher::sip::SipHasher13;

mod amplification;
mod limits;
mod network;
mod seat;
mod source;
mod spoofed_sources;

use amplification::ByteBudget;
pub use limits::Limits;
pub use network::{BadNetwork, IpNetwork};
use seat::GuardedAddress;
use source::{SourceKey, is_unicast};
use spoofed_sources::SourceBuckets;

use crate::rate_limit::TokenBucket;
use crate::{Admission, Refusal, Timestamp};

/// Only granted joins are counted, and these are few.
const JOIN_COLUMNS: usize = 1 << 10;
/// The operator types bans, so these are few.
const MAX_BANNED: usize = 1000;
/// All letters, and a spectator.
const SEATS_PER_ROOM: usize = Letter::COUNT + 1;

/// Applies the limits to all network traffic.
///
/// Call `admit` before a room grants a peer a seat or resends a welcome, `seat` when it has granted a seat, before
/// anything is sent there, and `release` when the room forgets that peer. Call `note_key` for every well-formed key.
/// Over UDP ask `may_send` for every outgoing message.
///
/// ```
/// use nuggets_server::{Admission, Guard, Limits, Timestamp};
///
/// let mut guard = Guard::new(Limits::default(), [7; 16]);
/// let (ann, now) = ("203.0.113.7:4000".parse().unwrap(), Timestamp(0));
/// assert_eq!(guard.admit(now, ann, Admission::Join), Ok(()));
/// guard.seat(now, ann, Admission::Join);
/// // Her address may be spoofed: she has not proven yet that she listens there.
/// assert!(guard.may_send(now, ann, 1700));
/// assert!(!guard.may_send(now, ann, 32_000));
/// for second in 1..=5 {
///     guard.note_key(now.after(second * 1000), ann);
/// }
/// assert!(guard.has_proven(ann));
/// assert!(guard.may_send(now.after(5000), ann, 32_000));
/// ```
#[derive(Debug)]
pub struct Guard {
    limits: Limits,
    /// All addresses of players, former players and spectators, in any room.
    seats: Vec<GuardedAddress>,
    max_seats: usize,
    /// Joins of each source.
    joins: SourceBuckets,
    /// Changes of a spectator's seat.
    spectators: TokenBucket,
    bytes: ByteBudget,
    /// Sources that the operator has banned.
    banned: Vec<SourceKey>,
}

impl Guard {
    /// Creates a guard for one room. The key must be secret, so that an attacker can't target the buckets of another
    /// source.
    pub fn new(limits: Limits, key: [u8; 16]) -> Self {
        let bytes = ByteBudget::new(&limits, &derived(key, b"bytes"));
        let joins = SourceBuckets::new(JOIN_COLUMNS, &derived(key, b"joins"));
        let spectators = TokenBucket::default();
        let (seats, banned) = (Vec::new(), Vec::new());
        Self { limits, seats, max_seats: 0, joins, spectators, bytes, banned }.with_rooms(1)
    }

    /// Provides memory for the seats of this many rooms.
    #[must_use]
    pub fn with_rooms(mut self, rooms: usize) -> Self {
        self.max_seats = rooms * SEATS_PER_ROOM;
        self.seats.reserve_exact(self.max_seats.saturating_sub(self.seats.len()));
        self
    }

    /// The memory of the guard. It is bounded: the same from the first datagram to the last, except that each ban by
    /// the operator adds to it.
    pub fn memory_bytes(&self) -> usize {
        let seats = self.seats.capacity() * size_of::<GuardedAddress>();
        let banned = self.banned.capacity() * size_of::<SourceKey>();
        size_of::<Self>() + seats + banned + self.joins.memory_bytes() + self.bytes.memory_bytes()
    }

    /// True if this address is exempt from all limits.
    pub fn is_trusted(&self, address: SocketAddr) -> bool {
        self.limits.is_trusted(address.ip())
    }

    /// Rejects every new peer from this source from now on. Returns false if too many sources are already banned.
    pub fn ban(&mut self, address: IpAddr) -> bool {
        let source = SourceKey::of((address, 0).into());
        if self.banned.contains(&source) {
            return true;
        }
        let has_space = self.banned.len() < MAX_BANNED;
        if has_space {
            self.banned.push(source);
        }
        has_space
    }

    /// Accepts this source again. Returns false if it was not banned.
    pub fn unban(&mut self, address: IpAddr) -> bool {
        let source = SourceKey::of((address, 0).into());
        let place = self.banned.iter().position(|banned| *banned == source);
        place.map(|place| self.banned.remove(place)).is_some()
    }

    /// True if limits and bans apply to both addresses together.
    pub fn is_same_source(one: IpAddr, other: IpAddr) -> bool {
        SourceKey::of((one, 0).into()) == SourceKey::of((other, 0).into())
    }

    /// Decides whether to grant a peer's request. Counts a repeated welcome here; `seat` counts a new seat.
    pub fn admit(
        &mut self,
        now: Timestamp,
        from: SocketAddr,
        admission: Admission,
    ) -> Result<(), Refusal> {
        let source = SourceKey::of(from);
        if self.banned.contains(&source) {
            return Err(Refusal::Banned);
        }
        match admission {
            Admission::JoinAgain | Admission::WatchAgain => self.admit_again(now, from),
            Admission::Join => {
                self.admit_new(now, from)?;
                let limit = self.limits.seats_of(from.ip());
                let is_full = limit.is_some_and(|limit| self.players_of(source) >= limit);
                if is_full { Err(Refusal::NoSeatLeft) } else { Ok(()) }
            }
            Admission::Watch => {
                self.admit_new(now, from)?;
                let rate = self.limits.spectators().filter(|_| !self.is_trusted(from));
                let has = rate.is_none_or(|rate| self.spectators.has(now, rate, 1));
                if has { Ok(()) } else { Err(Refusal::TooFast) }
            }
        }
    }

    fn admit_new(&self, now: Timestamp, from: SocketAddr) -> Result<(), Refusal> {
        if !is_unicast(from) {
            return Err(Refusal::NoAddress);
        }
        let rate = self.limits.joins().filter(|_| !self.is_trusted(from));
        let has = rate.is_none_or(|rate| self.joins.has(now, rate, SourceKey::of(from), 1));
        if has { Ok(()) } else { Err(Refusal::TooFast) }
    }

    /// Limits repeated welcomes: a welcome is large, and repeating the same PLAY requests it again.
    fn admit_again(&mut self, now: Timestamp, from: SocketAddr) -> Result<(), Refusal> {
        let rate = self.limits.joins().filter(|_| !self.is_trusted(from));
        let (Some(seat), Some(rate)) = (self.seat_mut(from), rate) else { return Ok(()) };
        if seat.welcomes.take(now, rate, 1) { Ok(()) } else { Err(Refusal::TooFast) }
    }

    /// Registers a seat that a room has granted to this address. A player keeps it after leaving, since a letter is
    /// never assigned twice. If the guard's memory for seats is full, the address is not registered.
    pub fn seat(&mut self, now: Timestamp, address: SocketAddr, admission: Admission) {
        if !admission.is_new() {
            return;
        }
        let known = self.seats.iter().position(|seat| seat.address == address);
        if known.is_none() && self.seats.len() >= self.max_seats {
            return;
        }
        let index = known.unwrap_or(self.seats.len());
        if known.is_none() {
            self.seats.push(GuardedAddress::new(now, address));
        }
        let is_limited = !self.is_trusted(address);
        if let Some(rate) = self.limits.joins().filter(|_| is_limited) {
            self.joins.spend(now, rate, SourceKey::of(address), 1);
        }
        let seat = &mut self.seats[index];
        if admission == Admission::Join {
            if !seat.is_player() {
                // The bytes sent before the address had this seat count.
                seat.sent_bytes = self.bytes.spent_on(now, SourceKey::of(address));
            }
            seat.player_seats += 1;
        } else {
            seat.spectator_seats += 1;
            if let Some(rate) = self.limits.spectators().filter(|_| is_limited) {
                self.spectators.take(now, rate, 1);
            }
        }
    }

    /// Releases a seat that this address got by this admission, because the room has forgotten it: a spectator who
    /// was sent the goodbye, or any peer when the room closes.
    pub fn release(&mut self, address: SocketAddr, admission: Admission) {
        let Some(index) = self.seats.iter().position(|seat| seat.address == address) else {
            return;
        };
        let seat = &mut self.seats[index];
        let seats = match admission {
            Admission::Join | Admission::JoinAgain => &mut seat.player_seats,
            Admission::Watch | Admission::WatchAgain => &mut seat.spectator_seats,
        };
        *seats = seats.saturating_sub(1);
        if seat.player_seats == 0 && seat.spectator_seats == 0 {
            self.seats.remove(index);
        }
    }

    /// Records a well-formed key, or the SPECTATE of a spectator, who has no keys to press. Five of them, each at
    /// least 400 ms after the last, prove that a client listens at the address: see `may_send`.
    pub fn note_key(&mut self, now: Timestamp, from: SocketAddr) {
        if let Some(seat) = self.seat_mut(from) {
            seat.note_key(now);
        }
    }

    /// True if a client is proven to listen at this address.
    pub fn has_proven(&self, address: SocketAddr) -> bool {
        self.seats.iter().any(|seat| seat.address == address && seat.has_proven())
    }

    /// Limits amplification: returns true, and counts the bytes, if this many bytes may be sent to the address now.
    pub fn may_send(&mut self, now: Timestamp, to: SocketAddr, bytes: usize) -> bool {
        if !is_unicast(to) {
            return false;
        }
        if self.is_trusted(to) || self.has_proven(to) {
            return true;
        }
        let seat = self.seats.iter_mut().find(|seat| seat.address == to);
        self.bytes.take(now, seat, SourceKey::of(to), bytes)
    }

    fn players_of(&self, source: SourceKey) -> u32 {
        let seats = self.seats.iter().filter(|seat| SourceKey::of(seat.address) == source);
        seats.map(|seat| seat.player_seats).sum()
    }

    fn seat_mut(&mut self, address: SocketAddr) -> Option<&mut GuardedAddress> {
        self.seats.iter_mut().find(|seat| seat.address == address)
    }
}

/// Derives a key for one use, so that sources that share one bucket need not share another.
fn derived(key: [u8; 16], usage: &[u8]) -> [u8; 16] {
    let hasher = SipHasher13::new_with_key(&key);
    let half = |number: u8| hasher.hash(&[usage, &[number]].concat()).to_le_bytes();
    let mut derived = [0; 16];
    derived[..8].copy_from_slice(&half(0));
    derived[8..].copy_from_slice(&half(1));
    derived
}

#[cfg(test)]
mod tests;
