//! Gridpoints of a map.

use std::fmt;

use crate::Direction;

/// A gridpoint: row and column, counted from 0 at the upper left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    /// Rows count downward.
    pub row: u16,
    /// Columns count to the right.
    pub col: u16,
}

impl Point {
    /// The gridpoint at this row and column.
    #[inline]
    pub fn new(row: u16, col: u16) -> Self {
        Self { row, col }
    }

    /// The neighbour in this direction, unless it lies above or left of the grid.
    #[inline]
    pub fn step(self, direction: Direction) -> Option<Self> {
        let (down, right) = direction.offset();
        Some(Self {
            row: self.row.checked_add_signed(down)?,
            col: self.col.checked_add_signed(right)?,
        })
    }

    /// The square of the straight-line distance to another gridpoint.
    #[inline]
    pub fn distance_squared(self, other: Self) -> u32 {
        let down = u32::from(self.row.abs_diff(other.row));
        let right = u32::from(self.col.abs_diff(other.col));
        down.pow(2).saturating_add(right.pow(2))
    }

    /// True if the straight segment to another gridpoint is clear. Wherever it crosses a row or a column strictly
    /// between the two, it either meets a gridpoint exactly, which must be clear, or passes between two neighbours, of
    /// which one must be. The ends themselves never block.
    pub fn has_clear_line(self, to: Self, is_clear: impl Fn(Self) -> bool) -> bool {
        let [row, col, to_row, to_col] = [self.row, self.col, to.row, to.col].map(i64::from);
        let clear = |row: i64, col: i64| {
            let at = u16::try_from(row).ok().zip(u16::try_from(col).ok());
            at.is_some_and(|(row, col)| is_clear(Self { row, col }))
        };
        crossings(to_col - col, to_row - row).all(|(right, low, high)| {
            clear(row + low, col + right) || high != low && clear(row + high, col + right)
        }) && crossings(to_row - row, to_col - col).all(|(down, low, high)| {
            clear(row + down, col + low) || high != low && clear(row + down, col + high)
        })
    }
}

/// Returns every line that a segment of this length crosses strictly between its ends, nearest first, with the two
/// gridpoints on it that it passes between (the same one twice where it meets it): after `n` of all steps it has drifted
/// `drift * n / length` aside.
fn crossings(length: i64, drift: i64) -> impl Iterator<Item = (i64, i64, i64)> {
    let all = length.abs();
    (1..all).map(move |n| {
        let low = (drift * n).div_euclid(all);
        (n * length.signum(), low, low + i64::from((drift * n).rem_euclid(all) != 0))
    })
}

/// Counted from 1, as text editors do.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", u32::from(self.row) + 1, u32::from(self.col) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_step_leaves_the_grid_at_the_top_or_the_left() {
        assert_eq!(Point::new(0, 3).step(Direction::Up), None);
        assert_eq!(Point::new(3, 0).step(Direction::DownLeft), None);
        assert_eq!(Point::new(0, 0).step(Direction::DownRight), Some(Point::new(1, 1)));
    }
}
