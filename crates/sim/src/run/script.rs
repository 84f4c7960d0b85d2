//! A client without a mind: it says anything at all, mostly what makes sense.

use nuggets_game::{Chance, Seed};
use nuggets_server::Millis;

/// Somebody who speaks at a steady pace and never listens.
#[derive(Debug)]
pub(super) struct Script {
    name: Vec<u8>,
    pace_ms: u32,
    next: Millis,
    chance: Chance,
    /// Its first question: to play or to watch.
    question: Vec<u8>,
    has_asked: bool,
}

const KEYS: &[u8] = b"hjklyubnHJKLYUBN";
const HEADS: [&str; 9] = ["", "PLAY", "PLAY ", "SPECTATE", "KEY", "KEY ", "ERROR", "NO ", "QUIT"];
const TAILS: [&str; 8] = ["", " ", "\n", "\0", "hh", "\u{e9}", "\nh", "h\n"];

impl Script {
    pub(super) fn new(now: Millis, name: &[u8], pace_ms: u32, seed: u64) -> Self {
        let mut chance = Chance::new(Seed::new(seed.cast_signed()));
        let question = match chance.below(3) {
            0 => b"SPECTATE".to_vec(),
            _ => [b"PLAY ", name].concat(),
        };
        Self { name: name.to_vec(), pace_ms, next: now, chance, question, has_asked: false }
    }

    pub(super) fn next_at(&self) -> Millis {
        self.next
    }

    pub(super) fn question(&self) -> Vec<u8> {
        self.question.clone()
    }

    /// The next words.
    pub(super) fn speak(&mut self, now: Millis) -> Vec<u8> {
        self.next = now.after(u64::from(self.pace_ms + self.chance.below(self.pace_ms)));
        if !std::mem::replace(&mut self.has_asked, true) {
            return self.question();
        }
        match self.chance.below(100) {
            0..74 => vec![b'K', b'E', b'Y', b' ', KEYS[self.chance.index(KEYS.len())]],
            74..85 => self.question(),
            85..87 => b"KEY Q".to_vec(),
            87..89 => b"SPECTATE".to_vec(),
            89..91 => [b"PLAY ", &self.name[..]].concat(),
            91..93 => [b"PLAY x", &self.name[..]].concat(),
            93..95 => self.noise(),
            _ => self.nearly_right(),
        }
    }

    fn nearly_right(&mut self) -> Vec<u8> {
        let head = HEADS[self.chance.index(HEADS.len())];
        let tail = TAILS[self.chance.index(TAILS.len())];
        format!("{head}{tail}").into_bytes()
    }

    fn noise(&mut self) -> Vec<u8> {
        let length = self.chance.below(70);
        (0..length).map(|_| self.chance.below(256).to_le_bytes()[0]).collect()
    }
}
