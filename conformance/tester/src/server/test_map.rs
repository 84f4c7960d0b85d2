//! The maps that servers are tested on.

use std::sync::Arc;

use nuggets_game::map::check::check;
use nuggets_game::map::parse::MapError;
use nuggets_game::{Map, Rules, Sight, SightRule, shipped};
use nuggets_protocol::Dialect;

/// A map to test on.
#[derive(Clone, Debug)]
pub struct TestMap {
    /// The name in reports.
    pub name: String,
    map: Map,
}

/// Maps drawn for particular checks: a passage along all four edges, a bare room, pillars that block
/// the line of sight, and rooms one spot wide with crooked passages.
const OWN: [(&str, &str); 4] = [
    ("ring", include_str!("test_map/ring.txt")),
    ("yard", include_str!("test_map/yard.txt")),
    ("pillars", include_str!("test_map/pillars.txt")),
    ("zigzag", include_str!("test_map/zigzag.txt")),
];

/// Why a map can't be used.
#[derive(Debug, thiserror::Error)]
pub enum TestMapError {
    /// The text can't be read as a map.
    #[error(transparent)]
    Parse(#[from] MapError),
    /// The map breaks a rule.
    #[error("it is not a valid map: `nuggets map check` says what is wrong with it")]
    Invalid,
}

impl TestMap {
    /// Parses a map. It must be valid: the specification doesn't say what a server does with others.
    pub fn new(name: &str, text: &str) -> Result<Self, TestMapError> {
        let map = Map::parse(text.as_bytes())?.map;
        if !check(text.as_bytes(), &Rules::default()).is_valid() {
            return Err(TestMapError::Invalid);
        }
        Ok(Self { name: name.to_owned(), map })
    }

    /// One of the tester's own maps, or one that comes with the game.
    pub(crate) fn named(name: &str) -> Self {
        if let Some((_, text)) = OWN.iter().find(|(own, _)| *own == name) {
            return Self::new(name, text).expect("our own maps are tested to be valid");
        }
        let shipped = shipped::find(name).expect("checks name only maps that exist");
        Self { name: name.to_owned(), map: shipped.map() }
    }

    /// The text of its file.
    pub(crate) fn text(&self) -> String {
        self.map.to_string()
    }

    /// The map with the visibility rule of a dialect.
    pub(crate) fn sight(&self, dialect: Dialect) -> Arc<Sight> {
        Arc::new(Sight::new(self.map.clone(), SightRule::of(dialect)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_maps_are_valid_and_reach_the_server_unchanged() {
        for (name, text) in OWN {
            assert_eq!(TestMap::named(name).text(), text, "{name}");
        }
    }
}
