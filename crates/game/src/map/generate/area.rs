//! A rectangle of gridpoints.

use crate::Point;

/// The gridpoint at this row and column, which are on the map.
pub(super) fn point(row: usize, col: usize) -> Point {
    let part = |number: usize| u16::try_from(number).expect("it is on the map");
    Point::new(part(row), part(col))
}

/// A rectangle of rows and columns, given by its upper left gridpoint and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) top: usize,
    pub(super) left: usize,
    pub(super) rows: usize,
    pub(super) cols: usize,
}

impl Area {
    pub(super) fn new(top: usize, left: usize, rows: usize, cols: usize) -> Self {
        Self { top, left, rows, cols }
    }

    /// The first row below it.
    pub(super) fn bottom(&self) -> usize {
        self.top + self.rows
    }

    /// The first column to the right of it.
    pub(super) fn right(&self) -> usize {
        self.left + self.cols
    }

    /// The first rows of it, and the rest.
    pub(super) fn cut_rows(&self, rows: usize) -> [Self; 2] {
        [Self { rows, ..*self }, Self { top: self.top + rows, rows: self.rows - rows, ..*self }]
    }

    /// The first columns of it, and the rest.
    pub(super) fn cut_cols(&self, cols: usize) -> [Self; 2] {
        [Self { cols, ..*self }, Self { left: self.left + cols, cols: self.cols - cols, ..*self }]
    }

    /// The smallest area around both, extended by a margin on every side, within a grid of this size.
    pub(super) fn around(&self, other: &Self, margin: usize, rows: usize, cols: usize) -> Self {
        let top = self.top.min(other.top).saturating_sub(margin);
        let left = self.left.min(other.left).saturating_sub(margin);
        let bottom = (self.bottom().max(other.bottom()) + margin).min(rows);
        let right = (self.right().max(other.right()) + margin).min(cols);
        Self::new(top, left, bottom - top, right - left)
    }

    /// The distance between both as they look on a terminal: a row is as high as two columns.
    pub(super) fn distance(&self, other: &Self) -> usize {
        let gap = |end: usize, start: usize| start.saturating_sub(end);
        let down = gap(self.bottom(), other.top) + gap(other.bottom(), self.top);
        let across = gap(self.right(), other.left) + gap(other.right(), self.left);
        2 * down + across
    }
}
