//! The one table of house rules: each with its name, its range and its texts. Options, forms, error messages and the texts
//! for players follow from it.

use std::ops::RangeInclusive;

/// A rule beyond the specification that people can choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HouseRule {
    /// Nuggets in the whole game.
    Gold,
    /// The minimum number of piles.
    MinPiles,
    /// The maximum number of piles.
    MaxPiles,
    /// The number of players over the whole game.
    Players,
    /// The limit of the line of sight.
    Vision,
    /// Stepping onto a player steals its purse.
    Steal,
    /// The gold of a player that leaves becomes a pile.
    DropOnQuit,
    /// Steps of every player.
    Lifetime,
    /// Pieces of food.
    Food,
}

/// The row of a rule in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HouseRuleEntry {
    /// Its option without the dashes; also how players read it.
    pub name: &'static str,
    /// Its title in a form.
    pub label: &'static str,
    /// One sentence without its full stop.
    pub help: &'static str,
    /// The value in the game of the specification, for people.
    pub usual: Option<&'static str>,
    /// The possible values; none for a rule that is on or off.
    pub range: Option<RangeInclusive<u32>>,
    /// True if it has no effect on a single player.
    pub needs_others: bool,
    /// A sentence for players, with `{}` for the value.
    pub sentence: &'static str,
}

/// In the order of [`HouseRule`].
static TABLE: [HouseRuleEntry; HouseRule::COUNT] = [
    HouseRuleEntry {
        name: "gold",
        label: "Nuggets",
        help: "Nuggets in the whole game",
        usual: Some("250"),
        range: Some(1..=1_000_000),
        needs_others: false,
        sentence: "There are {} nuggets of gold.",
    },
    HouseRuleEntry {
        name: "min-piles",
        label: "At least this many piles",
        help: "Minimum number of piles",
        usual: Some("10, or fewer if there is little gold"),
        range: Some(1..=1_000_000),
        needs_others: false,
        sentence: "The gold lies in at least {} piles.",
    },
    HouseRuleEntry {
        name: "max-piles",
        label: "At most this many piles",
        help: "Maximum number of piles",
        usual: Some("30, or fewer if there is little gold"),
        range: Some(1..=1_000_000),
        needs_others: false,
        sentence: "The gold lies in at most {} piles.",
    },
    HouseRuleEntry {
        name: "players",
        label: "Players",
        help: "Maximum number of players over the whole game, bots included",
        usual: Some("26"),
        range: Some(1..=26),
        needs_others: false,
        sentence: "At most {} players can join.",
    },
    HouseRuleEntry {
        name: "vision",
        label: "Vision",
        help: "Limit line of sight to this many steps in a straight line",
        usual: None,
        range: Some(1..=65_535),
        needs_others: false,
        sentence: "You see {} steps far.",
    },
    HouseRuleEntry {
        name: "steal",
        label: "Stealing",
        help: "Stepping onto a player steals its purse",
        usual: None,
        range: None,
        needs_others: true,
        sentence: "Step onto a player to steal its purse.",
    },
    HouseRuleEntry {
        name: "drop-on-quit",
        label: "Drop on leaving",
        help: "The gold of a player that leaves becomes a pile on its spot",
        usual: None,
        range: None,
        needs_others: true,
        sentence: "The gold of a player who leaves becomes a pile.",
    },
    HouseRuleEntry {
        name: "lifetime",
        label: "Lifetime",
        help: "Every player has this many steps and is out after the last",
        usual: None,
        range: Some(1..=1_000_000_000),
        needs_others: false,
        sentence: "You have {} steps.",
    },
    HouseRuleEntry {
        name: "food",
        label: "Food",
        help: "Place this many pieces of food (%), each of which restores the full lifetime; needs a lifetime",
        usual: None,
        range: Some(0..=1_000_000),
        needs_others: false,
        sentence: "{} pieces of food (%) restore all your steps.",
    },
];

impl HouseRule {
    /// The number of rules.
    pub const COUNT: usize = 9;

    /// All rules, in the order in which people read them.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Gold,
        Self::MinPiles,
        Self::MaxPiles,
        Self::Players,
        Self::Vision,
        Self::Steal,
        Self::DropOnQuit,
        Self::Lifetime,
        Self::Food,
    ];

    /// Its row in the table.
    pub fn entry(self) -> &'static HouseRuleEntry {
        &TABLE[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rules;

    #[test]
    fn every_rule_stands_in_the_documents() {
        let documents = include_str!("../../../../docs/variants.md");
        for rule in HouseRule::ALL {
            let name = rule.entry().name;
            assert!(documents.contains(&format!("`--{name}")), "{name}");
        }
    }

    #[test]
    fn the_usual_value_is_that_of_the_specification() {
        for rule in HouseRule::ALL {
            let usual = rule.entry().usual.map(|words| words.split(',').next().unwrap().to_owned());
            let value = Rules::default().value(rule).map(|value| value.to_string());
            assert_eq!(usual, value, "{rule:?}");
        }
    }
}
