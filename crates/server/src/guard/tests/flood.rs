//! Datagrams from 100,000 spoofed sources: who is answered meanwhile and afterwards. `tests/flood.rs` floods a whole room.

use super::*;

const SOURCES: u32 = 100_000;
/// 100,000 per second.
const PER_MS: u32 = 100;
const COMPLAINT: usize = 40;

/// A key from an unknown source; returns true if the error reply is sent.
fn key(guard: &mut Guard, now: Timestamp, from: SocketAddr) -> bool {
    guard.note_key(now, from);
    guard.may_send(now, from, COMPLAINT)
}

fn spoofed(number: u32) -> SocketAddr {
    let [_, a, b, c] = number.to_be_bytes();
    SocketAddr::from(([45, a, b, c], 1000))
}

#[test]
fn during_a_flood_a_new_player_can_join_and_is_sent_pictures() {
    let mut guard = guard();
    for n in 0..200_000 {
        key(&mut guard, START.after(u64::from(n / PER_MS)), spoofed(n % SOURCES));
    }
    let now = START.after(2000);
    let honest = at("198.51.100.4:4000");
    assert_eq!(join(&mut guard, now, honest), Ok(()));
    for step in 1..=10 {
        let now = now.after(step * 400);
        for n in 0..10_000 {
            key(&mut guard, now, spoofed(n));
        }
        guard.note_key(now, honest);
        assert!(guard.may_send(now, honest, PICTURE), "key {step} was not answered");
    }
    assert!(guard.has_proven(honest));
}

#[test]
fn after_a_flood_unknown_sources_are_answered_again() {
    let mut guard = guard();
    for n in 0..1_000_000 {
        key(&mut guard, START.after(u64::from(n / PER_MS)), spoofed(n % SOURCES));
    }
    let later = START.after(11_000);
    let answered = (0..1000).filter(|n| key(&mut guard, later, spoofed(SOURCES + n))).count();
    assert!(answered > 990, "{answered} of 1000 unknown sources");
}
