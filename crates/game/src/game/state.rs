//! A game's whole state as one number, to tell whether two runs are still the same game. It knows
//! nothing of who compares them.

use std::hash::Hasher;

use twox_hash::XxHash64;

use super::{End, Game};
use crate::{Map, Player, Point, Rules, SightRule};

impl Game {
    /// A hash of everything that decides the future: the map, the sight on it, the rules, the piles,
    /// the food, every player (name, purse, spot, what it knows, steps left), where the next ones
    /// start, the state of chance, and the end.
    ///
    /// Two games with the same inputs behind them have the same hash, on every platform; two games
    /// that could ever differ have different ones, as far as 64 bits can tell. The algorithm is
    /// `XXH64` with seed 0 over bytes in a fixed order, numbers lowest byte first. It allocates
    /// nothing.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use nuggets_game::{Game, Input, Name, Rules, Seed, Sight, SightRule, shipped};
    ///
    /// let sight = Arc::new(Sight::new(shipped::ALL[0].map(), SightRule::default()));
    /// let start = |seed| Game::new(Arc::clone(&sight), Rules::default(), Seed::new(seed)).unwrap();
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
        digest.rules(&self.rules);
        let (key, position) = self.chance.state();
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

/// The hash so far. Everything goes in as bytes in an order of our own: what the standard library
/// makes of a number depends on the machine.
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

    fn maybe(&mut self, number: Option<impl Into<u64>>) {
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
        // By small portions, for a hash of single bytes is slow.
        for tiles in map.tiles().chunks(64) {
            let mut drawn = [0; 64];
            for (drawn, tile) in drawn.iter_mut().zip(tiles) {
                *drawn = tile.as_char();
            }
            self.0.write(&drawn[..tiles.len()]);
        }
    }

    /// Names every rule, so that nobody can add one and forget it here.
    fn rules(&mut self, rules: &Rules) {
        let Rules {
            nuggets,
            min_piles,
            max_piles,
            max_players,
            sprint_stops,
            end_when_empty,
            vision,
            steal,
            drop_on_quit,
            lifetime,
        } = *rules;
        for number in [nuggets, min_piles, max_piles] {
            self.number(number);
        }
        self.count(max_players);
        for choice in [sprint_stops, end_when_empty, steal, drop_on_quit] {
            self.number(choice);
        }
        self.maybe(vision);
        self.maybe(lifetime.map(|life| life.steps));
        self.maybe(lifetime.map(|life| life.food));
    }

    fn player(&mut self, player: &Player) {
        self.bytes(player.name.as_str().as_bytes());
        self.number(player.purse);
        self.points(player.at.as_slice());
        self.maybe(player.steps_left);
        for word in player.known.words() {
            self.number(*word);
        }
    }
}

#[cfg(test)]
mod tests;
