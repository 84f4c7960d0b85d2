//! Rules from a person's choices: options of a program, or fields of a form.

use super::{BadRules, HouseRule, Rules};

/// The chosen house rules. With none chosen, the game is that of the specification.
///
/// ```
/// use nuggets_game::{HouseRule, RuleChoices, Rules};
///
/// assert_eq!(RuleChoices::default().rules(), Ok(Rules::default()));
/// let few = RuleChoices::default().with(HouseRule::Gold, 3).rules().unwrap();
/// assert_eq!((few.nuggets, few.min_piles, few.max_piles), (3, 3, 3));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleChoices([Option<u32>; HouseRule::COUNT]);

impl RuleChoices {
    /// The chosen value; 1 for a rule that is on.
    pub fn get(&self, rule: HouseRule) -> Option<u32> {
        self.0[rule as usize]
    }

    /// Chooses a value; any for a rule that is on or off.
    pub fn set(&mut self, rule: HouseRule, value: Option<u32>) {
        self.0[rule as usize] = value;
    }

    /// The same choices and this one.
    #[must_use]
    pub fn with(mut self, rule: HouseRule, value: u32) -> Self {
        self.set(rule, Some(value));
        self
    }

    /// Returns the rules that result. Numbers of piles that were not chosen are adapted to the gold.
    pub fn rules(&self) -> Result<Rules, BadRules> {
        let mut rules = Rules::default();
        for rule in HouseRule::ALL {
            let Some(value) = self.get(rule) else { continue };
            rule.expect_in_range(value)?;
            rules.set(rule, value);
        }
        if self.get(HouseRule::MaxPiles).is_none() {
            let least = self.get(HouseRule::MinPiles).unwrap_or(1);
            rules.max_piles = rules.max_piles.min(rules.nuggets).max(least);
        }
        if self.get(HouseRule::MinPiles).is_none() {
            rules.min_piles = rules.min_piles.min(rules.max_piles);
        }
        if rules.lifetime.is_none() && self.get(HouseRule::Food).is_some() {
            return Err(BadRules::FoodWithoutLifetime);
        }
        rules.check()?;
        Ok(rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lifetime;

    fn chosen<const N: usize>(choices: [(HouseRule, u32); N]) -> Result<Rules, BadRules> {
        let none = RuleChoices::default();
        choices.into_iter().fold(none, |chosen, (rule, value)| chosen.with(rule, value)).rules()
    }

    #[test]
    fn default_pile_counts_are_adapted_to_the_gold() {
        let piles = |rule, value| {
            let rules = chosen([(rule, value)]).unwrap();
            (rules.min_piles, rules.max_piles)
        };
        assert_eq!(piles(HouseRule::Gold, 20), (10, 20));
        assert_eq!(piles(HouseRule::Gold, 3), (3, 3));
        assert_eq!(piles(HouseRule::MaxPiles, 4), (4, 4));
        assert_eq!(piles(HouseRule::MinPiles, 50), (50, 50));
    }

    #[test]
    fn given_pile_counts_are_never_changed() {
        let crossed = chosen([(HouseRule::MinPiles, 9), (HouseRule::MaxPiles, 3)]);
        assert_eq!(crossed, Err(BadRules::PilesCross { min: 9, max: 3 }));
        let thin = chosen([(HouseRule::Gold, 5), (HouseRule::MaxPiles, 8)]);
        assert_eq!(thin, Err(BadRules::EmptyPiles { nuggets: 5, piles: 8 }));
    }

    #[test]
    fn food_requires_a_lifetime() {
        assert_eq!(chosen([(HouseRule::Food, 5)]), Err(BadRules::FoodWithoutLifetime));
        let mortal = chosen([(HouseRule::Lifetime, 40)]).unwrap();
        assert_eq!(mortal.lifetime, Some(Lifetime { steps: 40, food: 0 }));
    }

    #[test]
    fn every_choice_has_its_effect() {
        for (rule, value) in HouseRule::ALL.into_iter().zip(4..) {
            let choices = RuleChoices::default().with(HouseRule::Lifetime, 90).with(rule, value);
            let expected = if rule.entry().range.is_some() { value } else { 1 };
            assert_eq!(choices.rules().unwrap().value(rule), Some(expected), "{rule:?}");
        }
    }

    #[test]
    fn a_value_out_of_range_is_never_cut_off() {
        let rule = HouseRule::Vision;
        assert_eq!(chosen([(rule, 65_536)]), Err(BadRules::OutOfRange { rule, value: 65_536 }));
    }
}
