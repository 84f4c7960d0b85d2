//! A million datagrams from a hundred thousand forged addresses against a room with its guard: no
//! seat beyond the limits, little memory, and an honest player is answered all the while.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use nuggets_game::{Game, Letter, Rules, Seed, Sight, shipped};
use nuggets_protocol::Dialect;
use nuggets_server::{Guard, Limits, LogBudget, Millis, Notice, Room, sight_rule};

const SOURCES: u32 = 100_000;
/// What each source says in turn. Not enough keys to show that it listens.
const ROUNDS: [&[u8]; 10] = [
    b"PLAY flood",
    b"SPECTATE",
    b"KEY l",
    b"\xff\x1b[2J\0",
    b"KEY H",
    b"PLAY flood",
    &[b'P'; 1400],
    b"KEY L",
    b"",
    b"PLAY another",
];
/// A hundred datagrams in a millisecond: ten seconds in all.
const IN_A_MS: u64 = 100;
const SECONDS: u64 = 10;
const MOST_GROWTH_BYTES: u64 = 32 << 20;

/// A guarded room, and what came of what was said to it.
struct Flooded {
    room: Room,
    log: LogBudget,
    now: Millis,
    seats: HashMap<IpAddr, usize>,
    sent_to_ann: usize,
    sent_to_others: usize,
    lines: usize,
}

impl Flooded {
    fn new() -> Self {
        let map = shipped::find("main").unwrap().map();
        let sight = Arc::new(Sight::new(map, sight_rule(Dialect::V2021)));
        let game = Game::new(sight, Rules::default(), Seed::new(3)).unwrap();
        let guard = Guard::new(Limits::default(), [9; 16]);
        Self {
            room: Room::new(game, Dialect::V2021).guarded(guard),
            log: LogBudget::default(),
            now: Millis(0),
            seats: HashMap::new(),
            sent_to_ann: 0,
            sent_to_others: 0,
            lines: 0,
        }
    }

    fn hear(&mut self, from: SocketAddr, bytes: &[u8]) {
        self.room.handle_message(self.now, from.into(), bytes);
        while let Some(sent) = self.room.poll_transmit() {
            let is_ann = SocketAddr::from(sent.to) == ann();
            let count = if is_ann { &mut self.sent_to_ann } else { &mut self.sent_to_others };
            *count += sent.payload.len();
        }
        while let Some(notice) = self.room.poll_notice() {
            self.lines += usize::from(self.log.may_log(self.now));
            if let Notice::Joined { peer, .. } = notice {
                *self.seats.entry(SocketAddr::from(peer).ip()).or_default() += 1;
            }
        }
    }

    /// Ann presses a key that moves nobody; true if she is answered.
    fn is_ann_answered(&mut self) -> bool {
        let before = self.sent_to_ann;
        self.hear(ann(), b"KEY ?");
        self.sent_to_ann > before
    }

    fn flood(&mut self) {
        let mut count = 0_u64;
        for words in ROUNDS {
            for number in 0..SOURCES {
                count += 1;
                self.now = self.now.after(u64::from(count.is_multiple_of(IN_A_MS)));
                self.hear(forged(number), words);
                if count.is_multiple_of(2_000) {
                    assert!(self.is_ann_answered(), "not after {count} datagrams");
                }
            }
        }
        assert_eq!(count, 1_000_000);
    }
}

fn ann() -> SocketAddr {
    (Ipv4Addr::new(203, 0, 113, 7), 4000).into()
}

/// Anybody's address, as it seems.
fn forged(number: u32) -> SocketAddr {
    let port = u16::try_from(number % 60_000).unwrap() + 1024;
    (Ipv4Addr::from(0x0b00_0000 + number * 7), port).into()
}

#[test]
fn a_million_forged_datagrams_gain_nothing_and_cost_little() {
    let mut flooded = Flooded::new();
    flooded.hear(ann(), b"PLAY Ann");
    for _ in 0..6 {
        flooded.now = flooded.now.after(500);
        assert!(flooded.is_ann_answered());
    }
    // One address tries for more seats than are its share.
    let greedy = Ipv4Addr::new(198, 51, 100, 9);
    for port in 5000..5100 {
        flooded.now = flooded.now.after(300);
        flooded.hear((greedy, port).into(), b"PLAY greedy");
    }
    assert_eq!(flooded.seats[&IpAddr::from(greedy)], 4);

    (flooded.sent_to_others, flooded.lines) = (0, 0);
    let used = allocation_counter::measure(|| flooded.flood());
    assert!(used.bytes_max <= MOST_GROWTH_BYTES, "{used:?}");
    assert!(flooded.seats.values().all(|seats| *seats <= 4));
    assert!(flooded.room.game().players().len() <= Letter::COUNT);
    let limit = 4_000_000 / 8 * SECONDS + (1 << 18);
    assert!(flooded.sent_to_others as u64 <= limit, "{} bytes", flooded.sent_to_others);
    assert!(flooded.lines <= 200 + 50 * 11, "{} lines in the log", flooded.lines);

    // The game is still there for Ann.
    let before = flooded.room.game().player(Letter::nth(0).unwrap()).at();
    for key in [b'h', b'j', b'k', b'l'] {
        flooded.now = flooded.now.after(100);
        flooded.hear(ann(), &[b'K', b'E', b'Y', b' ', key]);
    }
    flooded.hear(ann(), b"KEY H");
    assert_ne!(flooded.room.game().player(Letter::nth(0).unwrap()).at(), before);
    println!(
        "grown by {} KB at most, {} KB sent to strangers",
        used.bytes_max / 1024,
        flooded.sent_to_others / 1024
    );
}
