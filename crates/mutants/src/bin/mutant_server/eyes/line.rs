//! Lines of sight with the mistakes that are usually made. Only rooms are transparent here.

use nuggets_game::{Map, Point, Tile};

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Of two gridpoints only the one above or to the left counts.
    FloorOnly,
    /// Of two gridpoints only the nearer one counts.
    Nearest,
    /// Columns in between are left out.
    RowsOnly,
    /// Rows in between are left out.
    ColsOnly,
    /// The slope is added up step by step, in floating point.
    FloatSum,
}

/// Where a line crosses a row or column: between these two, or at the first of them.
type Crossing = (i32, i32);

impl Line {
    /// Does a look reach that far? The two ends never block.
    pub(crate) fn reaches(self, map: &Map, from: Point, to: Point) -> bool {
        let (from, to) = ((from.row.into(), from.col.into()), (to.row.into(), to.col.into()));
        let is_open = |row: i32, col: i32| {
            let at = u16::try_from(row).ok().zip(u16::try_from(col).ok());
            at.is_some_and(|(row, col)| map.tile(Point::new(row, col)) == Some(Tile::Room))
        };
        let turned = |(row, col): (i32, i32)| (col, row);
        let rows = self == Self::ColsOnly
            || self
                .crossings(from, to)
                .all(|(row, (one, two))| is_open(row, one) || is_open(row, two));
        rows && (self == Self::RowsOnly
            || self
                .crossings(turned(from), turned(to))
                .all(|(col, (one, two))| is_open(one, col) || is_open(two, col)))
    }

    /// Every row strictly between, with the columns where the line crosses it.
    fn crossings(self, from: (i32, i32), to: (i32, i32)) -> impl Iterator<Item = (i32, Crossing)> {
        let (down, right) = (to.0 - from.0, to.1 - from.1);
        (1..down.abs()).map(move |step| {
            let row = from.0 + step * down.signum();
            (row, self.columns(from.1, right, step, down.abs()))
        })
    }

    fn columns(self, start: i32, right: i32, step: i32, steps: i32) -> Crossing {
        let (whole, part) = ((right * step).div_euclid(steps), (right * step).rem_euclid(steps));
        let floor = start + whole;
        match self {
            Self::FloorOnly => (floor, floor),
            Self::Nearest => {
                let nearer = if 2 * part >= steps { floor + 1 } else { floor };
                (nearer, nearer)
            }
            Self::RowsOnly | Self::ColsOnly => (floor, if part == 0 { floor } else { floor + 1 }),
            Self::FloatSum => summed(start, right, step, steps),
        }
    }
}

/// What adding up the slope comes to.
#[allow(
    clippy::cast_possible_truncation,
    clippy::float_cmp,
    reason = "to trust floating point is the mistake, and maps are small"
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

    /// How many of a thousand looks go wrong.
    fn wrong_per_thousand(line: Line, map: &str) -> usize {
        let map = shipped::find(map).unwrap().map();
        let sight = Sight::new(map.clone(), SightRule::DarkPassages);
        let spots: Vec<Point> = map.spots().into_iter().step_by(5).collect();
        let is_wrong = |from: Point, to: Point| {
            line.reaches(&map, from, to) != sight.from(from).contains(map.index(to))
        };
        let looks = spots.iter().flat_map(|from| map.points().map(move |to| (*from, to)));
        let (wrong, right): (Vec<_>, Vec<_>) = looks.partition(|(from, to)| is_wrong(*from, *to));
        assert!(!wrong.is_empty(), "{line:?} is right");
        1000 * wrong.len() / (wrong.len() + right.len())
    }

    /// A mistake that shows everywhere is no challenge.
    #[test]
    fn every_line_goes_wrong_now_and_then() {
        for (line, map, most) in [
            (Line::FloorOnly, "main", 60),
            (Line::Nearest, "main", 60),
            (Line::RowsOnly, "main", 200),
            (Line::ColsOnly, "main", 200),
            (Line::FloatSum, "hall", 5),
        ] {
            let wrong = wrong_per_thousand(line, map);
            assert!(wrong <= most, "{line:?} goes wrong {wrong} times in a thousand");
        }
    }
}
