//! The precomputed visibility, shared by all games on the same map, since it is most of the memory of a game.

use std::sync::{Arc, Weak};

use nuggets_game::{Setup, Sight};

/// The visibility of every map in use.
#[derive(Debug, Default)]
pub(super) struct Sights {
    in_use: Vec<Weak<Sight>>,
}

impl Sights {
    /// Returns the visibility on the map of this setup, shared with all games that use it now.
    pub(super) fn of(&mut self, setup: &Setup) -> Arc<Sight> {
        self.in_use.retain(|sight| sight.strong_count() > 0);
        let is_same = |sight: &Arc<Sight>| {
            (sight.rule(), sight.reach()) == (setup.sight_rule, setup.rules.vision)
                && *sight.map() == setup.map
        };
        let shared = self.in_use.iter().filter_map(Weak::upgrade).find(is_same);
        shared.unwrap_or_else(|| {
            let sight = setup.sight();
            self.in_use.push(Arc::downgrade(&sight));
            sight
        })
    }
}

#[cfg(test)]
mod tests {
    use nuggets_game::{Rules, Seed, shipped};
    use nuggets_protocol::Dialect;

    use super::*;

    #[test]
    fn games_on_one_map_share_its_visibility_as_long_as_one_is_open() {
        let setup = |name: &str, vision| {
            let rules = Rules { vision, ..Rules::default() };
            Setup::new(shipped::find(name).unwrap().map(), rules, Seed::new(1), Dialect::V2021)
        };
        let mut sights = Sights::default();
        let first = sights.of(&setup("main", None));
        assert!(Arc::ptr_eq(&first, &sights.of(&setup("main", None))));
        assert!(!Arc::ptr_eq(&first, &sights.of(&setup("main", Some(5)))));
        let other = shipped::ALL.iter().find(|map| map.map() != *first.map()).unwrap();
        assert!(!Arc::ptr_eq(&first, &sights.of(&setup(other.name, None))));
        drop(first);
        let again = sights.of(&setup("main", None));
        assert_eq!(sights.in_use.len(), 1, "nothing is kept that no game uses");
        assert_eq!(Arc::strong_count(&again), 1);
    }
}
