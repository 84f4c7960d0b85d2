//! The size of a picture, and the indices of its gridpoints.

use crate::{Direction, Point};

/// Rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Number of rows.
    pub rows: u16,
    /// Number of columns.
    pub cols: u16,
}

impl Size {
    /// The number of gridpoints.
    pub fn area(self) -> usize {
        usize::from(self.rows) * usize::from(self.cols)
    }

    /// The index of a gridpoint, counted row after row.
    pub fn index(self, at: Point) -> usize {
        debug_assert!(at.row < self.rows && at.col < self.cols, "{at:?} is outside {self:?}");
        usize::from(at.row) * usize::from(self.cols) + usize::from(at.col)
    }

    /// The gridpoint with this index.
    pub fn point(self, index: usize) -> Point {
        let cols = usize::from(self.cols);
        let part = |n: usize| u16::try_from(n).expect("the index lies within the picture");
        Point { row: part(index / cols), col: part(index % cols) }
    }

    /// The neighbour in this direction, if it lies inside.
    pub fn beside(self, at: Point, direction: Direction) -> Option<Point> {
        at.step(direction).filter(|next| next.row < self.rows && next.col < self.cols)
    }
}
