//! The numbers and choices of a game.

use thiserror::Error;

use crate::{Letter, Map};

/// What one game is played by. The default is the game of the seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a rule of its own, and all may be mixed")]
pub struct Rules {
    /// Nuggets in the whole game.
    pub nuggets: u32,
    /// The fewest piles they may lie in.
    pub min_piles: u32,
    /// The most piles they may lie in.
    pub max_piles: u32,
    /// Players over the whole game, 26 at most: a letter is never used twice.
    pub max_players: usize,
    /// A sprint stops on gold and on meeting a player.
    pub sprint_stops: bool,
    /// The game ends when its last player quits.
    pub end_when_empty: bool,
    /// How far one sees in a straight line; as far as the eye can see if not given.
    pub vision: Option<u16>,
    /// Stepping onto a player takes its purse.
    pub steal: bool,
    /// The gold of whoever leaves becomes a pile where it stood.
    pub drop_on_quit: bool,
    /// Steps are limited.
    pub lifetime: Option<Lifetime>,
}

/// How long a player lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// The steps that a player has from the start, and after a meal.
    pub steps: u32,
    /// Pieces of food on the map.
    pub food: u32,
}

/// Rules that make no sense, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadRules {
    /// There would be nothing to find.
    #[error("a game needs at least 1 nugget of gold, or it is over before it begins")]
    NoGold,
    /// More than anybody could collect.
    #[error("{0} nuggets are too many: the most is {MOST_NUGGETS}")]
    TooMuchGold(u32),
    /// Gold that lies nowhere.
    #[error("gold must lie somewhere: the fewest piles can't be 0")]
    NoPiles,
    /// The fewest piles are more than the most.
    #[error("the fewest piles can't be more than the most: {min} is more than {max}")]
    PilesCross {
        /// The fewest.
        min: u32,
        /// The most.
        max: u32,
    },
    /// A pile would be empty.
    #[error(
        "{nuggets} nuggets can't make {piles} piles, for each holds at least 1: allow fewer piles or \
         give more gold"
    )]
    EmptyPiles {
        /// How many nuggets there are.
        nuggets: u32,
        /// The most piles.
        piles: u32,
    },
    /// Nobody, or more than there are letters.
    #[error("{0} players can't play: there are letters for 1 to 26")]
    Players(usize),
    /// Blind.
    #[error("with a vision of 0 nobody sees anything: the least is 1")]
    Blind,
    /// Dead on arrival.
    #[error("with a lifetime of 0 steps nobody can move: the least is 1")]
    NoLife,
    /// Longer than can be counted down.
    #[error("a lifetime of {0} steps is too long: the most is {MOST_STEPS}")]
    TooLong(u32),
    /// Stealing in solitude.
    #[error("with a single player there is nobody to steal from: allow more players")]
    NobodyToRob,
    /// Gold left for nobody.
    #[error(
        "with a single player nobody is left to find the gold that it drops: allow more players"
    )]
    NobodyToFind,
}

/// So much gold fits every number on the way.
const MOST_NUGGETS: u32 = 1_000_000;
/// So many steps are for ever.
const MOST_STEPS: u32 = 1_000_000_000;

/// A map without room for everybody and everything.
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
    /// Of these for players.
    pub players: usize,
    /// Of these for piles.
    pub piles: usize,
    /// Of these for food.
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
    /// Do these rules make sense together?
    pub fn check(&self) -> Result<(), BadRules> {
        let (min, max) = (self.min_piles, self.max_piles);
        let alone = self.max_players == 1;
        let found = [
            (self.nuggets == 0, BadRules::NoGold),
            (self.nuggets > MOST_NUGGETS, BadRules::TooMuchGold(self.nuggets)),
            (min == 0, BadRules::NoPiles),
            (min > max, BadRules::PilesCross { min, max }),
            (max > self.nuggets, BadRules::EmptyPiles { nuggets: self.nuggets, piles: max }),
            (!(1..=Letter::COUNT).contains(&self.max_players), BadRules::Players(self.max_players)),
            (self.vision == Some(0), BadRules::Blind),
            (self.lifetime.is_some_and(|life| life.steps == 0), BadRules::NoLife),
            (self.steal && alone, BadRules::NobodyToRob),
            (self.drop_on_quit && alone, BadRules::NobodyToFind),
        ];
        let too_long = self.lifetime.filter(|life| life.steps > MOST_STEPS);
        let too_long = too_long.map(|life| BadRules::TooLong(life.steps));
        let bad = found.into_iter().find_map(|(is_bad, why)| is_bad.then_some(why)).or(too_long);
        bad.map_or(Ok(()), Err)
    }

    /// The variants of the house that these rules have, in the words of their options; none for
    /// the game of the seeds.
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

    /// Does the map have a room spot for every player, every pile and all food?
    pub fn check_room(&self, map: &Map) -> Result<(), TooFewSpots> {
        let (players, piles) = (self.max_players, self.max_piles as usize);
        let food = self.lifetime.map_or(0, |lifetime| lifetime.food as usize);
        let (found, needed) = (map.room_spots().len(), players + piles + food);
        if found < needed {
            let (rows, cols) = (map.rows(), map.cols());
            return Err(TooFewSpots { rows, cols, found, needed, players, piles, food });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
