//! Visibility, computed for one pair of gridpoints at a time, in integers.

use crate::base_map::BaseMap;
use crate::{ModelSettings, Spot, Year};

/// True if `to` is visible from `from`. Only the base map counts.
pub(crate) fn is_visible(map: &BaseMap, settings: &ModelSettings, from: Spot, to: Spot) -> bool {
    // In the 2019 dialect a blank is never visible.
    if settings.year == Year::Y2019 && map.at(to) == ' ' {
        return false;
    }
    // The vision variant limits the straight-line distance.
    let down = to.0 - from.0;
    let right = to.1 - from.1;
    if settings.vision.is_some_and(|reach| down * down + right * right > reach * reach) {
        return false;
    }
    // Only room spots are transparent; in the 2019 dialect passage spots too, but only along the
    // viewer's own row and column.
    let is_straight = down == 0 || right == 0;
    let passages_too = settings.year == Year::Y2019 && is_straight;
    let is_clear = |point| if passages_too { map.is_spot(point) } else { map.is_room(point) };
    let rows_are_open = is_open((from.0, from.1), (to.0, to.1), |row, col| is_clear((row, col)));
    let cols_are_open = is_open((from.1, from.0), (to.1, to.0), |col, row| is_clear((row, col)));
    rows_are_open && cols_are_open
}

/// True if the segment passes every line strictly between its ends. The first number of each point
/// counts the lines, the second goes along them. Where the segment meets a line, it either hits a
/// gridpoint, which must be clear, or passes between two, one of which must be.
fn is_open(start: (i64, i64), end: (i64, i64), is_clear: impl Fn(i64, i64) -> bool) -> bool {
    let across = end.0 - start.0;
    let along = end.1 - start.1;
    let run = across.abs();
    let between = start.0.min(end.0) + 1..start.0.max(end.0);
    between.into_iter().all(|line| {
        // The segment meets this line at start.1 + rise / run.
        let rise = (line - start.0) * across.signum() * along;
        let before = start.1 + rise.div_euclid(run);
        if rise.rem_euclid(run) == 0 {
            is_clear(line, before)
        } else {
            is_clear(line, before) || is_clear(line, before + 1)
        }
    })
}
