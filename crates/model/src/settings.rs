//! What is settled before a game begins: the dialect, the variants, and what chance has laid where.

use std::collections::{BTreeMap, BTreeSet};

use crate::Spot;

/// The dialects, by the years of their documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Year {
    /// Passages are dark, and complaints are `ERROR`.
    Y2021,
    /// One looks along passages, and complaints are `NO`.
    Y2019,
}

/// The settings of one game. The default is the 2021 game without variants; its gold must still be
/// laid out.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a rule of its own, and all may be mixed")]
pub struct Settings {
    /// The dialect.
    pub year: Year,
    /// Nuggets in the whole game.
    pub gold: u32,
    /// The fewest piles at the start.
    pub min_piles: usize,
    /// The most piles at the start.
    pub max_piles: usize,
    /// Players over the whole game.
    pub players: usize,
    /// Nobody sees farther than this in a straight line.
    pub vision: Option<i64>,
    /// Stepping onto a player takes its purse.
    pub steal: bool,
    /// Whoever leaves lays its gold down where it stood.
    pub drop_on_quit: bool,
    /// Steps that everybody has.
    pub lifetime: Option<u32>,
    /// Pieces of food at the start.
    pub food: usize,
    /// A sprint stops on gold and on meeting a player.
    pub sprint_stops: bool,
    /// The game is over when its last player leaves.
    pub end_when_empty: bool,
    /// A move is shown only to those whose picture it changes.
    pub changed_only: bool,
    /// Where the piles lie at the start, and how large they are.
    pub piles: BTreeMap<Spot, u32>,
    /// Where the food lies at the start.
    pub food_at: BTreeSet<Spot>,
}

impl Default for Settings {
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

impl Settings {
    /// The house variants in force, as newcomers are told; nothing if there are none. What the
    /// documents themselves offer (a sprint that stops, a game that ends when empty) is no variant.
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
