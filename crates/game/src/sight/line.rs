//! The sight rule between two gridpoints: the straight segment between them is clear.
//!
//! The sweep computes the same for all gridpoints at once and much faster; tests compare it with this.

use super::SightRule;
use crate::{Map, Point, Tile};

/// True if `to` is visible from `from`.
pub fn is_visible(map: &Map, rule: SightRule, from: Point, to: Point) -> bool {
    if rule == SightRule::StraightPassages && map.tile(to) == Some(Tile::Rock) {
        return false;
    }
    let straight = from.row == to.row || from.col == to.col;
    let transparent = match rule {
        SightRule::StraightPassages if straight => Tile::is_spot,
        _ => |tile| tile == Tile::Room,
    };
    from.has_clear_line(to, |at| map.tile(at).is_some_and(transparent))
}
