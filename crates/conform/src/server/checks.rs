//! The catalogue: every check of servers, in the order in which they are reported.

mod chance;
mod deeds;
mod ending;
mod gold;
mod harvest;
mod joining;
mod moving;
mod naming;
mod oddities;
mod quitting;
mod seats;
mod sight;
mod spectating;
mod starting;
mod sturdiness;
mod swapping;
mod taking;
mod walks;

use super::ServerStage;
use crate::Check;

/// All checks of servers.
pub fn catalogue() -> Vec<Check<ServerStage>> {
    [
        starting::CHECKS,
        joining::CHECKS,
        spectating::CHECKS,
        moving::CHECKS,
        quitting::CHECKS,
        joining::MORE_CHECKS,
        seats::CHECKS,
        chance::CHECKS,
        gold::CHECKS,
        sight::CHECKS,
        swapping::CHECKS,
        ending::CHECKS,
        naming::CHECKS,
        oddities::CHECKS,
        sturdiness::CHECKS,
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_has_an_id_of_its_own_and_a_whole_sentence() {
        let mut ids: Vec<&str> = catalogue().iter().map(|check| check.clause.id).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
        for check in catalogue() {
            assert!(check.clause.demand.ends_with('.'), "{}", check.clause.id);
        }
    }
}
