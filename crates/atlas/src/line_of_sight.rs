//! Line of sight as a client can infer it: between two gridpoints, as far as the map between them is discovered. The rule of
//! the game is `sight` in `crates/game`.
//!
//! This is the sight rule of the 2021 dialect. Players see more in the 2019 dialect, never less; with
//! a limited vision they see less far, which callers have to allow for.

use crate::{DiscoveredMap, KnownTile, Point};

/// True if the straight line between the two is clear. At every row and column that it crosses
/// strictly between them it must hit a room spot exactly, or pass between two gridpoints of which at
/// least one is a room spot.
///
/// ```
/// use nuggets_atlas::{DiscoveredMap, Point, Scene, has_line_of_sight};
/// use nuggets_protocol::ServerMessage;
///
/// let mut scene = Scene::default();
/// scene.handle_message(&ServerMessage::parse(b"DISPLAY\n.@..#.\n").unwrap()).unwrap();
/// let mut map = DiscoveredMap::default();
/// map.add_picture(scene.picture().unwrap());
/// assert!(has_line_of_sight(&map, Point::new(0, 1), Point::new(0, 4)));
/// assert!(!has_line_of_sight(&map, Point::new(0, 1), Point::new(0, 5)), "passages are opaque");
/// ```
pub fn has_line_of_sight(map: &DiscoveredMap, from: Point, to: Point) -> bool {
    is_line_clear(from, to, |at| map.tile(at) == KnownTile::Room)
}

/// Like [`has_line_of_sight`], with a custom definition of the gridpoints that don't block it.
pub(crate) fn is_line_clear(from: Point, to: Point, is_clear: impl Fn(Point) -> bool) -> bool {
    let [from_row, from_col, to_row, to_col] = [from.row, from.col, to.row, to.col].map(i64::from);
    let clear = |row: i64, col: i64| {
        let at = u16::try_from(row).ok().zip(u16::try_from(col).ok());
        at.is_some_and(|(row, col)| is_clear(Point { row, col }))
    };
    let mut columns = crossings(from_col, to_col, from_row, to_row);
    let mut rows = crossings(from_row, to_row, from_col, to_col);
    columns.all(|(col, low, high)| clear(low, col) || clear(high, col))
        && rows.all(|(row, low, high)| clear(row, low) || clear(row, high))
}

/// Returns every row and column strictly between `from` and `to`, each with the two gridpoints on it that the segment
/// passes between (the same one twice where the segment hits it).
fn crossings(
    from: i64,
    to: i64,
    across_from: i64,
    across_to: i64,
) -> impl Iterator<Item = (i64, i64, i64)> {
    let length = (to - from).abs();
    let rise = across_to - across_from;
    let step = (to - from).signum();
    let crossing = move |n: i64| {
        let low = across_from + (rise * n).div_euclid(length);
        let high = low + i64::from((rise * n).rem_euclid(length) != 0);
        (from + step * n, low, high)
    };
    (1..length).map(crossing)
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
