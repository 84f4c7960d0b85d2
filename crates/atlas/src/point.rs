//! Where things are in a picture.

use crate::Direction;

/// A gridpoint: row and column, counted from 0 at the upper left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    /// Rows count downward.
    pub row: u16,
    /// Columns count to the right.
    pub col: u16,
}

/// Rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Number of rows.
    pub rows: u16,
    /// Number of columns.
    pub cols: u16,
}

impl Point {
    /// The gridpoint at this row and column.
    pub fn new(row: u16, col: u16) -> Self {
        Self { row, col }
    }

    /// The square of the straight distance to another gridpoint.
    pub fn distance_squared(self, other: Self) -> u32 {
        let (down, right) = (self.row.abs_diff(other.row), self.col.abs_diff(other.col));
        let (down, right) = (u32::from(down), u32::from(right));
        down.pow(2).saturating_add(right.pow(2))
    }
}

impl Size {
    /// How many gridpoints there are.
    pub fn area(self) -> usize {
        usize::from(self.rows) * usize::from(self.cols)
    }

    /// Where a gridpoint stands, row after row.
    pub fn index(self, at: Point) -> usize {
        debug_assert!(at.row < self.rows && at.col < self.cols, "{at:?} is outside {self:?}");
        usize::from(at.row) * usize::from(self.cols) + usize::from(at.col)
    }

    /// The gridpoint that stands there.
    pub fn point(self, index: usize) -> Point {
        let cols = usize::from(self.cols);
        let part = |n: usize| u16::try_from(n).expect("it lies within the picture");
        Point { row: part(index / cols), col: part(index % cols) }
    }

    /// The neighbour in this direction, if it lies inside.
    pub fn beside(self, at: Point, way: Direction) -> Option<Point> {
        let (down, right) = way.offset();
        let row = at.row.checked_add_signed(down).filter(|&row| row < self.rows)?;
        let col = at.col.checked_add_signed(right).filter(|&col| col < self.cols)?;
        Some(Point { row, col })
    }
}
