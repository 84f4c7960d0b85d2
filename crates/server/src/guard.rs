//! The guard at the door: who may join, who is listened to, and how much is sent to addresses that
//! nobody may be listening at. Pure: time is an argument, and the only chance is the key.
//!
//! It owns the limits and what has been used of them. It must not know the game, what datagrams
//! say, or the socket. What it promises and what no guard can is in docs/security.md.
//!
//! There are two kinds of memory. Of the few who have a seat everything is known exactly. Strangers
//! may be any number and their addresses forged, so they share buckets in fixed memory.

use std::net::SocketAddr;

use nuggets_game::Letter;
use siphasher::sip::SipHasher13;
use thiserror::Error;

mod bucket;
mod limits;
mod log_budget;
mod seat;
mod sketch;
mod source;

use bucket::{Bucket, Rate};
pub use limits::Limits;
pub use log_budget::LogBudget;
pub use seat::Heard;
use seat::Seat;
use sketch::Sketch;
use source::{Source, is_single};

use crate::Millis;

/// Only real joins are booked, and these are few.
const JOIN_COLUMNS: usize = 1 << 10;
const BYTE_COLUMNS: usize = 1 << 14;
/// Strangers get this part of what an address may be sent, and of what all may be.
const STRANGERS_PART_OF_ONE: u64 = 8;
const STRANGERS_PART_OF_ALL: u64 = 2;

/// Why somebody may not join.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// Too many came from there just now.
    #[error("Too many are joining: try again in a few seconds.")]
    TooFast,
    /// As many play from there as may.
    #[error("No more players may join from your address.")]
    NoSeatLeft,
    /// No answer could arrive there.
    #[error("That is not the address of one machine.")]
    NoAddress,
}

/// Holds whatever comes from the network to the limits.
///
/// For every datagram: `hear` first; then `may_join` for a PLAY, `may_watch` for a SPECTATE,
/// `note_key` for a KEY. When somebody has been given a seat say so with `seat_player` or
/// `seat_spectator`, before anything is sent to it. `may_send` for everything that goes out.
///
/// ```
/// use nuggets_server::{Guard, Limits, Millis};
///
/// let mut guard = Guard::new(Limits::default(), [7; 16]);
/// let (ann, now) = ("203.0.113.7:4000".parse().unwrap(), Millis(0));
/// assert_eq!(guard.may_join(now, ann), Ok(()));
/// guard.seat_player(now, ann);
/// // Nobody knows yet whether she is really there.
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
    /// Everybody who plays or has played.
    players: Vec<Seat>,
    spectator: Option<Seat>,
    /// How often each source has joined.
    joins: Sketch,
    /// How often the spectator's seat was given away.
    spectators: Bucket,
    /// What strangers and unproven spectators were sent.
    bytes: Sketch,
    /// What all the unproven were sent.
    bytes_of_all: Bucket,
}

impl Guard {
    /// A guard who keeps to these limits. The key must be secret, so that nobody can aim at the
    /// buckets of another.
    pub fn new(limits: Limits, key: [u8; 16]) -> Self {
        Self {
            limits,
            players: Vec::with_capacity(Letter::COUNT),
            spectator: None,
            joins: Sketch::new(JOIN_COLUMNS, &derived(key, b"joins")),
            spectators: Bucket::default(),
            bytes: Sketch::new(BYTE_COLUMNS, &derived(key, b"bytes")),
            bytes_of_all: Bucket::default(),
        }
    }

    /// How much memory the guard takes. It is the same from the first datagram to the last.
    pub fn memory_bytes(&self) -> usize {
        let seats = self.players.capacity() * size_of::<Seat>();
        size_of::<Self>() + seats + self.joins.memory_bytes() + self.bytes.memory_bytes()
    }

    /// Whether a datagram from there is listened to, whatever it says. To strangers always: what
    /// they may cause is limited by the other doors.
    pub fn hear(&mut self, now: Millis, from: SocketAddr) -> Heard {
        let rate = self.limits.keys().filter(|_| !self.is_trusted(from));
        match (self.seat(from), rate) {
            (Some(seat), Some(rate)) => seat.hear(now, rate),
            _ => Heard::Yes,
        }
    }

    /// Whether somebody may come in as a player, or be welcomed again if it is one. The first
    /// is booked when it takes its seat, the second here.
    pub fn may_join(&mut self, now: Millis, from: SocketAddr) -> Result<(), Refusal> {
        if self.player(from).is_some() {
            return self.may_be_welcomed_again(now, from);
        }
        self.may_come_in(now, from)?;
        let seats = self.seats_of(Source::of(from));
        let most = self.limits.seats_per_source.filter(|_| !self.is_trusted(from));
        if most.is_some_and(|most| seats >= most) { Err(Refusal::NoSeatLeft) } else { Ok(()) }
    }

    /// Whether somebody may come in as the spectator, or be welcomed again if it is one.
    pub fn may_watch(&mut self, now: Millis, from: SocketAddr) -> Result<(), Refusal> {
        if !self.is_stranger(from) {
            return self.may_be_welcomed_again(now, from);
        }
        self.may_come_in(now, from)?;
        let rate = self.limits.spectators().filter(|_| !self.is_trusted(from));
        let has = rate.is_none_or(|rate| self.spectators.has(now, rate, 1));
        if has { Ok(()) } else { Err(Refusal::TooFast) }
    }

