//! The rules of a game: its numbers and its variants.

mod choices;

use thiserror::Error;

use crate::{Letter, Map};

pub use choices::RuleChoices;

/// The rules of one game. The default is the game of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a separate rule, and all can be combined"
)]
pub struct Rules {
    /// Nuggets in the whole game.
    pub nuggets: u32,
    /// The minimum number of piles.
    pub min_piles: u32,
    /// The maximum number of piles.
    pub max_piles: u32,
    /// The maximum number of players over the whole game, 1 to 26: a letter is never used twice.
    pub max_players: usize,
    /// A sprint stops on gold and on meeting a player.
    pub sprint_stops: bool,
    /// The game ends when its last player quits.
    pub end_when_empty: bool,
    /// The straight-line distance that players can see, at least 1; unlimited if not given.
    pub vision: Option<u16>,
    /// Stepping onto a player takes its whole purse.
    pub steal: bool,
    /// The gold of a player that quits or starves becomes a pile where it stood.
    pub drop_on_quit: bool,
    /// Limits the steps of every player.
    pub lifetime: Option<Lifetime>,
}

/// The variant in which every step spends a lifetime and food restores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// The steps of a player at its start, and again after eating.
    pub steps: u32,
    /// Pieces of food on the map at the start.
    pub food: u32,
}

/// Why rules make no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadRules {
    /// No nuggets.
    #[error("a game needs at least 1 nugget of gold, or it is over before it begins")]
    NoGold,
    /// More than `MAX_NUGGETS`.
    #[error("{0} nuggets are too many: the most is {MAX_NUGGETS}")]
    TooMuchGold(u32),
    /// A minimum of 0 piles.
    #[error("gold must lie somewhere: the fewest piles can't be 0")]
    NoPiles,
    /// The minimum number of piles is greater than the maximum.
    #[error("the fewest piles can't be more than the most: {min} is more than {max}")]
    PilesCross {
        /// The minimum.
        min: u32,
        /// The maximum.
        max: u32,
    },
    /// More piles than nuggets.
    #[error(
        "{piles} piles need at least {piles} nuggets, but there are only {nuggets}: allow fewer \
         piles or give more gold"
    )]
    EmptyPiles {
        /// Nuggets in the game.
        nuggets: u32,
        /// The maximum number of piles.
        piles: u32,
    },
    /// No players, or more than there are letters.
    #[error("{0} players can't play: there are letters for 1 to 26")]
    Players(usize),
    /// A vision of 0.
    #[error("with a vision of 0 nobody sees anything: the least is 1")]
    Blind,
    /// A lifetime of 0 steps.
    #[error("with a lifetime of 0 steps nobody can move: the least is 1")]
    NoLife,
    /// A lifetime of more than `MAX_STEPS`.
    #[error("a lifetime of {0} steps is too long: the most is {MAX_STEPS}")]
    TooLong(u32),
    /// Stealing with a single player.
    #[error("with a single player there is nobody to steal from: allow more players")]
    NobodyToRob,
    /// Dropped gold with a single player.
    #[error(
        "with a single player nobody is left to find the gold that it drops: allow more players"
    )]
    NobodyToFind,
    /// Food that restores nothing.
    #[error("food without a lifetime has no effect: choose a lifetime, or no food")]
    FoodWithoutLifetime,
}

/// Sums of this much gold fit every number type in use.
const MAX_NUGGETS: u32 = 1_000_000;
/// Far longer than any game.
const MAX_STEPS: u32 = 1_000_000_000;

