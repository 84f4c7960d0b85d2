//! The plain map: rows of rectangular rooms with straight passages. It determines how many rooms a
//! size can hold, and it is the fallback if all attempts at another map fail.

use super::Blueprint;
use super::area::{Area, point};
use super::draft::Draft;
use super::floor::Floor;
use super::plots::{MIN_PLOT_COLS, MIN_PLOT_ROWS, inside};
use crate::{Map, Rules};

/// The maximum number of rooms on a map of this size.
pub(super) fn max_rooms(rows: u16, cols: u16) -> u16 {
    let high = usize::from(rows) / MIN_PLOT_ROWS;
    let wide = usize::from(cols) / MIN_PLOT_COLS;
    let max = u16::try_from(high * wide).expect("a map has fewer gridpoints than that");
    // Fewer rooms have fewer walls: once a number fits, every smaller one does.
    (1..=max).rev().find(|&rooms| arrange(rows, cols, rooms).is_some()).unwrap_or(1)
}

/// Draws a plain map for the blueprint.
pub(super) fn draw(blueprint: Blueprint) -> Map {
    let rows = blueprint.rows();
    let cols = blueprint.cols();
    let rooms = blueprint.rooms();
    let storeys = arrange(rows, cols, rooms).expect("a blueprint is checked when it is made");
    let mut draft = Draft::blank(blueprint);
    for (room, floor) in (0..).zip(storeys.iter().flatten()) {
        draft.lay(room, floor, &Floor::full(floor.rows, floor.cols));
    }
    draft.raise_walls();
    for storey in &storeys {
        for pair in storey.windows(2) {
            draft.dig((pair[0].right()..pair[1].left).map(|col| point(pair[0].top, col)), 0);
        }
    }
    for pair in storeys.windows(2) {
        let [above, below] = [&pair[0][0], &pair[1][0]];
        draft.dig((above.bottom()..below.top).map(|row| point(row, above.left)), 0);
    }
    draft.map
}

/// The floors of the rooms, row after row: the arrangement with the most room spots, if that is
/// enough of them.
fn arrange(rows: u16, cols: u16, rooms: u16) -> Option<Vec<Vec<Area>>> {
    let rows = usize::from(rows);
    let cols = usize::from(cols);
    let rooms = usize::from(rooms);
    let spots = |storeys: &Vec<Vec<Area>>| -> usize {
        storeys.iter().flatten().map(|floor| floor.rows * floor.cols).sum()
    };
    let all = (1..=rows / MIN_PLOT_ROWS).filter_map(|count| storeys(rows, cols, rooms, count));
    let best = all.max_by_key(spots)?;
    let rules = Rules::default();
    let needed = rules.max_players + rules.max_piles as usize;
    (spots(&best) >= needed).then_some(best)
}

/// The floors in `count` rows of rooms of nearly equal length.
fn storeys(rows: usize, cols: usize, rooms: usize, count: usize) -> Option<Vec<Vec<Area>>> {
    let high = rows / count;
    (0..count)
        .map(|storey| {
            let here = rooms * (storey + 1) / count - rooms * storey / count;
            let wide = cols.checked_div(here)?;
            let plot = |room| Area::new(storey * high, room * wide, high, wide);
            (wide >= MIN_PLOT_COLS)
                .then(|| (0..here).map(|room| inside(&plot(room), 1, 2)).collect())
        })
        .collect()
}
