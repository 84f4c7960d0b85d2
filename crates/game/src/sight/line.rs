//! The sight rule between two gridpoints, in integers.
//!
//! Take the straight segment between them. Wherever it crosses a column strictly between the two
//! ends, it either meets a gridpoint exactly, which must be transparent, or passes between two
//! neighbours in that column, of which one must be. The same for every row strictly between.
//! The ends themselves never block.
//!
//! The sweep computes the same for all gridpoints at once and much faster; tests compare it with this.

use super::SightRule;
use crate::{Map, Point, Tile};

/// True if `to` is visible from `from`.
pub fn is_visible(map: &Map, rule: SightRule, from: Point, to: Point) -> bool {
    if rule == SightRule::StraightPassages && map.tile(to) == Some(Tile::Rock) {
        return false;
    }
    let transparent = transparent_tiles(rule, from, to);
    let clear = |row: i32, col: i32| {
        let row = u16::try_from(row);
        let col = u16::try_from(col);
        let (Ok(row), Ok(col)) = (row, col) else {
            return false;
        };
        map.tile(Point { row, col }).is_some_and(transparent)
    };
    let from_row = i32::from(from.row);
    let from_col = i32::from(from.col);
    let down = i32::from(to.row) - from_row;
    let right = i32::from(to.col) - from_col;

    crossings_are_clear(right, down, |steps, aside| clear(from_row + aside, from_col + steps))
        && crossings_are_clear(down, right, |steps, aside| {
            clear(from_row + steps, from_col + aside)
        })
}

fn transparent_tiles(rule: SightRule, from: Point, to: Point) -> fn(Tile) -> bool {
    let straight = from.row == to.row || from.col == to.col;
    match rule {
        SightRule::StraightPassages if straight => Tile::is_spot,
        _ => |tile| tile == Tile::Room,
    }
}

/// Walks the lines strictly between the ends, nearest first. After `steps` of all `length` steps
/// the segment is `drift * steps / length` aside; between two gridpoints when that isn't whole.
fn crossings_are_clear(length: i32, drift: i32, clear: impl Fn(i32, i32) -> bool) -> bool {
    (1..length.abs()).all(|distance| {
        let (near, rest) = {
            let aside = drift * distance;
            (aside.div_euclid(length.abs()), aside.rem_euclid(length.abs()))
        };
        let steps = distance * length.signum();
        clear(steps, near) || rest != 0 && clear(steps, near + 1)
    })
}
