//! A million datagrams from 100,000 forged sources, and one honest player among them.

use super::*;

const DATAGRAMS: u32 = 1_000_000;
const SOURCES: u32 = 100_000;
/// 100,000 a second.
const PER_MS: u32 = 100;
const LETTERS: usize = 26;
const COMPLAINT: usize = 40;

/// As much of a room as the guard has to do with.
struct Hall {
    guard: Guard,
    players: Vec<SocketAddr>,
    spectator: Option<SocketAddr>,
    joins: u32,
    watches: u64,
    unproven_bytes: u64,
}

impl Hall {
    fn new() -> Self {
        let guard = Guard::new(Limits::default(), [9; 16]);
        Self { guard, players: vec![], spectator: None, joins: 0, watches: 0, unproven_bytes: 0 }
    }

    fn send(&mut self, now: Millis, to: SocketAddr, bytes: usize) -> bool {
        let is_sent = self.guard.may_send(now, to, bytes);
        if is_sent && !self.guard.has_proven(to) {
            self.unproven_bytes += bytes as u64;
        }
        is_sent
    }

    fn play(&mut self, now: Millis, from: SocketAddr) -> bool {
        let is_new = !self.players.contains(&from);
        let may = self.guard.may_join(now, from).is_ok();
        if may && is_new && self.players.len() < LETTERS {
            self.guard.seat_player(now, from);
            self.players.push(from);
            self.joins += 1;
        }
        self.send(now, from, if may { PICTURE } else { COMPLAINT })
    }

    fn spectate(&mut self, now: Millis, from: SocketAddr) {
        if self.guard.may_watch(now, from).is_ok() {
            self.watches += u64::from(self.spectator != Some(from));
            self.guard.seat_spectator(now, from);
            self.spectator = Some(from);
            self.send(now, from, PICTURE);
        } else {
            self.send(now, from, COMPLAINT);
        }
    }

    /// Everybody is shown every move; tells whether the mover was.
    fn key(&mut self, now: Millis, from: SocketAddr) -> bool {
        if self.guard.hear(now, from) != Heard::Yes {
            return false;
        }
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

fn forged(number: u32) -> SocketAddr {
    let [_, a, b, c] = number.to_be_bytes();
    SocketAddr::from(([45, a, b, c], 1000))
}

#[test]
fn an_honest_player_beside_a_flood_is_answered_and_the_flood_gains_little() {
    let mut hall = Hall::new();
    let honest = at("198.51.100.4:4000");
    assert!(hall.play(START, honest));
    let memory = hall.guard.memory_bytes();
    assert!(memory <= 1 << 20, "{memory} bytes");
    let mut keys = 0;
    for n in 0..DATAGRAMS {
        let now = START.after(u64::from(n / PER_MS));
        let from = forged(n.wrapping_mul(7919) % SOURCES);
        match n % 4 {
            0 => _ = hall.play(now, from),
            1 => hall.spectate(now, from),
            _ => _ = hall.key(now, from),
        }
        // Five keys a second.
        if n % (200 * PER_MS) == 0 {
            assert!(hall.key(now, honest), "key {keys} was not answered");
            keys += 1;
        }
    }
    assert_eq!(keys, 50);
    let seconds = u64::from(DATAGRAMS / PER_MS / 1000);
    assert_eq!(hall.joins as usize, LETTERS, "the letters are gone, and no more than these");
    assert!(hall.watches <= 5 * (seconds + 1), "{} spectators", hall.watches);
    let most = 500_000 * seconds + 250_000;
    assert!(hall.unproven_bytes <= most, "{} bytes", hall.unproven_bytes);
    assert_eq!(hall.guard.memory_bytes(), memory);
}

#[test]
fn in_the_midst_of_a_flood_of_strangers_a_newcomer_gets_in_and_sees_something() {
    let mut hall = Hall::new();
    for n in 0..200_000 {
        let now = START.after(u64::from(n / PER_MS));
        hall.key(now, forged(n % SOURCES));
    }
    let now = START.after(2000);
    let honest = at("198.51.100.4:4000");
    assert!(hall.play(now, honest));
    for step in 1..=10 {
        let now = now.after(step * 400);
        for n in 0..10_000 {
            hall.key(now, forged(n));
        }
        assert!(hall.key(now, honest), "key {step} was not answered");
    }
    assert!(hall.guard.has_proven(honest));
}

#[test]
fn after_a_flood_strangers_are_answered_again() {
    let mut hall = Hall::new();
    for n in 0..DATAGRAMS {
        hall.key(START.after(u64::from(n / PER_MS)), forged(n % SOURCES));
    }
    let later = START.after(11_000);
    let answered = (0..1000).filter(|n| hall.key(later, forged(SOURCES + n))).count();
    assert!(answered > 990, "{answered} of 1000 strangers");
}
