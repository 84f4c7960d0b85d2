//! Remarks: what is allowed, but seldom intended.

use nuggets_protocol::counted;
use thiserror::Error;

use crate::map::parse::FormDeviation;
use crate::map::sprint_work::{MAX_SPRINT_WORK, longest_sprint};
use crate::map::text::Text;
use crate::{Direction, Map, Point, Tile};

/// An observation that breaks no rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Remark {
    /// The file is accepted in spite of its form.
    #[error("{0}")]
    Repaired(FormDeviation),
    /// The map could be smaller.
    #[error("nothing but rock along the edge: {}", sides(*top, *bottom, *left, *right))]
    RockAlongEdge {
        /// Lines of rock at the top.
        top: usize,
        /// Lines of rock at the bottom.
        bottom: usize,
        /// Columns of rock on the left.
        left: usize,
        /// Columns of rock on the right.
        right: usize,
    },
    /// A dead end that may have been intended to enter a room.
    #[error(
        "{at}: a passage ends at this corner; it could enter the room beside it, at '-' or '|'"
    )]
    DeadEndAtCorner {
        /// The corner.
        at: Point,
    },
    /// Our own server rejects such a map.
    #[error(
        "{from}: one sprint from here to {to} passes so much open ground that the server would be busy for \
         seconds: it rejects this map. Divide that ground with walls"
    )]
    TooOpen {
        /// One end of the sprint.
        from: Point,
        /// The other end.
        to: Point,
    },
}

/// Remarks about the line endings.
pub(super) fn of_text(text: &Text) -> impl Iterator<Item = Remark> {
    text.repaired_endings().into_iter().map(Remark::Repaired)
}

/// Remarks about the drawing.
pub(super) fn of_map(map: &Map) -> impl Iterator<Item = Remark> {
    let dead_ends = map.points().filter_map(|at| dead_end_at_corner(map, at));
    rock_along_edge(map).into_iter().chain(dead_ends).chain(too_open(map))
}

fn too_open(map: &Map) -> Option<Remark> {
    let sprint = longest_sprint(map).filter(|sprint| sprint.work > MAX_SPRINT_WORK)?;
    Some(Remark::TooOpen { from: sprint.from, to: sprint.to })
}

fn rock_along_edge(map: &Map) -> Option<Remark> {
    let drawn = |at: &Point| map.tile(*at) != Some(Tile::Rock);
    let rows = || map.points().filter(drawn).map(|at| at.row);
    let cols = || map.points().filter(drawn).map(|at| at.col);
    let top = rows().min()?;
    let left = cols().min()?;
    let bottom = map.rows() - 1 - rows().max()?;
    let right = map.cols() - 1 - cols().max()?;
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
    let texts = rocky.map(|(count, noun, place)| format!("{} {place}", counted(count, noun)));
    texts.collect::<Vec<_>>().join(", ")
}

/// The corner that a passage runs straight into and ends at.
fn dead_end_at_corner(map: &Map, at: Point) -> Option<Remark> {
    if map.tile(at) != Some(Tile::Passage) {
        return None;
    }
    let is_open = |direction: &Direction| map.spot_beside(at, *direction).is_some();
    let mut open = Direction::STRAIGHT.into_iter().filter(is_open);
    let (from, None) = (open.next()?, open.next()) else { return None };
    let corner = at.step(opposite(from))?;
    (map.tile(corner) == Some(Tile::Corner)).then_some(Remark::DeadEndAtCorner { at: corner })
}

fn opposite(direction: Direction) -> Direction {
    let (down, right) = direction.offset();
    let turned = Direction::ALL.into_iter().find(|other| other.offset() == (-down, -right));
    turned.expect("every direction has an opposite")
}
