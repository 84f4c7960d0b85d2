//! Whether one gridpoint is in sight of another, as far as the ground between them is known.
//!
//! This is the rule of sight of the 2021 dialect. In 2019 players see a little more, never less. A
//! server may let them see less far: whoever asks should reckon with it.

use crate::{Ground, Kind, Point};

/// Is the straight line between the two clear? Every row and column that it crosses strictly between
/// them must let it through: on a gridpoint exactly that must be a room spot, or else one of the two
/// that it passes between.
///
/// ```
/// use nuggets_atlas::{Ground, Point, Scene, is_in_sight};
/// use nuggets_protocol::ServerMessage;
///
/// let mut scene = Scene::default();
/// scene.take(&ServerMessage::parse(b"DISPLAY\n.@..#.\n").unwrap()).unwrap();
/// let mut ground = Ground::default();
/// ground.take(scene.picture().unwrap());
/// assert!(is_in_sight(&ground, Point::new(0, 1), Point::new(0, 4)));
/// assert!(!is_in_sight(&ground, Point::new(0, 1), Point::new(0, 5)), "passages are dark");
/// ```
pub fn is_in_sight(ground: &Ground, from: Point, to: Point) -> bool {
    let [from_row, from_col, to_row, to_col] = [from.row, from.col, to.row, to.col].map(i64::from);
    let clear = |row: i64, col: i64| {
        let at = u16::try_from(row).ok().zip(u16::try_from(col).ok());
        at.is_some_and(|(row, col)| ground.kind(Point { row, col }) == Kind::Room)
    };
    let mut columns = crossings(from_col, to_col, from_row, to_row);
    let mut rows = crossings(from_row, to_row, from_col, to_col);
    columns.all(|(col, low, high)| clear(low, col) || clear(high, col))
        && rows.all(|(row, low, high)| clear(row, low) || clear(row, high))
}

/// For every line strictly between `from` and `to`: the line, and the two gridpoints across it that
/// the segment passes between (twice the same one where it hits it).
fn crossings(
    from: i64,
    to: i64,
    across_from: i64,
    across_to: i64,
) -> impl Iterator<Item = (i64, i64, i64)> {
    let (length, rise) = ((to - from).abs(), across_to - across_from);
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
    fn on_ground_that_is_known_it_is_the_rule_of_the_game() {
        for name in ["main", "hole", "maze"] {
            let map = shipped::find(name).unwrap().map();
            let text = map.to_string();
            let mut ground = Ground::default();
            ground.take(&picture(&text.lines().collect::<Vec<_>>()));
            for from in map.spots().into_iter().step_by(29) {
                for to in map.points() {
                    let rule = nuggets_game::is_visible(&map, SightRule::DarkPassages, from, to);
                    let [here, there] = [from, to].map(|at| Point::new(at.row, at.col));
                    assert_eq!(is_in_sight(&ground, here, there), rule, "{name}: {from} {to}");
                }
            }
        }
    }
}