/// A map with fewer room spots than the rules need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "lines 1 to {rows}, columns 1 to {cols}: found {found} room spots '.', but {needed} are needed: \
     {players} for players{}{piles} for piles of gold{}. Draw larger rooms, or more of them",
    if *food == 0 { " and " } else { ", " },
    if *food == 0 { String::new() } else { format!(" and {food} for food") }
)]
pub struct TooFewSpots {
    /// Lines of the map.
    pub rows: u16,
    /// Columns of the map.
    pub cols: u16,
    /// Room spots on the map.
    pub found: usize,
    /// Room spots that the rules can need at once.
    pub needed: usize,
    /// Room spots needed for players.
    pub players: usize,
    /// Room spots needed for piles.
    pub piles: usize,
    /// Room spots needed for food.
    pub food: usize,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            nuggets: 250,
            min_piles: 10,
            max_piles: 30,
            max_players: 26,
            sprint_stops: false,
            end_when_empty: false,
            vision: None,
            steal: false,
            drop_on_quit: false,
            lifetime: None,
        }
    }
}

impl Rules {
    /// Checks that these rules make sense together.
    pub fn check(&self) -> Result<(), BadRules> {
        if self.nuggets == 0 {
            return Err(BadRules::NoGold);
        }
        if self.nuggets > MAX_NUGGETS {
            return Err(BadRules::TooMuchGold(self.nuggets));
        }
        let min = self.min_piles;
        let max = self.max_piles;
        if min == 0 {
            return Err(BadRules::NoPiles);
        }
        if min > max {
            return Err(BadRules::PilesCross { min, max });
        }
        if max > self.nuggets {
            return Err(BadRules::EmptyPiles { nuggets: self.nuggets, piles: max });
        }
        if !(1..=Letter::COUNT).contains(&self.max_players) {
            return Err(BadRules::Players(self.max_players));
        }
        self.check_variants()
    }

    fn check_variants(&self) -> Result<(), BadRules> {
        if self.vision == Some(0) {
            return Err(BadRules::Blind);
        }
        let steps = self.lifetime.map(|lifetime| lifetime.steps);
        if steps == Some(0) {
            return Err(BadRules::NoLife);
        }
        if self.steal && self.max_players == 1 {
            return Err(BadRules::NobodyToRob);
        }
        if self.drop_on_quit && self.max_players == 1 {
            return Err(BadRules::NobodyToFind);
        }
        match steps {
            Some(steps) if steps > MAX_STEPS => Err(BadRules::TooLong(steps)),
            _ => Ok(()),
        }
    }

    /// The house rules (variants), named as their options; `None` for the game of the specification.
    ///
    /// ```
    /// use nuggets_game::Rules;
    ///
    /// assert_eq!(Rules::default().variants(), None);
    /// let rules = Rules { vision: Some(5), steal: true, ..Rules::default() };
    /// assert_eq!(rules.variants().as_deref(), Some("vision 5, steal"));
    /// ```
    pub fn variants(&self) -> Option<String> {
        let usual = Self::default();
        let piles = (self.min_piles, self.max_piles);
        let words = [
            (self.nuggets != usual.nuggets).then(|| format!("gold {}", self.nuggets)),
            (piles != (usual.min_piles, usual.max_piles))
                .then(|| format!("{} to {} piles", piles.0, piles.1)),
            (self.max_players != usual.max_players)
                .then(|| format!("players {}", self.max_players)),
            self.vision.map(|vision| format!("vision {vision}")),
            self.steal.then(|| "steal".to_owned()),
            self.drop_on_quit.then(|| "drop-on-quit".to_owned()),
            self.lifetime.map(|life| format!("lifetime {}, food {}", life.steps, life.food)),
        ];
        let words: Vec<String> = words.into_iter().flatten().collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// Checks that the map has a room spot for every player, every pile and all food.
    pub fn check_room(&self, map: &Map) -> Result<(), TooFewSpots> {
        let players = self.max_players;
        let piles = self.max_piles as usize;
        let food = self.lifetime.map_or(0, |lifetime| lifetime.food as usize);
        let needed = players + piles + food;
        let found = map.room_spots().len();
        if found < needed {
            let rows = map.rows();
            let cols = map.cols();
            return Err(TooFewSpots { rows, cols, found, needed, players, piles, food });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
