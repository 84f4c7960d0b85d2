//! Rules from what a person chose: options of a program, or fields of a form.

use super::{BadRules, Lifetime, Rules};

/// What can be chosen about the rules. Nothing chosen: the game of the specification.
///
/// ```
/// use nuggets_game::{RuleChoices, Rules};
///
/// assert_eq!(RuleChoices::default().rules(), Ok(Rules::default()));
/// let few = RuleChoices { gold: Some(3), ..RuleChoices::default() }.rules().unwrap();
/// assert_eq!((few.nuggets, few.min_piles, few.max_piles), (3, 3, 3));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleChoices {
    /// Nuggets in the whole game.
    pub gold: Option<u32>,
    /// The minimum number of piles.
    pub min_piles: Option<u32>,
    /// The maximum number of piles.
    pub max_piles: Option<u32>,
    /// How many players may join over the whole game.
    pub players: Option<u8>,
    /// The limit of the line of sight.
    pub vision: Option<u16>,
    /// Stepping onto a player steals its purse.
    pub steal: bool,
    /// The gold of a player that leaves becomes a pile.
    pub drop_on_quit: bool,
    /// Steps of every player.
    pub lifetime: Option<u32>,
    /// Pieces of food; they need a lifetime.
    pub food: Option<u32>,
}

impl RuleChoices {
    /// The rules that result. Numbers of piles that were not chosen are adapted to the gold.
    pub fn rules(&self) -> Result<Rules, BadRules> {
        let usual = Rules::default();
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
        rules.check()?;
        Ok(rules)
    }

    fn lifetime(&self) -> Result<Option<Lifetime>, BadRules> {
        let food = self.food.unwrap_or(0);
        match (self.lifetime, self.food) {
            (None, Some(_)) => Err(BadRules::FoodWithoutLifetime),
            (lifetime, _) => Ok(lifetime.map(|steps| Lifetime { steps, food })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: RuleChoices = RuleChoices {
        gold: None,
        min_piles: None,
        max_piles: None,
        players: None,
        vision: None,
        steal: false,
        drop_on_quit: false,
        lifetime: None,
        food: None,
    };

    fn piles(choices: RuleChoices) -> (u32, u32) {
        let rules = choices.rules().unwrap();
        (rules.min_piles, rules.max_piles)
    }

    #[test]
    fn default_pile_counts_are_adapted_to_the_gold() {
        assert_eq!(piles(RuleChoices { gold: Some(20), ..NONE }), (10, 20));
        assert_eq!(piles(RuleChoices { gold: Some(3), ..NONE }), (3, 3));
        assert_eq!(piles(RuleChoices { max_piles: Some(4), ..NONE }), (4, 4));
        assert_eq!(piles(RuleChoices { min_piles: Some(50), ..NONE }), (50, 50));
    }

    #[test]
    fn given_pile_counts_are_never_changed() {
        let crossed = RuleChoices { min_piles: Some(9), max_piles: Some(3), ..NONE };
        assert_eq!(crossed.rules(), Err(BadRules::PilesCross { min: 9, max: 3 }));
        let thin = RuleChoices { gold: Some(5), max_piles: Some(8), ..NONE };
        assert_eq!(thin.rules(), Err(BadRules::EmptyPiles { nuggets: 5, piles: 8 }));
    }

    #[test]
    fn food_requires_a_lifetime() {
        let fed = RuleChoices { food: Some(5), ..NONE };
        assert_eq!(fed.rules(), Err(BadRules::FoodWithoutLifetime));
        let mortal = RuleChoices { lifetime: Some(40), ..NONE };
        assert_eq!(mortal.rules().unwrap().lifetime, Some(Lifetime { steps: 40, food: 0 }));
    }
}
