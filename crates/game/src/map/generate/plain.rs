//! The plain map: rows of rectangular rooms with straight passages. It says how many rooms a size
//! can hold, and it is what is drawn should all else fail.

use super::Blueprint;
use super::area::Area;
use super::draft::Draft;
use super::floor::Floor;
use super::plots::{MIN_PLOT_COLS, MIN_PLOT_ROWS, inside};
use crate::{Map, Rules};

/// The most rooms on a map of this size.
pub(super) fn most_rooms(rows: u16, cols: u16) -> u16 {
    let (high, wide) = (usize::from(rows) / MIN_PLOT_ROWS, usize::from(cols) / MIN_PLOT_COLS);
    let most = u16::try_from(high * wide).expect("a map has fewer gridpoints than that");
    // Fewer rooms have fewer walls: once a number fits, every smaller one does.
    (1..=most).rev().find(|&rooms| arrange(rows, cols, rooms).is_some()).unwrap_or(1)
}

/// The blueprint as a plain map.
pub(super) fn draw(blueprint: Blueprint) -> Map {
    let (rows, cols, rooms) = (blueprint.rows(), blueprint.cols(), blueprint.rooms());
    let storeys = arrange(rows, cols, rooms).expect("a blueprint is checked when it is made");
    let mut draft = Draft::blank(blueprint);
    for (room, floor) in (0..).zip(storeys.iter().flatten()) {
        draft.lay(room, floor, &Floor::full(floor.rows, floor.cols));
    }
    draft.raise_walls();
    for storey in &storeys {
        for pair in storey.windows(2) {
            draft.dig_row(pair[0].top, pair[0].right()..pair[1].left);
        }
    }
    for pair in storeys.windows(2) {
        draft.dig_col(pair[0][0].left, pair[0][0].bottom()..pair[1][0].top);
    }
    draft.into_map()
}

/// The floors of so many rooms, row after row: the arrangement with the most room spots, if that
/// is enough of them.
fn arrange(rows: u16, cols: u16, rooms: u16) -> Option<Vec<Vec<Area>>> {
    let (rows, cols, rooms) = (usize::from(rows), usize::from(cols), usize::from(rooms));
    let spots = |storeys: &Vec<Vec<Area>>| -> usize {
        storeys.iter().flatten().map(|floor| floor.rows * floor.cols).sum()
    };
    let all = (1..=rows / MIN_PLOT_ROWS).filter_map(|count| storeys(rows, cols, rooms, count));
    let best = all.max_by_key(spots)?;
    let rules = Rules::default();
    let needed = rules.max_players + rules.max_piles as usize;
    (spots(&best) >= needed).then_some(best)
}

/// The floors in so many rows, as even as can be.
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
