//! The rules of the house in sentences for players.

use nuggets_game::Rules;

/// What differs from the game of the specification; nothing if nothing does.
pub(crate) fn sentences(rules: &Rules) -> Vec<String> {
    let usual = Rules::default();
    let gold = (rules.nuggets != usual.nuggets)
        .then(|| format!("There are {} nuggets of gold.", rules.nuggets));
    let piles = (rules.min_piles, rules.max_piles);
    let piles = (piles != (usual.min_piles, usual.max_piles))
        .then(|| format!("The gold lies in {} to {} piles.", piles.0, piles.1));
    let players = (rules.max_players != usual.max_players)
        .then(|| format!("At most {} players can join.", rules.max_players));
    let vision = rules.vision.map(|vision| format!("You see {vision} steps far."));
    let steal = rules.steal.then(|| "Step onto a player to steal its purse.".to_owned());
    let drop =
        rules.drop_on_quit.then(|| "The gold of a player who leaves becomes a pile.".to_owned());
    let lifetime = rules.lifetime.map(|lifetime| {
        let food = if lifetime.food > 0 { "; food (%) restores them" } else { "" };
        format!("You have {} steps{food}.", lifetime.steps)
    });
    let end = rules.end_when_empty.then(|| "The game ends when its last player leaves.".to_owned());
    let sprint = rules.sprint_stops.then(|| "A sprint stops at gold and players.".to_owned());
    [gold, piles, players, vision, steal, drop, lifetime, end, sprint]
        .into_iter()
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use nuggets_game::Lifetime;

    use super::*;

    #[test]
    fn only_what_is_unusual_is_said() {
        assert_eq!(sentences(&Rules::default()), [""; 0]);
        let lifetime = Some(Lifetime { steps: 90, food: 3 });
        let rules = Rules { vision: Some(5), steal: true, lifetime, ..Rules::default() };
        assert_eq!(
            sentences(&rules),
            [
                "You see 5 steps far.",
                "Step onto a player to steal its purse.",
                "You have 90 steps; food (%) restores them."
            ]
        );
    }
}
