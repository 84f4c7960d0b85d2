//! The rules of a game: its numbers and its variants.

mod choices;
mod table;

use thiserror::Error;

use crate::Map;

pub use choices::RuleChoices;
pub use table::{HouseRule, HouseRuleEntry};

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
    /// A value that is not possible.
    #[error("{} must be {}, not {value}", .rule.entry().name, .rule.range_text())]
    OutOfRange {
        /// The rule.
        rule: HouseRule,
        /// The value.
        value: u32,
    },
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
    /// A rule about other players, with a single player.
    #[error("with a single player, {} has no effect: allow more players", .0.entry().name)]
    SinglePlayer(HouseRule),
    /// Food that restores nothing.
    #[error("food without a lifetime has no effect: choose a lifetime, or no food")]
    FoodWithoutLifetime,
}

impl BadRules {
    /// The rule to change.
    pub fn rule(self) -> HouseRule {
        match self {
            Self::OutOfRange { rule, .. } | Self::SinglePlayer(rule) => rule,
            Self::PilesCross { .. } => HouseRule::MinPiles,
            Self::EmptyPiles { .. } => HouseRule::MaxPiles,
            Self::FoodWithoutLifetime => HouseRule::Food,
        }
    }
}

impl HouseRule {
    fn expect_in_range(self, value: u32) -> Result<(), BadRules> {
        match &self.entry().range {
            Some(range) if !range.contains(&value) => {
                Err(BadRules::OutOfRange { rule: self, value })
            }
            _ => Ok(()),
        }
    }

    fn range_text(self) -> String {
        let range = self.entry().range.as_ref();
        range.map_or_else(String::new, |range| format!("{} to {}", range.start(), range.end()))
    }
}

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
    /// Its value; 1 for a rule that is on, `None` for one that is off or unlimited.
    pub fn value(&self, rule: HouseRule) -> Option<u32> {
        let switch = |is_on: bool| is_on.then_some(1);
        match rule {
            HouseRule::Gold => Some(self.nuggets),
            HouseRule::MinPiles => Some(self.min_piles),
            HouseRule::MaxPiles => Some(self.max_piles),
            HouseRule::Players => u32::try_from(self.max_players).ok(),
            HouseRule::Vision => self.vision.map(u32::from),
            HouseRule::Steal => switch(self.steal),
            HouseRule::DropOnQuit => switch(self.drop_on_quit),
            HouseRule::Lifetime => self.lifetime.map(|lifetime| lifetime.steps),
            HouseRule::Food => self.lifetime.map(|lifetime| lifetime.food),
        }
    }

    /// Sets a value; any turns on a rule that is on or off. Food without a lifetime has no effect.
    fn set(&mut self, rule: HouseRule, value: u32) {
        match rule {
            HouseRule::Gold => self.nuggets = value,
            HouseRule::MinPiles => self.min_piles = value,
            HouseRule::MaxPiles => self.max_piles = value,
            HouseRule::Players => self.max_players = value as usize,
            HouseRule::Vision => self.vision = u16::try_from(value).ok(),
            HouseRule::Steal => self.steal = true,
            HouseRule::DropOnQuit => self.drop_on_quit = true,
            HouseRule::Lifetime => self.lifetime = Some(Lifetime { steps: value, food: 0 }),
            HouseRule::Food => {
                self.lifetime = self.lifetime.map(|lifetime| Lifetime { food: value, ..lifetime });
            }
        }
    }

    /// The rules that differ from the specification, with their values.
    fn unusual(&self) -> impl Iterator<Item = (HouseRule, u32)> + '_ {
        let usual = Self::default();
        let differs = move |rule: &HouseRule| self.value(*rule) != usual.value(*rule);
        let rules = HouseRule::ALL.into_iter().filter(differs);
        rules.filter_map(|rule| self.value(rule).map(|value| (rule, value)))
    }

    /// Checks that these rules make sense together.
    pub fn check(&self) -> Result<(), BadRules> {
        for rule in HouseRule::ALL {
            let Some(value) = self.value(rule) else { continue };
            rule.expect_in_range(value)?;
            if rule.entry().needs_others && self.max_players == 1 {
                return Err(BadRules::SinglePlayer(rule));
            }
        }
        let (min, max, nuggets) = (self.min_piles, self.max_piles, self.nuggets);
        if min > max {
            return Err(BadRules::PilesCross { min, max });
        }
        if max > nuggets {
            return Err(BadRules::EmptyPiles { nuggets, piles: max });
        }
        Ok(())
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
        let mut words: Vec<String> = self.unusual().map(|rule| self.words(rule)).collect();
        // Both numbers of piles have the same text.
        words.dedup();
        (!words.is_empty()).then(|| words.join(", "))
    }

    fn words(&self, (rule, value): (HouseRule, u32)) -> String {
        let entry = rule.entry();
        match rule {
            HouseRule::MinPiles | HouseRule::MaxPiles => {
                format!("{} to {} piles", self.min_piles, self.max_piles)
            }
            _ if entry.range.is_none() => entry.name.to_owned(),
            _ => format!("{} {value}", entry.name),
        }
    }

    /// A sentence for players about each rule that differs from the specification.
    pub fn sentences(&self) -> Vec<String> {
        let told = self.unusual().filter(|(_, value)| *value > 0);
        told.map(|(rule, value)| rule.entry().sentence.replace("{}", &value.to_string())).collect()
    }

    /// All values, in a fixed order that old recordings know: a new rule comes last, and only if it is on.
    pub(crate) fn digest_words(&self) -> impl Iterator<Item = u64> {
        let value = |rule| self.value(rule).map_or(0, u64::from);
        let optional = |rule| [self.value(rule).is_some().into(), value(rule)];
        let numbers =
            [HouseRule::Gold, HouseRule::MinPiles, HouseRule::MaxPiles, HouseRule::Players];
        let switches = [
            self.sprint_stops.into(),
            self.end_when_empty.into(),
            self.steal.into(),
            self.drop_on_quit.into(),
        ];
        let limits = [HouseRule::Vision, HouseRule::Lifetime, HouseRule::Food].map(optional);
        let numbers = numbers.map(value);
        numbers.into_iter().chain(switches).chain(limits.into_iter().flatten())
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