    /// From now on this address plays. It keeps its seat when it has left: a letter is never
    /// given twice.
    ///
    /// There are no more seats than letters; whoever is seated beyond stays a stranger here.
    pub fn seat_player(&mut self, now: Millis, address: SocketAddr) {
        if self.player(address).is_none() && self.players.len() < Letter::COUNT {
            self.book_join(now, address);
            // What it was sent as a stranger or spectator counts.
            let source = Source::of(address);
            let rate = self.limits.bytes_of_a_source();
            let sent = rate.map_or(0, |rate| self.bytes.spent(now, rate, source).div_ceil(1000));
            self.players.push(Seat::new(now, address, sent));
        }
    }

    /// From now on this address watches, and no other.
    pub fn seat_spectator(&mut self, now: Millis, address: SocketAddr) {
        if !self.is_stranger(address) {
            return;
        }
        self.book_join(now, address);
        if let Some(rate) = self.limits.spectators().filter(|_| !self.is_trusted(address)) {
            self.spectators.take(now, rate, 1);
        }
        self.spectator = Some(Seat::new(now, address, 0));
    }

    /// Nobody watches any more. Say so when the goodbye has been sent.
    pub fn unseat_spectator(&mut self) {
        self.spectator = None;
    }

    /// A well-formed message came from there: a key, or from a spectator, who has none, its
    /// SPECTATE again. Five, each 400 ms after the last, count as proof that somebody listens.
    pub fn note_key(&mut self, now: Millis, from: SocketAddr) {
        if let Some(seat) = self.seat(from) {
            seat.note_key(now);
        }
    }

    /// Whether this address has shown that it listens.
    pub fn has_proven(&self, address: SocketAddr) -> bool {
        let mut seats = self.players.iter().chain(&self.spectator);
        seats.any(|seat| seat.address == address && seat.has_proven())
    }

    /// Whether so many bytes may be sent there now; if so they are booked.
    pub fn may_send(&mut self, now: Millis, to: SocketAddr, bytes: usize) -> bool {
        if !is_single(to) {
            return false;
        }
        if self.is_trusted(to) || self.has_proven(to) {
            return true;
        }
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let may = self.one_has(now, to, bytes) && self.all_have(now, to, bytes);
        if may {
            self.book_bytes(now, to, bytes);
        }
        may
    }

    /// Whether there is so much left for this address alone.
    fn one_has(&self, now: Millis, to: SocketAddr, bytes: u64) -> bool {
        let Some(rate) = self.limits.bytes_of_a_source() else { return true };
        if let Some(seat) = self.player(to) {
            return seat.sent_bytes.saturating_add(bytes) <= rate.burst;
        }
        let rate = if self.is_stranger(to) { part(rate, STRANGERS_PART_OF_ONE) } else { rate };
        self.bytes.has(now, rate, Source::of(to), bytes)
    }

    /// Whether there is so much left for all together. Strangers leave some to those with a seat.
    fn all_have(&self, now: Millis, to: SocketAddr, bytes: u64) -> bool {
        let Some(rate) = self.limits.bytes_of_all() else { return true };
        let rate = if self.is_stranger(to) { part(rate, STRANGERS_PART_OF_ALL) } else { rate };
        self.bytes_of_all.has(now, rate, bytes)
    }

    fn book_bytes(&mut self, now: Millis, to: SocketAddr, bytes: u64) {
        if let Some(seat) = self.players.iter_mut().find(|seat| seat.address == to) {
            seat.sent_bytes = seat.sent_bytes.saturating_add(bytes);
        } else if let Some(rate) = self.limits.bytes_of_a_source() {
            self.bytes.spend(now, rate, Source::of(to), bytes);
        }
        if let Some(rate) = self.limits.bytes_of_all() {
            self.bytes_of_all.take(now, rate, bytes);
        }
    }

    fn may_come_in(&self, now: Millis, from: SocketAddr) -> Result<(), Refusal> {
        if !is_single(from) {
            return Err(Refusal::NoAddress);
        }
        let rate = self.limits.joins().filter(|_| !self.is_trusted(from));
        let has = rate.is_none_or(|rate| self.joins.has(now, rate, Source::of(from), 1));
        if has { Ok(()) } else { Err(Refusal::TooFast) }
    }

    /// A welcome is large, and the same PLAY brings it again.
    fn may_be_welcomed_again(&mut self, now: Millis, from: SocketAddr) -> Result<(), Refusal> {
        let rate = self.limits.joins().filter(|_| !self.is_trusted(from));
        let (Some(seat), Some(rate)) = (self.seat(from), rate) else { return Ok(()) };
        if seat.welcomes.take(now, rate, 1) { Ok(()) } else { Err(Refusal::TooFast) }
    }

    fn book_join(&mut self, now: Millis, address: SocketAddr) {
        if let Some(rate) = self.limits.joins().filter(|_| !self.is_trusted(address)) {
            self.joins.spend(now, rate, Source::of(address), 1);
        }
    }

    fn seats_of(&self, source: Source) -> u32 {
        let seats = self.players.iter().filter(|seat| Source::of(seat.address) == source);
        u32::try_from(seats.count()).unwrap_or(u32::MAX)
    }

    fn is_trusted(&self, address: SocketAddr) -> bool {
        self.limits.is_trusted(address.ip())
    }

    fn is_stranger(&self, address: SocketAddr) -> bool {
        let is_spectator = self.spectator.as_ref().is_some_and(|seat| seat.address == address);
        !is_spectator && self.player(address).is_none()
    }

    fn player(&self, address: SocketAddr) -> Option<&Seat> {
        self.players.iter().find(|seat| seat.address == address)
    }

    fn seat(&mut self, address: SocketAddr) -> Option<&mut Seat> {
        let mut seats = self.players.iter_mut().chain(&mut self.spectator);
        seats.find(|seat| seat.address == address)
    }
}

fn part(rate: Rate, of: u64) -> Rate {
    rate.with_burst(rate.burst / of)
}

/// A key for one use, so that who shares one thing need not share the other.
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
