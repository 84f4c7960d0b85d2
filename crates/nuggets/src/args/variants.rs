//! The variants of the house, as they are typed, and the rules that they make.

use clap::Args;
use nuggets_game::{Lifetime, Rules};

use super::BadArgument;

/// Rules beyond the documents. Without any, the game is exactly theirs.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "House variants (all off by default)")]
pub(crate) struct VariantArgs {
    /// Nuggets in the whole game [default: 250]
    #[arg(long, value_name = "N")]
    pub(crate) gold: Option<u32>,

    /// The fewest piles that they lie in [default: 10, or fewer if there is little gold]
    #[arg(long, value_name = "N")]
    pub(crate) min_piles: Option<u32>,

    /// The most piles that they lie in [default: 30, or fewer if there is little gold]
    #[arg(long, value_name = "N")]
    pub(crate) max_piles: Option<u32>,

    /// How many may join over the whole game, 1 to 26 [default: 26]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=26))]
    pub(crate) players: Option<u8>,

    /// See no farther than this many steps in a straight line
    #[arg(long, value_name = "N")]
    pub(crate) vision: Option<u16>,

    /// Stepping onto a player takes its purse
    #[arg(long)]
    pub(crate) steal: bool,

    /// The gold of whoever leaves becomes a pile where it stood
    #[arg(long)]
    pub(crate) drop_on_quit: bool,

    /// Every player has so many steps; at zero it is out
    #[arg(long, value_name = "N")]
    pub(crate) lifetime: Option<u32>,

    /// Lay so many pieces of food (%), each good for a whole new lifetime; needs --lifetime
    #[arg(long, value_name = "N")]
    pub(crate) food: Option<u32>,

    /// Switch all variants off, whatever else is said
    #[arg(long)]
    pub(crate) plain: bool,
}

impl VariantArgs {
    /// The rules that these make. What was not said is fitted to what was.
    pub(crate) fn rules(&self) -> Result<Rules, BadArgument> {
        let usual = Rules::default();
        if self.plain {
            return Ok(usual);
        }
        let nuggets = self.gold.unwrap_or(usual.nuggets);
        let least = self.min_piles.unwrap_or(1);
        let max_piles = self.max_piles.unwrap_or(usual.max_piles.min(nuggets).max(least));
        let rules = Rules {
            nuggets,
            min_piles: self.min_piles.unwrap_or(usual.min_piles.min(max_piles)),
            max_piles,
            max_players: self.players.map_or(usual.max_players, usize::from),
            vision: self.vision,
            steal: self.steal,
            drop_on_quit: self.drop_on_quit,
            lifetime: self.lifetime()?,
            ..usual
        };
        let refused = |why| BadArgument(format!("these house variants make no sense: {why}"));
        rules.check().map_err(refused)?;
        Ok(rules)
    }

    fn lifetime(&self) -> Result<Option<Lifetime>, BadArgument> {
        let food = self.food.unwrap_or(0);
        match (self.lifetime, self.food) {
            (None, Some(_)) => Err(BadArgument(
                "these house variants make no sense: --food without --lifetime, for nobody gets \
                 hungry. Add --lifetime N, or leave --food off"
                    .to_owned(),
            )),
            (lifetime, _) => Ok(lifetime.map(|steps| Lifetime { steps, food })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piles(typed: VariantArgs) -> (u32, u32) {
        let rules = typed.rules().unwrap();
        (rules.min_piles, rules.max_piles)
    }

    #[test]
    fn nothing_typed_is_the_game_of_the_seeds() {
        assert_eq!(VariantArgs::default().rules().unwrap(), Rules::default());
    }

    #[test]
    fn plain_wins_over_all_others_even_over_nonsense() {
        let typed = VariantArgs { plain: true, gold: Some(0), steal: true, ..Default::default() };
        assert_eq!(typed.rules().unwrap(), Rules::default());
    }

    #[test]
    fn piles_that_were_not_said_are_fitted_to_the_gold() {
        let usual = VariantArgs::default();
        assert_eq!(piles(VariantArgs { gold: Some(20), ..usual }), (10, 20));
        assert_eq!(piles(VariantArgs { gold: Some(3), ..usual }), (3, 3));
        assert_eq!(piles(VariantArgs { max_piles: Some(4), ..usual }), (4, 4));
        assert_eq!(piles(VariantArgs { min_piles: Some(50), ..usual }), (50, 50));
    }

    #[test]
    fn piles_that_were_said_are_never_changed() {
        let usual = VariantArgs::default();
        let crossed = VariantArgs { min_piles: Some(9), max_piles: Some(3), ..usual };
        let refused = crossed.rules().unwrap_err().to_string();
        assert!(refused.contains("9 is more than 3"), "{refused}");
        let thin = VariantArgs { gold: Some(5), max_piles: Some(8), ..usual };
        let refused = thin.rules().unwrap_err().to_string();
        assert!(refused.contains("5 nuggets can't make 8 piles"), "{refused}");
    }

    #[test]
    fn food_needs_hunger() {
        let typed = VariantArgs { food: Some(5), ..Default::default() };
        assert!(typed.rules().unwrap_err().to_string().contains("--food without --lifetime"));
        let typed = VariantArgs { lifetime: Some(40), ..Default::default() };
        let rules = typed.rules().unwrap();
        assert_eq!(rules.lifetime, Some(Lifetime { steps: 40, food: 0 }));
    }
}
