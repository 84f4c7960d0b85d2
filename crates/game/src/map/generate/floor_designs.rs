//! Floor designs: one for each style of map.

use super::MapStyle;
use super::area::Area;
use super::floor::Floor;
use crate::Rng;

/// From this attempt on rooms fill their plots, so that small maps get enough spots.
const FILL_FROM_TURN: u32 = 6;

/// A floor for this plot, of the same size, that a boundary can be drawn around.
pub(super) fn design(style: MapStyle, plot: &Area, turn: u32, rng: &mut Rng) -> Floor {
    let mut designer = Designer { plot: *plot, filled: turn >= FILL_FROM_TURN, rng };
    let mut floor = match style {
        MapStyle::Rooms => designer.room(),
        MapStyle::CavesOfRooms => designer.cave(),
        MapStyle::Halls => designer.hall(),
    };
    floor.make_drawable();
    floor
}

struct Designer<'a> {
    plot: Area,
    /// The floor fills the plot.
    filled: bool,
    rng: &'a mut Rng,
}

impl Designer<'_> {
    /// A rectangle somewhere in the plot, with parts cut away.
    fn room(&mut self) -> Floor {
        let max_rows = self.plot.rows;
        let max_cols = self.plot.cols;
        let rows = self.size(max_rows, 2, 60);
        let cols = self.size(max_cols, 5, 60);
        let top = self.rng.between(0, max_rows - rows);
        let left = self.rng.between(0, max_cols - cols);
        let outline = Area::new(top, left, rows, cols);
        let mut floor = Floor::empty(max_rows, max_cols);
        floor.set_all(&outline, true);
        if rows >= 5 && cols >= 10 && self.rng.once_in(3) {
            self.cut_hole(&mut floor, &outline);
        } else if rows >= 4 && cols >= 8 && !self.rng.once_in(5) {
            self.cut_corners(&mut floor, &outline);
        }
        floor
    }

    /// A random length of at least this percentage of the maximum.
    fn size(&mut self, max: usize, min: usize, percent: usize) -> usize {
        let low = if self.filled { max } else { (max * percent / 100).max(min) };
        self.rng.between(low.min(max), max)
    }

    /// A block of rock in the middle, with floor all around.
    fn cut_hole(&mut self, floor: &mut Floor, outline: &Area) {
        let ring = if outline.rows < 7 { 1 } else { 2 };
        let rows = self.rng.between(2, outline.rows - 2 * ring);
        let cols = self.rng.between(3, (outline.cols - 6).min(8 * rows));
        let top = outline.top + self.rng.between(ring, outline.rows - rows - ring);
        let left = outline.left + self.rng.between(3, outline.cols - cols - 3);
        floor.set_all(&Area::new(top, left, rows, cols), false);
    }

    /// Blocks cut from the outline: what is left is an L, T, U, Z or cross.
    fn cut_corners(&mut self, floor: &mut Floor, outline: &Area) {
        let top = outline.top;
        let left = outline.left;
        let rows = self.rng.between(outline.rows / 3, outline.rows / 2).max(2);
        let cols = self.rng.between(outline.cols / 4, outline.cols / 3).max(3);
        let bottom = outline.bottom() - rows;
        let right = outline.right() - cols;
        let middle = self.rng.between(left + 2, right - 2);
        let corners = [(top, left), (top, right), (bottom, left), (bottom, right)];
        let cross_fits = outline.rows >= 2 * rows + 2;
        let cut: Vec<(usize, usize)> = match self.rng.index(if cross_fits { 6 } else { 4 }) {
            0 => vec![corners[self.rng.index(4)]],
            1 => vec![(top, middle)],
            2 => vec![(bottom, middle)],
            3 => corners.into_iter().skip(2 * self.rng.index(2)).take(2).collect(),
            4 => vec![corners[0], corners[3]],
            _ => corners.to_vec(),
        };
        for (top, left) in cut {
            floor.set_all(&Area::new(top, left, rows, cols), false);
        }
    }

    /// A floor grown spot by spot from the middle, then smoothed.
    fn cave(&mut self) -> Floor {
        let rows = self.plot.rows;
        let cols = self.plot.cols;
        let wanted = rows * cols * if self.filled { 95 } else { 68 } / 100;
        let mut floor = self.grow(rows, cols, wanted);
        smooth(&mut floor);
        floor.keep_largest();
        if rows >= 6 && cols >= 12 && self.rng.once_in(2) {
            let top = rows / 2 - self.rng.index(2);
            let left = cols / 2 - self.rng.between(1, 3);
            floor.set_all(&Area::new(top, left, 2, self.rng.between(2, 4)), false);
        }
        floor
    }

    fn grow(&mut self, rows: usize, cols: usize, wanted: usize) -> Floor {
        let mut floor = Floor::empty(rows, cols);
        let mut frontier = vec![(rows / 2, cols / 2)];
        let mut grown = 0;
        while grown < wanted && !frontier.is_empty() {
            let (row, col) = frontier.swap_remove(self.rng.index(frontier.len()));
            if floor.has(row, col) {
                continue;
            }
            floor.set(row, col, true);
            grown += 1;
            frontier.extend((row + 1 < rows).then_some((row + 1, col)));
            frontier.extend((col + 1 < cols).then_some((row, col + 1)));
            frontier.extend(row.checked_sub(1).map(|up| (up, col)));
            frontier.extend(col.checked_sub(1).map(|left| (row, left)));
        }
        floor
    }

    /// The whole plot, with pillars or a block of rock in the middle, and sometimes stepped corners.
    fn hall(&mut self) -> Floor {
        let rows = self.plot.rows;
        let cols = self.plot.cols;
        let mut floor = Floor::full(rows, cols);
        if rows < 7 || cols < 14 {
            return floor;
        }
        if self.rng.once_in(2) {
            self.step_corners(&mut floor);
        }
        if self.rng.once_in(3) {
            self.cut_hole(&mut floor, &Area::new(0, 0, rows, cols));
        } else {
            self.set_pillars(&mut floor);
        }
        floor
    }

    /// Steps in all four corners.
    fn step_corners(&mut self, floor: &mut Floor) {
        let rows = floor.rows();
        let cols = floor.cols();
        let steps = self.rng.between(1, (rows / 4).min(cols / 8));
        for step in 0..steps {
            let width = 2 * (steps - step);
            for row in [step, rows - 1 - step] {
                floor.set_all(&Area::new(row, 0, 1, width), false);
                floor.set_all(&Area::new(row, cols - width, 1, width), false);
            }
        }
    }

    /// Equal pillars in rows, evenly spread.
    fn set_pillars(&mut self, floor: &mut Floor) {
        let rows = floor.rows();
        let cols = floor.cols();
        let width = self.rng.between(2, 4);
        let down = ((rows - 1) / self.rng.between(4, 5)).max(1);
        let across = ((cols - 3) / self.rng.between(7, 11)).max(1);
        for row in 0..down {
            for col in 0..across {
                let top = rows * (2 * row + 1) / (2 * down) - 1;
                let left = (cols * (2 * col + 1) / (2 * across)).saturating_sub(width / 2);
                floor.set_all(&Area::new(top, left, 2, width), false);
            }
        }
    }
}

/// Removes spots with few neighbours and fills gaps with many.
fn smooth(floor: &mut Floor) {
    let before = floor.clone();
    for (row, col) in before.points() {
        match before.neighbours(row, col) {
            0..=2 => floor.set(row, col, false),
            5.. => floor.set(row, col, true),
            _ => {}
        }
    }
}
