//! Games that are played and recorded for tests, and the tests of the whole: write, read, play again.

mod catching_up;
mod damage;
mod kept;
mod resuming;
mod round_trip;
mod rules_version;
mod size;
mod statistics;
mod tampering;

use nuggets_game::{
    Chance, Event, Game, Letter, Lifetime, Map, Name, Rules, Seed, SightRule, Stroke, shipped,
};
use nuggets_protocol::Dialect;

use crate::{Ending, Entry, Header, Millis, What, Writer};

/// A game and its recording.
pub(crate) struct Played {
    pub(crate) header: Header,
    pub(crate) entries: Vec<Entry>,
    /// The game behind each entry; the first is the start.
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

    /// Does this if the game takes it, and records it then.
    pub(crate) fn try_add(&mut self, wait_ms: u64, what: What) -> bool {
        let (mut game, mut events) = (self.game().clone(), vec![]);
        if let Some(input) = what.input() {
            game.apply(input, &mut events);
        }
        if matches!(events[..], [Event::Refused(_)]) {
            return false;
        }
        let last = self.entries.last().map_or(0, |entry| entry.at.0);
        let entry = Entry::new(Millis(last + wait_ms), what);
        self.writer.append(&entry, &game, &mut self.bytes);
        self.entries.push(entry);
        self.games.push(game);
        true
    }

    pub(crate) fn add(&mut self, wait_ms: u64, what: What) {
        let shown = format!("{what:?}");
        assert!(self.try_add(wait_ms, what), "{shown} was refused");
    }

    /// Plays by chance until there are so many entries, or the game is over.
    pub(crate) fn play(&mut self, entries: usize, chance: &mut Chance) {
        while self.entries.len() < entries && self.game().end().is_none() {
            let what = any_what(chance);
            self.try_add(chance.below(2000).into(), what);
        }
    }

    /// Ends the recording as a server would.
    pub(crate) fn end(&mut self) {
        let over = self.game().end().is_some();
        self.add(5, What::End(if over { Ending::Over } else { Ending::Closed }));
    }
}

/// Mostly keys.
fn any_what(chance: &mut Chance) -> What {
    let letter = Letter::nth(chance.index(8)).unwrap();
    let peer = [None, Some("127.0.0.1:4000"), Some("[fe80::1%3]:65535")][chance.index(3)];
    let peer = peer.map(|peer| peer.parse().unwrap());
    match chance.below(300) {
        0..12 => {
            let name = format!("player {}", "x".repeat(chance.index(43)));
            What::Join { name: Name::new(name.as_bytes()).unwrap(), peer }
        }
        12 => What::Leave(letter),
        13..15 => What::Watch { peer },
        15..17 => What::Unwatch,
        _ => What::Press(letter, any_stroke(chance)),
    }
}

pub(crate) fn any_stroke(chance: &mut Chance) -> Stroke {
    Stroke::from_key(b"hjklyubnHJKLYUBN"[chance.index(16)]).unwrap()
}

/// A press, in short.
pub(crate) fn press(player: usize, key: u8) -> What {
    What::Press(Letter::nth(player).unwrap(), Stroke::from_key(key).unwrap())
}

pub(crate) fn join(name: &str) -> What {
    What::Join { name: Name::new(name.as_bytes()).unwrap(), peer: None }
}

/// A game on the main map.
pub(crate) fn usual_header() -> Header {
    Header {
        rules: Rules::default(),
        seed: Seed::new(7),
        dialect: Dialect::V2021,
        sight: SightRule::DarkPassages,
        map: shipped::find("main").unwrap().map(),
        port: 0,
    }
}

/// A small map, for a small header. Its game hardly ever ends: there is gold in the cells.
pub(crate) fn small_header() -> Header {
    let drawn = b"\
        +-----+-+-+-+-+-+-+-+-+\n\
        |.....|.|.|.|.|.|.|.|.|\n\
        |.....|-+-+-+-+-+-+-+-+\n\
        |.....####             \n\
        +-----+                \n";
    let rules =
        Rules { nuggets: 90, min_piles: 9, max_piles: 9, max_players: 8, ..Rules::default() };
    Header { rules, map: Map::parse(drawn).unwrap().map, port: 9000, ..usual_header() }
}

/// A game that is over with the first pile.
pub(crate) fn short_header() -> Header {
    let rules =
        Rules { nuggets: 5, min_piles: 1, max_piles: 1, max_players: 2, ..Rules::default() };
    let map = Map::parse(b"+----+\n|....|\n+----+\n").unwrap().map;
    Header { rules, map, ..usual_header() }
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
    let (dialect, sight) = (Dialect::V2019, SightRule::StraightPassages);
    Header { rules, seed: Seed::new(-3), dialect, sight, map, port: 4711 }
}
