//! Divides the map into one plot for each room.

use super::area::Area;
use super::{Blueprint, MapStyle};
use crate::Rng;

/// The smallest plot: a floor of 2x5, its boundary, and rock to dig through.
pub(super) const MIN_PLOT_ROWS: usize = 5;
pub(super) const MIN_PLOT_COLS: usize = 9;

/// The maximum number of rooms of a hall with its chambers.
const MAX_WING_ROOMS: usize = 5;

/// The area for the floor of each room.
pub(super) fn divide(blueprint: Blueprint, rng: &mut Rng) -> Vec<Area> {
    let whole = Area::new(0, 0, blueprint.rows().into(), blueprint.cols().into());
    let mut floors = Vec::new();
    let divider = Divider { style: blueprint.style(), floors: &mut floors, rng };
    divider.divide(whole, blueprint.rooms().into());
    floors
}

/// The area of a plot for the floor: its boundary goes around it, and some rock around that.
pub(super) fn inside(plot: &Area, rock_rows: usize, rock_cols: usize) -> Area {
    let rows = plot.rows - 2 - rock_rows;
    let cols = plot.cols - 2 - rock_cols;
    Area::new(plot.top + 1 + rock_rows / 2, plot.left + 1 + rock_cols / 2, rows, cols)
}

/// A possible cut of a plot in two.
struct PlotCut {
    /// True if columns are divided, false if rows are.
    across: bool,
    /// The number of rooms of the first part.
    first: usize,
    /// The minimum and maximum of rows or columns of the first part.
    low: usize,
    high: usize,
}

impl PlotCut {
    /// All cuts in one direction that leave enough space for all rooms.
    fn all(plot: &Area, rooms: usize, across: bool) -> Vec<Self> {
        let high = plot.rows / MIN_PLOT_ROWS;
        let wide = plot.cols / MIN_PLOT_COLS;
        let (length, min, beside) = if across {
            (plot.cols, MIN_PLOT_COLS, high)
        } else {
            (plot.rows, MIN_PLOT_ROWS, wide)
        };
        let need = |rooms: usize| rooms.div_ceil(beside) * min;
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
    style: MapStyle,
    floors: &'a mut Vec<Area>,
    rng: &'a mut Rng,
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

    /// Caves lie close together; large halls are surrounded by more rock.
    fn inside(&self, plot: &Area) -> Area {
        match self.style {
            MapStyle::CavesOfRooms => inside(plot, 1, 1),
            MapStyle::Halls if plot.rows >= 12 && plot.cols >= 24 => inside(plot, 2, 5),
            MapStyle::Rooms | MapStyle::Halls => inside(plot, 1, 2),
        }
    }

    /// Cuts a plot in two, with the number of rooms of each part. The plot can hold its rooms, and so
    /// can each part.
    fn split(&mut self, plot: &Area, rooms: usize) -> [(Area, usize); 2] {
        // A row is as high as two columns are wide.
        let across = plot.cols > 2 * plot.rows + self.rng.index(plot.rows / 2 + 1);
        let mut cuts = PlotCut::all(plot, rooms, across);
        if cuts.is_empty() {
            cuts = PlotCut::all(plot, rooms, !across);
        }
        let even = |cut: &&PlotCut| (rooms / 3..=rooms - rooms / 3).contains(&cut.first);
        let even: Vec<&PlotCut> = cuts.iter().filter(even).collect();
        let cut = match even.len() {
            0 => &cuts[self.rng.index(cuts.len())],
            some => even[self.rng.index(some)],
        };
        let length = if cut.across { plot.cols } else { plot.rows };
        let fair = length * cut.first / rooms;
        let jitter = length / 6;
        let at = self.rng.between(fair.saturating_sub(jitter), fair + jitter);
        let at = at.clamp(cut.low, cut.high);
        let [one, two] = if cut.across { plot.cut_cols(at) } else { plot.cut_rows(at) };
        [(one, cut.first), (two, rooms - cut.first)]
    }

    /// A hall with chambers along one side, wall to wall.
    fn build_wing(&mut self, plot: &Area, rooms: usize) -> bool {
        if self.style != MapStyle::Halls || rooms > MAX_WING_ROOMS {
            return false;
        }
        let area = self.inside(plot);
        let chambers = rooms - 1;
        let above = area.rows >= 9 && (area.cols + 1) / chambers >= 7;
        let beside = area.cols >= 20 && (area.rows + 1) / chambers >= 4;
        let above = match (above, beside) {
            (false, false) => return false,
            (true, true) => self.rng.once_in(2),
            (above, _) => above,
        };
        let first = self.rng.once_in(2);
        let (strip, hall) = if above {
            let depth = self.rng.between(2, area.rows / 3);
            cut_with_wall(depth, first, area.rows, |at| area.cut_rows(at))
        } else {
            let depth = self.rng.between(5, area.cols / 3);
            cut_with_wall(depth, first, area.cols, |at| area.cut_cols(at))
        };
        self.floors.push(hall);
        for chamber in 0..chambers {
            let (length, start) =
                if above { (strip.cols, strip.left) } else { (strip.rows, strip.top) };
            let edge = |nth: usize| start + (length + 1) * nth / chambers;
            let from = edge(chamber);
            let to = edge(chamber + 1) - 1;
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
