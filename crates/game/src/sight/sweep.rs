//! The line of sight sweep: everything visible from a gridpoint, in time proportional to it.
//!
//! The plane around the viewer is cut into eight octants. Within one, a line of sight is a slope
//! from 0 to 1: the number of gridpoints aside for each one ahead. The sweep goes ahead column by
//! column and keeps the slopes that are still open.
//!
//! - A gridpoint is visible if its slope is open when its column is reached.
//! - In a column, a run of opaque gridpoints `i..=j` at distance `k` closes the slopes from `i/k` to
//!   `j/k`, both included: there the line meets one of them or passes between two.
//! - Two opaque neighbours at `k - 1` and `k` ahead, both `r` aside, close the slopes between `r/k`
//!   and `r/(k - 1)`, both excluded: there the line crosses the row between the two.
//!
//! That is the sight rule word for word, applied to all lines at once. Fractions are compared by
//! cross-multiplication, so everything stays in integers.

use std::cmp::Ordering;

use crate::{Map, Point, PointSet, Tile};

/// Adds what is visible from `from` when only room spots are transparent.
pub(super) fn sweep(map: &Map, from: Point, seen: &mut PointSet) {
    seen.insert(map.index(from));
    let up = u32::from(from.row);
    let down = u32::from(map.rows() - 1 - from.row);
    let left = u32::from(from.col);
    let right = u32::from(map.cols() - 1 - from.col);
    let row = usize::from(map.cols());
    let rows = [Axis { step: row.wrapping_neg(), room: up }, Axis { step: row, room: down }];
    let cols = [Axis { step: usize::MAX, room: left }, Axis { step: 1, room: right }];
    let tiles = map.tiles();
    let origin = map.index(from);
    for (ahead, aside) in [(rows, cols), (cols, rows)] {
        for ahead in ahead {
            for aside in aside {
                Octant { tiles, origin, ahead, aside }.sweep(seen);
            }
        }
    }
}

/// A half-axis from the viewer: the index distance of neighbours on it among the tiles (backward by
/// wrapping around), and the number of gridpoints up to the edge of the map.
#[derive(Clone, Copy)]
struct Axis {
    step: usize,
    room: u32,
}

/// An eighth of the plane around a viewer: everything at least as far ahead as aside.
struct Octant<'a> {
    tiles: &'a [Tile],
    origin: usize,
    ahead: Axis,
    aside: Axis,
}

impl Octant<'_> {
    fn sweep(&self, seen: &mut PointSet) {
        let mut open = vec![Span { from: Cut::below(0, 1), to: Cut::above(1, 1) }];
        let mut still_open = Vec::new();
        for distance in 1..=self.ahead.room {
            for span in open.drain(..) {
                self.cross_column(span, distance, seen, &mut still_open);
            }
            std::mem::swap(&mut open, &mut still_open);
            if open.is_empty() {
                return;
            }
        }
    }

    /// Takes one span of slopes through a column: the gridpoints that it hits there are visible, and the parts of
    /// the span that continue beyond the column are added to `remains`.
    fn cross_column(&self, span: Span, k: u32, seen: &mut PointSet, remains: &mut Vec<Span>) {
        let mut rest = span;
        let first = span.from.times(k);
        let last = span.to.times(k);
        let lowest = if span.from <= Cut::below(first, k) { first } else { first + 1 };
        let beyond = if Cut::above(last, k) <= span.to { last + 1 } else { last };
        let mut at = self.index(first, k);
        for i in first..=last.min(self.aside.room) {
            if (lowest..beyond).contains(&i) {
                seen.insert(at);
            }
            if self.tiles[at] != Tile::Room {
                remains.extend(rest.before(Cut::below(i, k)));
                rest = rest.after(self.end_of_shadow(i, k));
            }
            at = at.wrapping_add(self.aside.step);
        }
        // No line to a gridpoint of the map passes outside of it.
        if last > self.aside.room {
            rest = Span { to: rest.to.min(Cut::below(self.aside.room + 1, k)), ..rest };
        }
        remains.extend(rest.not_empty());
    }

    /// The end of the slopes that the opaque gridpoint `i` aside closes together with its neighbour
    /// in the column, or else with the one before it in the row.
    fn end_of_shadow(&self, i: u32, k: u32) -> Cut {
        if self.is_opaque(i + 1, k) {
            Cut::below(i + 1, k)
        } else if (1..k).contains(&i) && self.is_opaque(i, k - 1) {
            Cut::below(i, k - 1)
        } else {
            Cut::above(i, k)
        }
    }

    /// Outside of the map counts as opaque.
    fn is_opaque(&self, aside: u32, ahead: u32) -> bool {
        aside > self.aside.room || self.tiles[self.index(aside, ahead)] != Tile::Room
    }

    /// The index of the tile this far aside and ahead.
    fn index(&self, aside: u32, ahead: u32) -> usize {
        let ahead = self.ahead.step.wrapping_mul(ahead as usize);
        self.origin.wrapping_add(ahead).wrapping_add(self.aside.step.wrapping_mul(aside as usize))
    }
}

/// All slopes between two cuts. It is empty if they are in the wrong order.
#[derive(Clone, Copy)]
struct Span {
    from: Cut,
    to: Cut,
}

impl Span {
    fn not_empty(self) -> Option<Self> {
        (self.from < self.to).then_some(self)
    }

    fn before(self, cut: Cut) -> Option<Self> {
        Self { to: self.to.min(cut), ..self }.not_empty()
    }

    fn after(self, cut: Cut) -> Self {
        Self { from: self.from.max(cut), ..self }
    }
}

/// A place between slopes: just below or just above `rise/run`. So an interval may include or exclude
/// its ends, and a single slope is an interval too.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Cut {
    rise: u32,
    run: u32,
    side: Side,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Below,
    Above,
}

impl Cut {
    fn below(rise: u32, run: u32) -> Self {
        Self { rise, run, side: Side::Below }
    }

    fn above(rise: u32, run: u32) -> Self {
        Self { rise, run, side: Side::Above }
    }

    /// The gridpoints aside at this distance, rounded down.
    fn times(self, distance: u32) -> u32 {
        let aside = u64::from(self.rise) * u64::from(distance) / u64::from(self.run);
        u32::try_from(aside).expect("no slope is above 1")
    }
}

impl Ord for Cut {
    fn cmp(&self, other: &Self) -> Ordering {
        let mine = u64::from(self.rise) * u64::from(other.run);
        let theirs = u64::from(other.rise) * u64::from(self.run);
        mine.cmp(&theirs).then(self.side.cmp(&other.side))
    }
}

impl PartialOrd for Cut {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
