//! The settings that are fixed before a game begins: the dialect, the variants, and the spots of gold and food.

use std::collections::{BTreeMap, BTreeSet};

use crate::Spot;

/// The dialects, by the year of their specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Year {
    /// Passages are opaque, and error replies are `ERROR`.
    Y2021,
    /// Passages are visible along row and column, and error replies are `NO`.
    Y2019,
}

/// The settings of one game. The default is the 2021 game without variants; the caller must still set its
/// piles.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a separate rule, and all can be combined"
)]
pub struct ModelSettings {
    /// The dialect.
    pub year: Year,
    /// Nuggets in the whole game.
    pub gold: u32,
    /// The minimum number of piles at the start.
    pub min_piles: usize,
    /// The maximum number of piles at the start.
    pub max_piles: usize,
    /// The maximum number of players over the whole game.
    pub players: usize,
    /// The straight-line distance that players can see; unlimited if not given.
    pub vision: Option<i64>,
    /// Stepping onto a player takes its purse.
    pub steal: bool,
    /// The gold of a player that leaves becomes a pile where it stood.
    pub drop_on_quit: bool,
    /// The steps of every player, at its start and after eating; unlimited if not given.
    pub lifetime: Option<u32>,
    /// Pieces of food at the start.
    pub food: usize,
    /// A sprint stops on gold and on meeting a player.
    pub sprint_stops: bool,
    /// The game is over when its last player leaves.
    pub end_when_empty: bool,
    /// A move is sent only to clients whose picture it changes.
    pub changed_only: bool,
    /// The piles at the start: spot and size.
    pub piles: BTreeMap<Spot, u32>,
    /// The spots of the food at the start.
    pub food_at: BTreeSet<Spot>,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            year: Year::Y2021,
            gold: 250,
            min_piles: 10,
            max_piles: 30,
            players: 26,
            vision: None,
            steal: false,
            drop_on_quit: false,
            lifetime: None,
            food: 0,
            sprint_stops: false,
            end_when_empty: false,
            changed_only: false,
            piles: BTreeMap::new(),
            food_at: BTreeSet::new(),
        }
    }
}

impl ModelSettings {
    /// Returns the house rules (variants) as sent to new clients; empty if there are none. Options that the
    /// specification itself offers (a sprint that stops, a game that ends when empty) are not variants.
    pub(crate) fn house_rules(&self) -> String {
        let mut rules = Vec::new();
        if self.gold != 250 {
            rules.push(format!("gold {}", self.gold));
        }
        if (self.min_piles, self.max_piles) != (10, 30) {
            rules.push(format!("{} to {} piles", self.min_piles, self.max_piles));
        }
        if self.players != 26 {
            rules.push(format!("players {}", self.players));
        }
        if let Some(reach) = self.vision {
            rules.push(format!("vision {reach}"));
        }
        if self.steal {
            rules.push("steal".to_owned());
        }
        if self.drop_on_quit {
            rules.push("drop-on-quit".to_owned());
        }
        if let Some(steps) = self.lifetime {
            rules.push(format!("lifetime {steps}, food {}", self.food));
        }
        rules.join(", ")
    }
}
