//! The options for house rules, and the rules that result from them.

use clap::Args;
use nuggets_game::{BadRules, RuleChoices, Rules};

use super::{BadArgument, number};

/// Rules beyond the specification. Without any of them the game follows it exactly.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "House rules (all off by default)")]
pub(crate) struct VariantArgs {
    /// Nuggets in the whole game [default: 250]
    #[arg(long, value_name = "N", value_parser = number::<u32>(0..=u32::MAX))]
    pub(crate) gold: Option<u32>,

    /// Minimum number of piles [default: 10, or fewer if there is little gold]
    #[arg(long, value_name = "N", value_parser = number::<u32>(0..=u32::MAX))]
    pub(crate) min_piles: Option<u32>,

    /// Maximum number of piles [default: 30, or fewer if there is little gold]
    #[arg(long, value_name = "N", value_parser = number::<u32>(0..=u32::MAX))]
    pub(crate) max_piles: Option<u32>,

    /// How many players may join over the whole game, 1 to 26 [default: 26]
    #[arg(long, value_name = "N", value_parser = number::<u8>(1..=26))]
    pub(crate) players: Option<u8>,

    /// Limit line of sight to this many steps in a straight line
    #[arg(long, value_name = "N", value_parser = number::<u16>(0..=u16::MAX))]
    pub(crate) vision: Option<u16>,

    /// Stepping onto a player steals its purse
    #[arg(long)]
    pub(crate) steal: bool,

    /// The gold of a player that leaves becomes a pile on its spot
    #[arg(long)]
    pub(crate) drop_on_quit: bool,

    /// Every player has this many steps and is out after the last
    #[arg(long, value_name = "N", value_parser = number::<u32>(0..=u32::MAX))]
    pub(crate) lifetime: Option<u32>,

    /// Place this many pieces of food (%), each of which restores the full lifetime; needs --lifetime
    #[arg(long, value_name = "N", value_parser = number::<u32>(0..=u32::MAX))]
    pub(crate) food: Option<u32>,

    /// Turn all house rules off, overriding the other options
    #[arg(long)]
    pub(crate) plain: bool,
}

impl VariantArgs {
    /// The rules that result. Numbers of piles that were not given are adapted to the gold.
    pub(crate) fn rules(&self) -> Result<Rules, BadArgument> {
        if self.plain {
            return Ok(Rules::default());
        }
        self.choices().rules().map_err(|why| match why {
            BadRules::FoodWithoutLifetime => BadArgument(
                "invalid house rules: --food without --lifetime has no effect. Add --lifetime N, or \
                 leave --food off"
                    .to_owned(),
            ),
            why => BadArgument(format!("invalid house rules: {why}")),
        })
    }

    fn choices(&self) -> RuleChoices {
        RuleChoices {
            gold: self.gold,
            min_piles: self.min_piles,
            max_piles: self.max_piles,
            players: self.players,
            vision: self.vision,
            steal: self.steal,
            drop_on_quit: self.drop_on_quit,
            lifetime: self.lifetime,
            food: self.food,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_rules_are_those_of_the_specification() {
        assert_eq!(VariantArgs::default().rules().unwrap(), Rules::default());
    }

    #[test]
    fn plain_overrides_all_others_even_invalid_ones() {
        let typed = VariantArgs { plain: true, gold: Some(0), steal: true, ..Default::default() };
        assert_eq!(typed.rules().unwrap(), Rules::default());
    }

    #[test]
    fn every_option_has_its_effect() {
        let typed = VariantArgs {
            gold: Some(100),
            min_piles: Some(5),
            max_piles: Some(6),
            players: Some(7),
            vision: Some(8),
            steal: true,
            drop_on_quit: true,
            lifetime: Some(9),
            food: Some(10),
            plain: false,
        };
        let words = typed.rules().unwrap().variants().unwrap();
        let expected =
            "gold 100, 5 to 6 piles, players 7, vision 8, steal, drop-on-quit, lifetime 9, food 10";
        assert_eq!(words, expected);
    }

    #[test]
    fn rules_that_make_no_sense_are_rejected_with_the_reason() {
        let crossed =
            VariantArgs { min_piles: Some(9), max_piles: Some(3), ..VariantArgs::default() };
        let error = crossed.rules().unwrap_err().to_string();
        assert!(error.contains("9 is more than 3"), "{error}");
    }

    #[test]
    fn food_requires_a_lifetime() {
        let typed = VariantArgs { food: Some(5), ..Default::default() };
        assert!(typed.rules().unwrap_err().to_string().contains("--food without --lifetime"));
    }
}
