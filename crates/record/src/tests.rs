//! Recorded games for tests, and tests of writing, reading and replaying together.

mod catch_up;
mod damage;
mod journal_resume;
mod kept_files;
mod round_trip;
mod rules_version;
mod size;
mod statistics;
mod tampering;
mod timeline;

use nuggets_game::{
    Event, Game, Letter, Lifetime, Map, Name, Rng, Rules, Seed, Setup, Stroke, shipped,
};
use nuggets_protocol::Dialect;

use crate::{Entry, Header, PeerToken, RecordedEvent, RecordingEnd, Timestamp, Writer};

/// A game and its recording.
pub(crate) struct Played {
    pub(crate) header: Header,
    pub(crate) entries: Vec<Entry>,
    /// The game after each entry; the first is the start.
    pub(crate) games: Vec<Game>,
    writer: Writer,
    pub(crate) bytes: Vec<u8>,
}

impl Played {
    pub(crate) fn new(header: Header) -> Self {
        let game = header.game().unwrap();
        let (writer, bytes) = Writer::new(&header, &game);
        Self { header, entries: vec![], games: vec![game], writer, bytes }
    }

    pub(crate) fn game(&self) -> &Game {
        self.games.last().unwrap()
    }

    /// Records this if the game accepts it.
    pub(crate) fn try_add(&mut self, wait_ms: u64, what: RecordedEvent) -> bool {
        let mut game = self.game().clone();
        let mut events = vec![];
        if let Some(input) = what.input() {
            game.apply(input, &mut events);
        }
        if matches!(events[..], [Event::Rejected(_)]) {
            return false;
        }
        let last = self.entries.last().map_or(0, |entry| entry.at.0);
        let entry = Entry::new(Timestamp(last + wait_ms), what);
        self.writer.append(&entry, &game, &mut self.bytes);
        self.entries.push(entry);
        self.games.push(game);
        true
    }

    pub(crate) fn add(&mut self, wait_ms: u64, what: RecordedEvent) {
        let shown = format!("{what:?}");
        assert!(self.try_add(wait_ms, what), "the game rejects {shown}");
    }

    /// Plays at random until there are this many entries or the game is over.
    pub(crate) fn play(&mut self, entries: usize, rng: &mut Rng) {
        while self.entries.len() < entries && self.game().end().is_none() {
            let what = any_what(rng);
            self.try_add(rng.below(2000).into(), what);
        }
    }

    /// Ends the recording as a server would.
    pub(crate) fn end(&mut self) {
        let over = self.game().end().is_some();
        self.add(
            5,
            RecordedEvent::End(if over { RecordingEnd::Over } else { RecordingEnd::Closed }),
        );
    }
}

/// Mostly keys.
fn any_what(rng: &mut Rng) -> RecordedEvent {
    let letter = Letter::nth(rng.index(8)).unwrap();
    let peer = [None, Some(ipv4_token()), Some(ipv6_token())][rng.index(3)].clone();
    match rng.below(300) {
        0..12 => {
            let name = format!("player {}", "x".repeat(rng.index(43)));
            RecordedEvent::Join { name: Name::new(name.as_bytes()).unwrap(), peer }
        }
        12 => RecordedEvent::Leave(letter),
        13..15 => RecordedEvent::Watch { peer },
        15..17 => RecordedEvent::Unwatch,
        _ => RecordedEvent::Press(letter, any_stroke(rng)),
    }
}

pub(crate) fn any_stroke(rng: &mut Rng) -> Stroke {
    Stroke::from_key(b"hjklyubnHJKLYUBN"[rng.index(16)]).unwrap()
}

/// The token of 127.0.0.1:4000.
pub(crate) fn ipv4_token() -> PeerToken {
    PeerToken::new(&[4, 127, 0, 0, 1, 0xa0, 0x0f]).unwrap()
}

/// The token of `[fe80::1%3]:65535`.
fn ipv6_token() -> PeerToken {
    let mut token = [0; 27];
    token[..3].copy_from_slice(&[6, 0xfe, 0x80]);
    token[16..19].copy_from_slice(&[1, 0xff, 0xff]);
    token[23] = 3;
    PeerToken::new(&token).unwrap()
}

pub(crate) fn press(player: usize, key: u8) -> RecordedEvent {
    RecordedEvent::Press(Letter::nth(player).unwrap(), Stroke::from_key(key).unwrap())
}

pub(crate) fn join(name: &str) -> RecordedEvent {
    RecordedEvent::Join { name: Name::new(name.as_bytes()).unwrap(), peer: None }
}

/// The entry that takes the most bytes.
pub(crate) fn longest_join() -> RecordedEvent {
    let name = Name::new(&[b'x'; 60]).unwrap();
    RecordedEvent::Join { name, peer: PeerToken::new(&[9; PeerToken::MAX_BYTES]) }
}

/// A game on the main map.
pub(crate) fn usual_header() -> Header {
    header(shipped::find("main").unwrap().map(), Rules::default())
}

fn header(map: Map, rules: Rules) -> Header {
    Header { setup: Setup::new(map, rules, Seed::new(7), Dialect::V2021), port: 0 }
}

/// A small map, for a small header. Its game hardly ever ends: there is gold in closed cells.
pub(crate) fn small_header() -> Header {
    let drawn = b"\
        +-----+-+-+-+-+-+-+-+-+\n\
        |.....|.|.|.|.|.|.|.|.|\n\
        |.....|-+-+-+-+-+-+-+-+\n\
        |.....####             \n\
        +-----+                \n";
    let rules =
        Rules { nuggets: 90, min_piles: 9, max_piles: 9, max_players: 8, ..Rules::default() };
    Header { port: 9000, ..header(Map::parse(drawn).unwrap().map, rules) }
}

/// A game that is over with the first pile.
pub(crate) fn short_header() -> Header {
    let rules =
        Rules { nuggets: 5, min_piles: 1, max_piles: 1, max_players: 2, ..Rules::default() };
    header(Map::parse(b"+----+\n|....|\n+----+\n").unwrap().map, rules)
}

/// A corridor with room for two players, and enough gold for them to meet before it is taken.
pub(crate) fn corridor_header() -> Header {
    let rules =
        Rules { nuggets: 6, min_piles: 6, max_piles: 6, max_players: 2, ..Rules::default() };
    header(Map::parse(b"+--------+\n|........|\n+--------+\n").unwrap().map, rules)
}

/// Every variant at once.
pub(crate) fn varied_header() -> Header {
    let rules = Rules {
        nuggets: 300,
        min_piles: 20,
        max_piles: 40,
        max_players: 20,
        sprint_stops: true,
        end_when_empty: true,
        vision: Some(6),
        steal: true,
        drop_on_quit: true,
        lifetime: Some(Lifetime { steps: 150, food: 25 }),
    };
    let map = shipped::find("hole").unwrap().map();
    Header { setup: Setup::new(map, rules, Seed::new(-3), Dialect::V2019), port: 4711 }
}
