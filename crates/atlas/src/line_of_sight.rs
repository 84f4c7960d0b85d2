//! Line of sight as a client can infer it: between two gridpoints, as far as the map between them is discovered. The rule of
//! the game is `sight` in `crates/game`.
//!
//! This is the sight rule of the 2021 dialect. Players see more in the 2019 dialect, never less; with
//! a limited vision they see less far, which callers have to allow for.

use crate::{DiscoveredMap, KnownTile, Point};

/// True if the straight line between the two is clear: only room spots don't block it.
///
/// ```
/// use nuggets_atlas::{DiscoveredMap, Point, Scene, has_line_of_sight};
///
/// let mut scene = Scene::default();
/// scene.handle_bytes(b"DISPLAY\n.@..#.\n").unwrap();
/// let mut map = DiscoveredMap::default();
/// map.add_picture(scene.picture().unwrap());
/// assert!(has_line_of_sight(&map, Point::new(0, 1), Point::new(0, 4)));
/// assert!(!has_line_of_sight(&map, Point::new(0, 1), Point::new(0, 5)), "passages are opaque");
/// ```
pub fn has_line_of_sight(map: &DiscoveredMap, from: Point, to: Point) -> bool {
    from.has_clear_line(to, |at| map.tile(at) == KnownTile::Room)
}

#[cfg(test)]
mod tests {
    use nuggets_game::{SightRule, shipped};

    use super::*;
    use crate::scene::tests::picture;

    #[test]
    fn on_a_discovered_map_it_equals_the_sight_rule_of_the_game() {
        for name in ["main", "hole", "maze"] {
            let map = shipped::find(name).unwrap().map();
            let text = map.to_string();
            let mut discovered = DiscoveredMap::default();
            discovered.add_picture(&picture(&text.lines().collect::<Vec<_>>()));
            for from in map.spots().into_iter().step_by(29) {
                for to in map.points() {
                    let rule = nuggets_game::is_visible(&map, SightRule::DarkPassages, from, to);
                    assert_eq!(
                        has_line_of_sight(&discovered, from, to),
                        rule,
                        "{name}: {from} {to}"
                    );
                }
            }
        }
    }
}
