//! The maps that servers are tested on.

use std::sync::Arc;

use nuggets_game::{Map, Rules, Sight, SightRule, shipped};
use nuggets_protocol::Dialect;

/// A map to test on.
#[derive(Clone, Debug)]
pub struct TestMap {
    /// What it is called in reports.
    pub name: String,
    map: Map,
}

/// Our own maps, each drawn for what is tried on it: a passage along all four edges, a bare room,
/// pillars to look past, and rooms one spot wide with crooked passages.
const OWN: [(&str, &str); 4] = [
    ("ring", include_str!("maps/ring.txt")),
    ("yard", include_str!("maps/yard.txt")),
    ("pillars", include_str!("maps/pillars.txt")),
    ("zigzag", include_str!("maps/zigzag.txt")),
];

/// A map that can't be used.
pub type BadMap = String;

impl TestMap {
    /// Takes a map; only a right one, for no document says what a server does with others.
    pub fn new(name: &str, text: &str) -> Result<Self, BadMap> {
        let map = Map::parse(text.as_bytes()).map_err(|why| why.to_string())?.map;
        let report = Map::check(text.as_bytes(), &Rules::default());
        if !report.is_valid() {
            return Err(
                "it is no valid map: `nuggets map check` tells what is wrong with it".into()
            );
        }
        Ok(Self { name: name.to_owned(), map })
    }

    /// One that comes with the game.
    pub(crate) fn shipped(name: &str) -> Self {
        let shipped = shipped::find(name).expect("the names are our own");
        Self { name: shipped.name.to_owned(), map: shipped.map() }
    }

    /// One of our own, or one that comes with the game.
    pub(crate) fn named(name: &str) -> Self {
        match OWN.iter().find(|(own, _)| *own == name) {
            Some((_, text)) => Self::new(name, text).expect("our own maps are tested to be valid"),
            None => Self::shipped(name),
        }
    }

    /// The text of its file.
    pub(crate) fn text(&self) -> String {
        self.map.to_string()
    }

    /// The map with what is seen on it by the rule of a dialect.
    pub(crate) fn sight(&self, dialect: Dialect) -> Arc<Sight> {
        let rule = match dialect {
            Dialect::V2021 => SightRule::DarkPassages,
            Dialect::V2019 => SightRule::StraightPassages,
        };
        Arc::new(Sight::new(self.map.clone(), rule))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_maps_are_valid_and_reach_the_server_as_they_are_drawn() {
        for (name, text) in OWN {
            assert_eq!(TestMap::named(name).text(), text, "{name}");
        }
    }
}
