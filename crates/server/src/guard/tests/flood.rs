//! A million datagrams from 100,000 spoofed sources, and one honest player among them.

use super::*;

const DATAGRAMS: u32 = 1_000_000;
const SOURCES: u32 = 100_000;
/// 100,000 per second.
const PER_MS: u32 = 100;
const LETTERS: usize = 26;
const COMPLAINT: usize = 40;

/// The parts of a room that the guard needs.
struct FakeRoom {
    guard: Guard,
    players: Vec<SocketAddr>,
    spectator: Option<SocketAddr>,
    joins: u32,
    watches: u64,
    unproven_bytes: u64,
}

impl FakeRoom {
    fn new() -> Self {
        let guard = Guard::new(Limits::default(), [9; 16]);
        Self { guard, players: vec![], spectator: None, joins: 0, watches: 0, unproven_bytes: 0 }
    }

    fn send(&mut self, now: Timestamp, to: SocketAddr, bytes: usize) -> bool {
        let is_sent = self.guard.may_send(now, to, bytes);
        if is_sent && !self.guard.has_proven(to) {
            self.unproven_bytes += bytes as u64;
        }
        is_sent
    }

    fn play(&mut self, now: Timestamp, from: SocketAddr) -> bool {
        let is_new = !self.players.contains(&from);
        let admission = if is_new { Admission::Join } else { Admission::JoinAgain };
        let may = self.guard.admit(now, from, admission).is_ok();
        if may && is_new && self.players.len() < LETTERS {
            self.guard.seat(now, from, Admission::Join);
            self.players.push(from);
            self.joins += 1;
        }
        self.send(now, from, if may { PICTURE } else { COMPLAINT })
    }

    fn spectate(&mut self, now: Timestamp, from: SocketAddr) {
        let is_new = self.spectator != Some(from);
        let admission = if is_new { Admission::Watch } else { Admission::WatchAgain };
        if self.guard.admit(now, from, admission).is_ok() {
            self.watches += u64::from(is_new);
            if let Some(replaced) = self.spectator.replace(from).filter(|_| is_new) {
                self.guard.release(replaced, Admission::Watch);
            }
            self.guard.seat(now, from, admission);
            self.send(now, from, PICTURE);
        } else {
            self.send(now, from, COMPLAINT);
        }
    }

    /// Sends every move to all clients; returns true if it was sent to the mover.
    fn key(&mut self, now: Timestamp, from: SocketAddr) -> bool {
        self.guard.note_key(now, from);
        if !self.players.contains(&from) {
            return self.send(now, from, COMPLAINT);
        }
        let everybody: Vec<SocketAddr> =
            self.players.iter().copied().chain(self.spectator).collect();
        let mut is_answered = false;
        for to in everybody {
            is_answered |= self.send(now, to, PICTURE) && to == from;
        }
        is_answered
    }
}

fn spoofed(number: u32) -> SocketAddr {
    let [_, a, b, c] = number.to_be_bytes();
    SocketAddr::from(([45, a, b, c], 1000))
}

#[test]
fn an_honest_player_is_answered_during_a_flood_and_the_flood_gains_little() {
    let mut room = FakeRoom::new();
    let honest = at("198.51.100.4:4000");
    assert!(room.play(START, honest));
    let memory = room.guard.memory_bytes();
    assert!(memory <= 1 << 20, "{memory} bytes");
    let mut keys = 0;
    for n in 0..DATAGRAMS {
        let now = START.after(u64::from(n / PER_MS));
        let from = spoofed(n.wrapping_mul(7919) % SOURCES);
        match n % 4 {
            0 => _ = room.play(now, from),
            1 => room.spectate(now, from),
            _ => _ = room.key(now, from),
        }
        // Five keys a second.
        if n % (200 * PER_MS) == 0 {
            assert!(room.key(now, honest), "key {keys} was not answered");
            keys += 1;
        }
    }
    assert_eq!(keys, 50);
    let seconds = u64::from(DATAGRAMS / PER_MS / 1000);
    assert_eq!(room.joins as usize, LETTERS, "all letters are taken, and no more");
    assert!(room.watches <= 5 * (seconds + 1), "{} spectators", room.watches);
    let most = 500_000 * seconds + 250_000;
    assert!(room.unproven_bytes <= most, "{} bytes", room.unproven_bytes);
    assert_eq!(room.guard.memory_bytes(), memory);
}

#[test]
fn during_a_flood_a_new_player_can_join_and_is_sent_pictures() {
    let mut room = FakeRoom::new();
    for n in 0..200_000 {
        let now = START.after(u64::from(n / PER_MS));
        room.key(now, spoofed(n % SOURCES));
    }
    let now = START.after(2000);
    let honest = at("198.51.100.4:4000");
    assert!(room.play(now, honest));
    for step in 1..=10 {
        let now = now.after(step * 400);
        for n in 0..10_000 {
            room.key(now, spoofed(n));
        }
        assert!(room.key(now, honest), "key {step} was not answered");
    }
    assert!(room.guard.has_proven(honest));
}

#[test]
fn after_a_flood_unknown_sources_are_answered_again() {
    let mut room = FakeRoom::new();
    for n in 0..DATAGRAMS {
        room.key(START.after(u64::from(n / PER_MS)), spoofed(n % SOURCES));
    }
    let later = START.after(11_000);
    let answered = (0..1000).filter(|n| room.key(later, spoofed(SOURCES + n))).count();
    assert!(answered > 990, "{answered} of 1000 unknown sources");
}
