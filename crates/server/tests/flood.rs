//! A million datagrams from a hundred thousand spoofed sources against a room with a guard: no seat beyond the
//! limits, little memory, and an honest player is answered all the while.

#![expect(clippy::unwrap_used, reason = "tests fail by panics")]

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use nuggets_game::{Letter, Rules, Seed, Setup, shipped};
use nuggets_protocol::Dialect;
use nuggets_server::{
    Guard, Host, Limits, LogQuota, MemoryTransport, NoStorage, Notice, Peer, Room, RoomOptions,
    Timestamp,
};

const SOURCES: u32 = 100_000;
/// The messages that each source sends in turn. Not enough keys to prove that it listens.
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
/// A hundred datagrams per millisecond: ten seconds in all.
const PER_MS: u64 = 100;
const SECONDS: u64 = 10;
const MAX_GROWTH_BYTES: u64 = 32 << 20;

/// Peers are numbered like the spoofed sources; these two are not spoofed.
const ANN: Peer = Peer(1 << 40);
const GREEDY: Peer = Peer(1 << 41);

/// A guarded room, and the effects of the flood.
struct Flooded {
    host: Host<NoStorage>,
    transport: MemoryTransport,
    log: LogQuota,
    now: Timestamp,
    seats: BTreeMap<IpAddr, usize>,
    sent_to_ann: usize,
    sent_to_others: usize,
    lines: usize,
}

impl Flooded {
    fn new() -> Self {
        let map = shipped::find("main").unwrap().map();
        let setup = Setup::new(map, Rules::default(), Seed::new(3), Dialect::V2021);
        let options = RoomOptions { keys_per_s: Some(100), ..RoomOptions::default() };
        let room = Room::new(&setup).unwrap().with_options(options);
        let guard = Guard::new(Limits::default(), [9; 16]);
        Self {
            host: Host::new(room, NoStorage),
            transport: MemoryTransport::guarded(guard, source),
            log: LogQuota::default(),
            now: Timestamp(0),
            seats: BTreeMap::new(),
            sent_to_ann: 0,
            sent_to_others: 0,
            lines: 0,
        }
    }

    fn hear(&mut self, from: Peer, bytes: &[u8]) {
        self.host.set_time(self.now);
        self.host.handle_message(&mut self.transport, from, bytes);
        while let Some(notice) = self.host.poll_notice() {
            self.lines += usize::from(self.log.may_log(self.now));
            if let Notice::Joined { peer, .. } = notice {
                *self.seats.entry(source(peer).ip()).or_default() += 1;
            }
        }
        self.host.flush(&mut self.transport).unwrap();
        for (to, payload) in self.transport.sent.drain(..) {
            let count = if to == ANN { &mut self.sent_to_ann } else { &mut self.sent_to_others };
            *count += payload.len();
        }
    }

    /// Presses a key of Ann's that moves no player; returns true if she is answered.
    fn is_ann_answered(&mut self) -> bool {
        let before = self.sent_to_ann;
        self.hear(ANN, b"KEY ?");
        self.sent_to_ann > before
    }

    fn flood(&mut self) {
        let mut count = 0_u64;
        for words in ROUNDS {
            for number in 0..SOURCES {
                count += 1;
                self.now = self.now.after(u64::from(count.is_multiple_of(PER_MS)));
                self.hear(Peer(number.into()), words);
                if count.is_multiple_of(2_000) {
                    assert!(self.is_ann_answered(), "not after {count} datagrams");
                }
            }
        }
        assert_eq!(count, 1_000_000);
    }
}

fn source(peer: Peer) -> SocketAddr {
    match peer {
        ANN => (Ipv4Addr::new(203, 0, 113, 7), 4000).into(),
        Peer(number) if number >= GREEDY.0 => {
            (GREEDY_IP, u16::try_from(number - GREEDY.0).unwrap()).into()
        }
        Peer(number) => {
            let number = u32::try_from(number).unwrap();
            let port = u16::try_from(number % 60_000).unwrap() + 1024;
            (Ipv4Addr::from(0x0b00_0000 + number * 7), port).into()
        }
    }
}

/// One address that tries for more seats than its share.
const GREEDY_IP: Ipv4Addr = Ipv4Addr::new(198, 51, 100, 9);

#[test]
fn a_million_spoofed_datagrams_gain_nothing_and_cost_little() {
    let mut flooded = Flooded::new();
    flooded.hear(ANN, b"PLAY Ann");
    for _ in 0..6 {
        flooded.now = flooded.now.after(500);
        assert!(flooded.is_ann_answered());
    }
    for port in 5000..5100 {
        flooded.now = flooded.now.after(300);
        flooded.hear(Peer(GREEDY.0 + port), b"PLAY greedy");
    }
    assert_eq!(flooded.seats[&IpAddr::from(GREEDY_IP)], 20, "six are left for others");

    (flooded.sent_to_others, flooded.lines) = (0, 0);
    let used = allocation_counter::measure(|| flooded.flood());
    assert!(used.bytes_max <= MAX_GROWTH_BYTES, "{used:?}");
    assert!(flooded.seats.values().all(|seats| *seats <= 20));
    assert!(flooded.host.room().game().players().len() <= Letter::COUNT);
    let limit = 4_000_000 / 8 * SECONDS + (1 << 18);
    assert!(flooded.sent_to_others as u64 <= limit, "{} bytes", flooded.sent_to_others);
    assert!(flooded.lines <= 200 + 50 * 11, "{} lines in the log", flooded.lines);

    // The game is still there for Ann.
    let before = flooded.host.room().game().player(Letter::nth(0).unwrap()).at();
    for key in [b'h', b'j', b'k', b'l'] {
        flooded.now = flooded.now.after(100);
        flooded.hear(ANN, &[b'K', b'E', b'Y', b' ', key]);
    }
    flooded.hear(ANN, b"KEY H");
    assert_ne!(flooded.host.room().game().player(Letter::nth(0).unwrap()).at(), before);
    println!(
        "grown by {} KB at most, {} KB sent to spoofed sources",
        used.bytes_max / 1024,
        flooded.sent_to_others / 1024
    );
}

#[test]
fn the_memory_that_a_guard_reports_is_what_it_has_allocated() {
    for (rooms, bans) in [(1, 0), (40, 0), (1, 3)] {
        let mut guard = None;
        let used = allocation_counter::measure(|| {
            let mut new = Guard::new(Limits::default(), [7; 16]).with_rooms(rooms);
            for host in 0..bans {
                assert!(new.ban(Ipv4Addr::new(198, 51, 100, host).into()));
            }
            guard = Some(new);
        });
        let allocated = usize::try_from(used.bytes_current).unwrap();
        assert_eq!(guard.unwrap().memory_bytes(), size_of::<Guard>() + allocated);
    }
}
