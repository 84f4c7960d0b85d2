//! Everything that is seen from a gridpoint, in the time of what is seen.
//!
//! The plane around the viewer is cut into eight octants. Within one, a line of sight is a slope
//! from 0 to 1: so many gridpoints aside for each one ahead. The sweep walks ahead column by
//! column and keeps the slopes that are still open.
//!
//! - A gridpoint is seen if its slope is open when its column is reached.
//! - In a column, a run of opaque gridpoints `i..=j` at distance `k` closes the slopes from `i/k` to
//!   `j/k`, both included: there the line meets one of them or passes between two.
//! - Two opaque neighbours at `k - 1` and `k` ahead, both `r` aside, close the slopes between `r/k`
//!   and `r/(k - 1)`, both excluded: there the line crosses the row between the two.
//!
//! That is the rule of sight word for word, asked of all lines at once. Fractions are compared by
//! multiplying crosswise, so everything stays in whole numbers.

use std::cmp::Ordering;

use crate::{Map, Point, PointSet, Tile};

/// Adds what is seen from `from` when only room spots are transparent.
pub(super) fn look(map: &Map, from: Point, seen: &mut PointSet) {
    seen.insert(map.index(from));
    for ahead in [(0, 1), (0, -1), (1, 0), (-1, 0)] {
        for side in [1, -1] {
            let aside = (ahead.1 * side, ahead.0 * side);
            Octant { map, from, ahead, aside }.sweep(seen);
        }
    }
}

/// An eighth of the plane around a viewer: `ahead` and `aside` are steps of one row or column.
struct Octant<'a> {
    map: &'a Map,
    from: Point,
    ahead: (i32, i32),
    aside: (i32, i32),
}

impl Octant<'_> {
    fn sweep(&self, seen: &mut PointSet) {
        let mut open = vec![Span { from: Cut::below(0, 1), to: Cut::above(1, 1) }];
        let mut still_open = Vec::new();
        for distance in 1.. {
            if open.is_empty() || self.point(0, distance).is_none() {
                return;
            }
            for span in open.drain(..) {
                self.cross_column(span, distance, seen, &mut still_open);
            }
            std::mem::swap(&mut open, &mut still_open);
        }
    }

    /// Takes one span of slopes through a column: what it meets there is seen, and what remains of
    /// it behind the column is added to `remains`.
    fn cross_column(&self, span: Span, k: u32, seen: &mut PointSet, remains: &mut Vec<Span>) {
        let mut rest = span;
        for i in span.from.times(k)..=span.to.times(k) {
            let (below, above) = (Cut::below(i, k), Cut::above(i, k));
            if span.from <= below
                && above <= span.to
                && let Some(at) = self.point(i, k)
            {
                seen.insert(self.map.index(at));
            }
            if self.is_opaque(i, k) {
                remains.extend(rest.before(below));
                rest = rest.after(self.end_of_shadow(i, k));
            }
        }
        remains.extend(rest.not_empty());
    }

    /// Where the slopes end that the opaque gridpoint `i` aside closes together with its neighbour
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

    /// No line to a gridpoint of the map passes outside of it, so what is there may count as opaque.
    fn is_opaque(&self, aside: u32, ahead: u32) -> bool {
        let tile = self.point(aside, ahead).and_then(|at| self.map.tile(at));
        tile != Some(Tile::Room)
    }

    /// The gridpoint so far aside and ahead, if it is on the map.
    fn point(&self, aside: u32, ahead: u32) -> Option<Point> {
        let (aside, ahead) = (i32::try_from(aside).ok()?, i32::try_from(ahead).ok()?);
        let row = i32::from(self.from.row) + ahead * self.ahead.0 + aside * self.aside.0;
        let col = i32::from(self.from.col) + ahead * self.ahead.1 + aside * self.aside.1;
        let at = Point::new(u16::try_from(row).ok()?, u16::try_from(col).ok()?);
        (at.row < self.map.rows() && at.col < self.map.cols()).then_some(at)
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

/// A place between slopes: just below or just above `rise/run`. So an interval may include its ends
/// or not, and a single slope is an interval too.
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

    /// How far aside the slope is at this distance, rounded down.
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
