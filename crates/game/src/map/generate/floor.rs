//! The floor of one room: which gridpoints of its plot are room spots.

use super::area::Area;

/// A floor, not yet placed on the map. There is no floor beyond its edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Floor {
    rows: usize,
    cols: usize,
    spots: Vec<bool>,
}

impl Floor {
    pub(super) fn empty(rows: usize, cols: usize) -> Self {
        Self { rows, cols, spots: vec![false; rows * cols] }
    }

    pub(super) fn full(rows: usize, cols: usize) -> Self {
        Self { rows, cols, spots: vec![true; rows * cols] }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn cols(&self) -> usize {
        self.cols
    }

    pub(super) fn has(&self, row: usize, col: usize) -> bool {
        self.spots[row * self.cols + col]
    }

    pub(super) fn set(&mut self, row: usize, col: usize, spot: bool) {
        self.spots[row * self.cols + col] = spot;
    }

    /// Sets all gridpoints of a rectangle.
    pub(super) fn set_all(&mut self, area: &Area, spot: bool) {
        for row in area.top..area.bottom() {
            self.spots[row * self.cols..][area.left..area.right()].fill(spot);
        }
    }

    pub(super) fn points(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let cols = self.cols;
        (0..self.rows).flat_map(move |row| (0..cols).map(move |col| (row, col)))
    }

    /// The number of spots among the eight neighbours.
    pub(super) fn neighbours(&self, row: usize, col: usize) -> usize {
        let near = |at: usize| at.saturating_sub(1)..at + 2;
        let all = near(row).flat_map(|r| near(col).map(move |c| (r, c)));
        all.filter(|&(r, c)| (r, c) != (row, col) && self.reaches(r, c)).count()
    }

    fn reaches(&self, row: usize, col: usize) -> bool {
        row < self.rows && col < self.cols && self.has(row, col)
    }

    /// Keeps the largest part that is connected by straight steps.
    pub(super) fn keep_largest(&mut self) {
        let mut left = self.clone();
        let mut best: Vec<(usize, usize)> = Vec::new();
        for start in self.points() {
            let part = left.take_part(start);
            if part.len() > best.len() {
                best = part;
            }
        }
        self.spots.fill(false);
        for (row, col) in best {
            self.set(row, col, true);
        }
    }

    fn take_part(&mut self, start: (usize, usize)) -> Vec<(usize, usize)> {
        let mut frontier = vec![start];
        let mut part = Vec::new();
        while let Some((row, col)) = frontier.pop() {
            if self.reaches(row, col) {
                self.set(row, col, false);
                part.push((row, col));
                frontier.extend([(row + 1, col), (row, col + 1)]);
                frontier.extend(row.checked_sub(1).map(|up| (up, col)));
                frontier.extend(col.checked_sub(1).map(|left| (row, left)));
            }
        }
        part
    }

    /// Adds floor until a boundary can be drawn around it: gaps must be two wide everywhere (a wall
    /// needs two corners to end or turn), and floor must not touch floor at a corner only.
    pub(super) fn make_drawable(&mut self) {
        while self.fill(Self::is_thin) || self.fill(Self::separates_corners) {}
    }

    /// Adds floor to every gap where `is_wrong` holds; false if there was none.
    fn fill(&mut self, is_wrong: impl Fn(&Self, usize, usize) -> bool) -> bool {
        let mut filled = false;
        for (row, col) in self.points() {
            if !self.has(row, col) && is_wrong(self, row, col) {
                self.set(row, col, true);
                filled = true;
            }
        }
        filled
    }

    /// True if this gridpoint is in no two by two block without floor.
    fn is_thin(&self, row: usize, col: usize) -> bool {
        // Shifted by one, so that indices before the first exist.
        let blank = |r: usize, c: usize| r == 0 || c == 0 || !self.reaches(r - 1, c - 1);
        let block = |r: usize, c: usize| {
            blank(r, c) && blank(r + 1, c) && blank(r, c + 1) && blank(r + 1, c + 1)
        };
        !(block(row, col) || block(row, col + 1) || block(row + 1, col) || block(row + 1, col + 1))
    }

    /// True if this gridpoint is beside two floors that touch at a corner only.
    fn separates_corners(&self, row: usize, col: usize) -> bool {
        let touch = |beside: usize| {
            self.reaches(row, beside)
                && self.reaches(row + 1, col)
                && !self.reaches(row + 1, beside)
        };
        touch(col + 1) || col.checked_sub(1).is_some_and(touch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drawn with `.` for floor.
    fn check_drawable(before: &[&str], after: &[&str]) {
        let mut floor = Floor::empty(before.len(), before[0].len());
        for (row, col) in floor.points() {
            floor.set(row, col, before[row].as_bytes()[col] == b'.');
        }
        floor.make_drawable();
        let symbol = |row, col| if floor.has(row, col) { '.' } else { ' ' };
        let line = |row| (0..floor.cols()).map(|col| symbol(row, col)).collect::<String>();
        assert_eq!((0..floor.rows()).map(line).collect::<Vec<_>>(), after);
    }

    #[test]
    fn a_pillar_is_at_least_two_by_two() {
        check_drawable(&["......", ". ..  ", "......"], &["......", "......", "......"]);
        check_drawable(&["....", ".  .", ".  .", "...."], &["....", ".  .", ".  .", "...."]);
    }

    #[test]
    fn a_notch_is_two_wide_but_corners_may_be_blunt() {
        check_drawable(&[". ..", ". ..", "...."], &["....", "....", "...."]);
        check_drawable(&[" .. ", "....", " .. "], &[" .. ", "....", " .. "]);
    }

    #[test]
    fn floors_do_not_touch_at_a_corner() {
        check_drawable(
            &["...  ", "...  ", "   ..", "   .."],
            &["...  ", ".... ", "   ..", "   .."],
        );
    }

    #[test]
    fn only_the_largest_part_is_kept() {
        let mut floor = Floor::full(3, 7);
        floor.set_all(&Area::new(0, 2, 3, 2), false);
        floor.keep_largest();
        assert!(floor.points().all(|(row, col)| floor.has(row, col) == (col > 3)));
    }
}
