//! A client that sends random messages, most of them valid.

use nuggets_game::{Rng, Seed};
use nuggets_server::Timestamp;

/// Sends messages at random intervals and ignores what it receives.
#[derive(Debug)]
pub(super) struct ScriptedClient {
    name: Vec<u8>,
    key_interval_ms: u32,
    next: Timestamp,
    rng: Rng,
    /// Its first message: PLAY or SPECTATE.
    join_message: Vec<u8>,
    has_joined: bool,
}

const KEYS: &[u8] = b"hjklyubnHJKLYUBN";
const HEADS: [&str; 9] = ["", "PLAY", "PLAY ", "SPECTATE", "KEY", "KEY ", "ERROR", "NO ", "QUIT"];
const TAILS: [&str; 8] = ["", " ", "\n", "\0", "hh", "\u{e9}", "\nh", "h\n"];

impl ScriptedClient {
    pub(super) fn new(now: Timestamp, name: &[u8], key_interval_ms: u32, seed: u64) -> Self {
        let mut rng = Rng::new(Seed::new(seed.cast_signed()));
        let join_message = match rng.below(3) {
            0 => b"SPECTATE".to_vec(),
            _ => [b"PLAY ", name].concat(),
        };
        Self {
            name: name.to_vec(),
            key_interval_ms,
            next: now,
            rng,
            join_message,
            has_joined: false,
        }
    }

    pub(super) fn next_at(&self) -> Timestamp {
        self.next
    }

    pub(super) fn join_message(&self) -> Vec<u8> {
        self.join_message.clone()
    }

    pub(super) fn next_message(&mut self, now: Timestamp) -> Vec<u8> {
        self.next =
            now.after(u64::from(self.key_interval_ms + self.rng.below(self.key_interval_ms)));
        if !std::mem::replace(&mut self.has_joined, true) {
            return self.join_message();
        }
        match self.rng.below(100) {
            0..74 => vec![b'K', b'E', b'Y', b' ', KEYS[self.rng.index(KEYS.len())]],
            74..85 => self.join_message(),
            85..87 => b"KEY Q".to_vec(),
            87..89 => b"SPECTATE".to_vec(),
            89..91 => [b"PLAY ", &self.name[..]].concat(),
            91..93 => [b"PLAY x", &self.name[..]].concat(),
            93..95 => self.random_bytes(),
            _ => self.nearly_valid(),
        }
    }

    fn nearly_valid(&mut self) -> Vec<u8> {
        let head = HEADS[self.rng.index(HEADS.len())];
        let tail = TAILS[self.rng.index(TAILS.len())];
        format!("{head}{tail}").into_bytes()
    }

    fn random_bytes(&mut self) -> Vec<u8> {
        let length = self.rng.below(70);
        (0..length).map(|_| self.rng.below(256).to_le_bytes()[0]).collect()
    }
}
