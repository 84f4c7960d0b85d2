//! The recipe for a game: everything that fixes it before the first input.

use std::sync::Arc;

use nuggets_protocol::Dialect;

use crate::{Map, Rules, Seed, Sight, SightRule};

/// The parameters that a game is created from. Two games with the same setup and the same inputs are the same game.
///
/// ```
/// use nuggets_game::{Game, Rules, Seed, Setup, SightRule, shipped};
/// use nuggets_protocol::Dialect;
///
/// let map = shipped::find("main").unwrap().map();
/// let setup = Setup::new(map, Rules::default(), Seed::new(7), Dialect::V2019);
/// assert_eq!(setup.sight_rule, SightRule::StraightPassages);
/// assert_eq!(Game::new(&setup).unwrap().remaining(), 250);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The map; it must have room for what the rules need (see `Rules::check_room`).
    pub map: Map,
    /// The rules; they must make sense together (see `Rules::check`).
    pub rules: Rules,
    /// Fixes every random draw.
    pub seed: Seed,
    /// The dialect that the game is hosted in.
    pub dialect: Dialect,
    /// The visibility along passages: the dialect's own rule unless chosen otherwise.
    pub sight_rule: SightRule,
}

impl Setup {
    /// A setup with the sight rule of the dialect.
    pub fn new(map: Map, rules: Rules, seed: Seed, dialect: Dialect) -> Self {
        Self { map, rules, seed, dialect, sight_rule: SightRule::of(dialect) }
    }

    /// Visibility on the map of this setup, to be shared by several games (see `Game::with_sight`).
    pub fn sight(&self) -> Arc<Sight> {
        Arc::new(Sight::new(self.map.clone(), self.sight_rule).within(self.rules.vision))
    }
}
