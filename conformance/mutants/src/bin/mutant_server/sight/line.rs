//! Lines of sight with common mistakes. Only room spots are transparent here.

use nuggets_game::{Map, Point, Tile};

use crate::fault::Fault;

/// The crossing of a line with a row or column: between these two gridpoints, or on the gridpoint if they are equal.
type Crossing = (i32, i32);

/// True if the fault is a mistake in the line of sight.
pub(super) fn is_wrong(fault: Fault) -> bool {
    matches!(
        fault,
        Fault::SightRoundsDown
            | Fault::SightRoundsToNearest
            | Fault::SightRowsOnly
            | Fault::SightColsOnly
            | Fault::SightFloatSum
    )
}

/// True if `to` is visible from `from`. The two ends never block.
pub(super) fn reaches(fault: Fault, map: &Map, from: Point, to: Point) -> bool {
    let from = (from.row.into(), from.col.into());
    let to = (to.row.into(), to.col.into());
    let is_open = |row: i32, col: i32| {
        let at = u16::try_from(row).ok().zip(u16::try_from(col).ok());
        at.is_some_and(|(row, col)| map.tile(Point::new(row, col)) == Some(Tile::Room))
    };
    let transposed = |(row, col): (i32, i32)| (col, row);
    let are_rows_open = || {
        crossings(fault, from, to).all(|(row, (one, two))| is_open(row, one) || is_open(row, two))
    };
    let are_cols_open = || {
        crossings(fault, transposed(from), transposed(to))
            .all(|(col, (one, two))| is_open(one, col) || is_open(two, col))
    };
    (fault == Fault::SightColsOnly || are_rows_open())
        && (fault == Fault::SightRowsOnly || are_cols_open())
}

/// Every row strictly between, with the columns where the line crosses it.
fn crossings(
    fault: Fault,
    from: (i32, i32),
    to: (i32, i32),
) -> impl Iterator<Item = (i32, Crossing)> {
    let down = to.0 - from.0;
    let right = to.1 - from.1;
    (1..down.abs()).map(move |step| {
        let row = from.0 + step * down.signum();
        (row, columns(fault, from.1, right, step, down.abs()))
    })
}

/// The columns after `step` of `steps` rows.
fn columns(fault: Fault, start: i32, right: i32, step: i32, steps: i32) -> Crossing {
    let floor = start + (right * step).div_euclid(steps);
    let remainder = (right * step).rem_euclid(steps);
    match fault {
        Fault::SightRoundsDown => (floor, floor),
        Fault::SightRoundsToNearest => {
            let nearest = if 2 * remainder >= steps { floor + 1 } else { floor };
            (nearest, nearest)
        }
        Fault::SightFloatSum => summed(start, right, step, steps),
        _ => (floor, if remainder == 0 { floor } else { floor + 1 }),
    }
}

/// The columns by adding up the slope.
#[expect(
    clippy::cast_possible_truncation,
    clippy::float_cmp,
    reason = "relying on floating point is the fault, and maps are small"
)]
fn summed(start: i32, right: i32, step: i32, steps: i32) -> Crossing {
    let narrow = |number: i32| f32::from(i16::try_from(number).unwrap_or(i16::MAX));
    let slope = narrow(right) / narrow(steps);
    let sum = (0..step).fold(narrow(start), |sum, _| sum + slope);
    let floor = sum.floor() as i32;
    (floor, if narrow(floor) == sum { floor } else { floor + 1 })
}

#[cfg(test)]
mod tests {
    use nuggets_game::{Sight, SightRule, shipped};

    use super::*;

    fn wrong_per_thousand(fault: Fault, map: &str) -> usize {
        let map = shipped::find(map).unwrap().map();
        let sight = Sight::new(map.clone(), SightRule::DarkPassages);
        let spots: Vec<Point> = map.spots().into_iter().step_by(5).collect();
        let is_wrong = |from: Point, to: Point| {
            reaches(fault, &map, from, to) != sight.visible_from(from).contains(map.index(to))
        };
        let pairs = spots.iter().flat_map(|from| map.points().map(move |to| (*from, to)));
        let (wrong, right): (Vec<_>, Vec<_>) = pairs.partition(|(from, to)| is_wrong(*from, *to));
        assert!(!wrong.is_empty(), "{fault} is never wrong");
        1000 * wrong.len() / (wrong.len() + right.len())
    }

    /// A mistake that is visible everywhere would be too easy to find.
    #[test]
    fn every_mistake_is_wrong_only_sometimes() {
        for (fault, map, limit) in [
            (Fault::SightRoundsDown, "main", 60),
            (Fault::SightRoundsToNearest, "main", 60),
            (Fault::SightRowsOnly, "main", 200),
            (Fault::SightColsOnly, "main", 200),
            (Fault::SightFloatSum, "hall", 5),
        ] {
            let wrong = wrong_per_thousand(fault, map);
            assert!(wrong <= limit, "{fault} is wrong {wrong} times in a thousand");
        }
    }
}
