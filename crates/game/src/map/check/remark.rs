//! What may be as it is, but is seldom meant.

use thiserror::Error;

use super::counted;
use crate::map::text::Text;
use crate::{Direction, Map, Mend, Point, Tile};

/// Something that breaks no rule and that the drawer may want to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Remark {
    /// The file is taken in spite of its form.
    #[error("{0}")]
    Mended(Mend),
    /// The map could be smaller.
    #[error("nothing but rock along the edge: {}", sides(*top, *bottom, *left, *right))]
    RockAlongEdge {
        /// Lines.
        top: usize,
        /// Lines.
        bottom: usize,
        /// Columns.
        left: usize,
        /// Columns.
        right: usize,
    },
    /// A passage to nowhere that may have been meant to enter a room.
    #[error(
        "{at}: a passage ends at this corner; it could enter the room beside it, at '-' or '|'"
    )]
    DeadEndAtCorner {
        /// The corner.
        at: Point,
    },
}

/// All remarks about the endings of lines.
pub(super) fn of_text(text: &Text) -> impl Iterator<Item = Remark> {
    text.mended_endings().into_iter().map(Remark::Mended)
}

/// All remarks about the drawing.
pub(super) fn of_map(map: &Map) -> impl Iterator<Item = Remark> {
    let dead_ends = map.points().filter_map(|at| dead_end_at_corner(map, at));
    rock_along_edge(map).into_iter().chain(dead_ends)
}

fn rock_along_edge(map: &Map) -> Option<Remark> {
    let drawn = |at: &Point| map.tile(*at) != Some(Tile::Rock);
    let rows = || map.points().filter(drawn).map(|at| at.row);
    let cols = || map.points().filter(drawn).map(|at| at.col);
    let (top, left) = (rows().min()?, cols().min()?);
    let (bottom, right) = (map.rows() - 1 - rows().max()?, map.cols() - 1 - cols().max()?);
    let [top, bottom, left, right] = [top, bottom, left, right].map(usize::from);
    (top + bottom + left + right > 0).then_some(Remark::RockAlongEdge { top, bottom, left, right })
}

fn sides(top: usize, bottom: usize, left: usize, right: usize) -> String {
    let sides = [
        (top, "line", "at the top"),
        (bottom, "line", "at the bottom"),
        (left, "column", "on the left"),
        (right, "column", "on the right"),
    ];
    let rocky = sides.into_iter().filter(|(count, ..)| *count > 0);
    let told = rocky.map(|(count, noun, place)| format!("{} {place}", counted(count, noun)));
    told.collect::<Vec<_>>().join(", ")
}

/// The corner that a passage runs straight into and stops at.
fn dead_end_at_corner(map: &Map, at: Point) -> Option<Remark> {
    if map.tile(at) != Some(Tile::Passage) {
        return None;
    }
    let spot = |way: &Direction| map.spot_beside(at, *way).is_some();
    let mut ways = Direction::STRAIGHT.into_iter().filter(spot);
    let (from, None) = (ways.next()?, ways.next()) else { return None };
    let corner = at.step(opposite(from))?;
    (map.tile(corner) == Some(Tile::Corner)).then_some(Remark::DeadEndAtCorner { at: corner })
}

fn opposite(way: Direction) -> Direction {
    let (down, right) = way.offset();
    let turned = Direction::ALL.into_iter().find(|other| other.offset() == (-down, -right));
    turned.expect("the eight ways lie in pairs")
}
