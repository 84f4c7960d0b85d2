//! Dividing the map among its rooms: every room gets a plot of its own, and none is left over.

use super::area::Area;
use super::{Blueprint, Style};
use crate::Chance;

/// The smallest plot: a floor of 2x5, its boundary, and rock to dig through.
pub(super) const MIN_PLOT_ROWS: usize = 5;
pub(super) const MIN_PLOT_COLS: usize = 9;

/// So many rooms at most make one hall and its chambers.
const MOST_IN_A_WING: usize = 5;

/// Where the floor of each room may be.
pub(super) fn divide(blueprint: Blueprint, chance: &mut Chance) -> Vec<Area> {
    let whole = Area::new(0, 0, blueprint.rows().into(), blueprint.cols().into());
    let mut floors = Vec::new();
    let divider = Divider { style: blueprint.style(), floors: &mut floors, chance };
    divider.divide(whole, blueprint.rooms().into());
    floors
}

/// What is left of a plot for the floor: around it goes the boundary, and around that some rock.
pub(super) fn inside(plot: &Area, rock_rows: usize, rock_cols: usize) -> Area {
    let (rows, cols) = (plot.rows - 2 - rock_rows, plot.cols - 2 - rock_cols);
    Area::new(plot.top + 1 + rock_rows / 2, plot.left + 1 + rock_cols / 2, rows, cols)
}

/// A way to cut a plot in two.
struct Cut {
    /// Columns are cut, not rows.
    across: bool,
    /// So many rooms go into the first part.
    first: usize,
    /// The least and the most rows or columns of the first part.
    low: usize,
    high: usize,
}

impl Cut {
    /// All ways in one direction that leave room enough for all rooms.
    fn all(plot: &Area, rooms: usize, across: bool) -> Vec<Self> {
        let (high, wide) = (plot.rows / MIN_PLOT_ROWS, plot.cols / MIN_PLOT_COLS);
        let (length, least, beside) = if across {
            (plot.cols, MIN_PLOT_COLS, high)
        } else {
            (plot.rows, MIN_PLOT_ROWS, wide)
        };
        let need = |rooms: usize| rooms.div_ceil(beside) * least;
        (1..rooms)
            .filter(|&first| need(first) + need(rooms - first) <= length)
            .map(|first| Self {
                across,
                first,
                low: need(first),
                high: length - need(rooms - first),
            })
            .collect()
    }
}

struct Divider<'a> {
    style: Style,
    floors: &'a mut Vec<Area>,
    chance: &'a mut Chance,
}

impl Divider<'_> {
    fn divide(mut self, whole: Area, rooms: usize) {
        let mut waiting = vec![(whole, rooms)];
        while let Some((plot, rooms)) = waiting.pop() {
            if rooms == 1 {
                self.floors.push(self.inside(&plot));
            } else if !self.build_wing(&plot, rooms) {
                waiting.extend(self.split(&plot, rooms));
            }
        }
    }

    /// Caves lie close together; between huge halls there is a lot of rock.
    fn inside(&self, plot: &Area) -> Area {
        match self.style {
            Style::CavesOfRooms => inside(plot, 1, 1),
            Style::Halls if plot.rows >= 12 && plot.cols >= 24 => inside(plot, 2, 5),
            Style::Rooms | Style::Halls => inside(plot, 1, 2),
        }
    }

    /// Cuts a plot in two, and says how many rooms go into each part. The plot can hold its rooms,
    /// and so can each part.
    fn split(&mut self, plot: &Area, rooms: usize) -> [(Area, usize); 2] {
        // A row is as high as two columns are wide.
        let across = plot.cols > 2 * plot.rows + self.chance.index(plot.rows / 2 + 1);
        let mut cuts = Cut::all(plot, rooms, across);
        if cuts.is_empty() {
            cuts = Cut::all(plot, rooms, !across);
        }
        let even = |cut: &&Cut| (rooms / 3..=rooms - rooms / 3).contains(&cut.first);
        let even: Vec<&Cut> = cuts.iter().filter(even).collect();
        let cut = match even.len() {
            0 => &cuts[self.chance.index(cuts.len())],
            some => even[self.chance.index(some)],
        };
        let length = if cut.across { plot.cols } else { plot.rows };
        let (fair, jitter) = (length * cut.first / rooms, length / 6);
        let at = self.chance.between(fair.saturating_sub(jitter), fair + jitter);
        let at = at.clamp(cut.low, cut.high);
        let [one, two] = if cut.across { plot.cut_cols(at) } else { plot.cut_rows(at) };
        [(one, cut.first), (two, rooms - cut.first)]
    }

    /// A hall with chambers along one side, wall to wall.
    fn build_wing(&mut self, plot: &Area, rooms: usize) -> bool {
        if self.style != Style::Halls || rooms > MOST_IN_A_WING {
            return false;
        }
        let (area, chambers) = (self.inside(plot), rooms - 1);
        let above = area.rows >= 9 && (area.cols + 1) / chambers >= 7;
        let beside = area.cols >= 20 && (area.rows + 1) / chambers >= 4;
        let above = match (above, beside) {
            (false, false) => return false,
            (true, true) => self.chance.once_in(2),
            (above, _) => above,
        };
        let first = self.chance.once_in(2);
        let (strip, hall) = if above {
            let depth = self.chance.between(2, area.rows / 3);
            cut_with_wall(depth, first, area.rows, |at| area.cut_rows(at))
        } else {
            let depth = self.chance.between(5, area.cols / 3);
            cut_with_wall(depth, first, area.cols, |at| area.cut_cols(at))
        };
        self.floors.push(hall);
        for chamber in 0..chambers {
            let (length, start) =
                if above { (strip.cols, strip.left) } else { (strip.rows, strip.top) };
            let edge = |nth: usize| start + (length + 1) * nth / chambers;
            let (from, to) = (edge(chamber), edge(chamber + 1) - 1);
            self.floors.push(if above {
                Area { left: from, cols: to - from, ..strip }
            } else {
                Area { top: from, rows: to - from, ..strip }
            });
        }
        true
    }
}

/// A strip of this depth at the start or the end, and the rest beyond a wall.
fn cut_with_wall(
    depth: usize,
    first: bool,
    length: usize,
    cut: impl Fn(usize) -> [Area; 2],
) -> (Area, Area) {
    if first {
        (cut(depth)[0], cut(depth + 1)[1])
    } else {
        (cut(length - depth)[1], cut(length - depth - 1)[0])
    }
}
