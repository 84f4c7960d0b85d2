//! A hash of the whole state of a game, to check that two runs are still the same game.

use std::hash::Hasher;

use twox_hash::XxHash64;

use super::{End, Game};
use crate::{Map, Player, Point, SightRule};

impl Game {
    /// A hash of everything that later events depend on: the map, the sight rule, the rules, the
    /// piles, the food, every player (name, purse, spot, known gridpoints, steps left), arranged
    /// starts, the state of the RNG, and the end.
    ///
    /// Two games with the same setup and inputs have the same hash on every platform; two games that
    /// could ever differ have different ones, as far as 64 bits can tell. The algorithm is
    /// `XXH64` with seed 0 over bytes in a fixed order, numbers lowest byte first. It allocates
    /// nothing.
    ///
    /// ```
    /// use nuggets_game::{Game, Input, Name, Rules, Seed, Setup, shipped};
    /// use nuggets_protocol::Dialect;
    ///
    /// let map = shipped::ALL[0].map();
    /// let setup = |seed| Setup::new(map.clone(), Rules::default(), Seed::new(seed), Dialect::V2021);
    /// let start = |seed| Game::new(&setup(seed)).unwrap();
    /// let mut game = start(7);
    /// assert_eq!(game.state_hash(), start(7).state_hash());
    /// assert_ne!(game.state_hash(), start(8).state_hash());
    /// game.apply(Input::Join(Name::new(b"Ann").unwrap()), &mut vec![]);
    /// assert_ne!(game.state_hash(), start(7).state_hash());
    /// ```
    pub fn state_hash(&self) -> u64 {
        let mut digest = Digest(XxHash64::with_seed(0));
        digest.map(self.map());
        digest.number(match self.sight.rule() {
            SightRule::DarkPassages => 0u8,
            SightRule::StraightPassages => 1,
        });
        for word in self.rules.digest_words() {
            digest.number(word);
        }
        let (key, position) = self.rng.state();
        digest.bytes(&key);
        digest.bytes(&position.to_le_bytes());
        digest.count(self.piles.iter().count());
        for (at, nuggets) in self.piles.iter() {
            digest.point(at);
            digest.number(nuggets);
        }
        digest.points(&self.food);
        digest.points(&self.starts);
        digest.count(self.players.len());
        for player in &self.players {
            digest.player(player);
        }
        digest.number(match self.end {
            None => 0u8,
            Some(End::AllCollected) => 1,
            Some(End::NobodyLeft) => 2,
            Some(End::Emptied) => 3,
        });
        digest.0.finish()
    }
}

/// A running hash. Everything is written as bytes in a fixed order: the standard library's hashing
/// of numbers depends on the platform.
struct Digest(XxHash64);

impl Digest {
    fn number(&mut self, number: impl Into<u64>) {
        self.0.write(&number.into().to_le_bytes());
    }

    fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.write(bytes);
    }

    fn optional(&mut self, number: Option<impl Into<u64>>) {
        self.number(number.is_some());
        self.number(number.map_or(0, Into::into));
    }

    fn point(&mut self, at: Point) {
        self.number(u32::from(at.row) << 16 | u32::from(at.col));
    }

    fn points(&mut self, points: &[Point]) {
        self.count(points.len());
        for at in points {
            self.point(*at);
        }
    }

    fn map(&mut self, map: &Map) {
        self.number(map.rows());
        self.number(map.cols());
        // In chunks, because hashing single bytes is slow.
        for tiles in map.tiles().chunks(64) {
            let mut drawn = [0; 64];
            for (drawn, tile) in drawn.iter_mut().zip(tiles) {
                *drawn = tile.as_byte();
            }
            self.0.write(&drawn[..tiles.len()]);
        }
    }

    fn player(&mut self, player: &Player) {
        self.bytes(player.name.as_str().as_bytes());
        self.number(player.purse);
        self.points(player.at.as_slice());
        self.optional(player.steps_left);
        for words in player.known.words().chunks(8) {
            let mut bytes = [0; 64];
            for (bytes, word) in bytes.chunks_exact_mut(8).zip(words) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
            self.0.write(&bytes[..8 * words.len()]);
        }
    }
}

#[cfg(test)]
mod tests;
