//! The cost of one key. A sprint computes the field of view of every spot along its path, so on a map with
//! long runs through wide open ground one key would keep a server busy for minutes.

use super::{Map, Tile, check};
use crate::{Direction, Point};

/// Maximum work of one key, in gridpoints: about as many as are examined in a second. The shipped maps stay below a
/// thousandth of it, an open field of 250x255 below a fifth.
pub(super) const MAX_SPRINT_WORK: u64 = 100_000_000;

/// The longest sprint, by its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LongestSprint {
    /// One end of it.
    pub(super) from: Point,
    /// The other end.
    pub(super) to: Point,
    /// The gridpoints that are examined on the way, at most.
    pub(super) work: u64,
}

/// The sprint with the most work on this map; `None` if there is no spot.
pub(super) fn longest_sprint(map: &Map) -> Option<LongestSprint> {
    let work = work_of_spots(map);
    let (rows, cols) = (i32::from(map.rows()), i32::from(map.cols()));
    let mut longest = None;
    // Every line begins on an edge of the map.
    let lines = (0..rows)
        .flat_map(|row| [(row, 0, 0, 1), (row, 0, 1, 1), (row, 0, -1, 1)])
        .chain((0..cols).flat_map(|col| [(0, col, 1, 0), (0, col, 1, 1), (rows - 1, col, -1, 1)]));
    for (mut row, mut col, down, right) in lines {
        let mut run: Option<LongestSprint> = None;
        while (0..rows).contains(&row) && (0..cols).contains(&col) {
            let at = point(row, col);
            let index = map.index(at);
            run = map.tiles()[index].is_spot().then(|| LongestSprint {
                from: run.map_or(at, |run| run.from),
                to: at,
                work: run.map_or(0, |run| run.work) + work[index],
            });
            let is_longer =
                |run: &LongestSprint| longest.is_none_or(|it: LongestSprint| it.work < run.work);
            if let Some(run) = run.filter(is_longer) {
                longest = Some(run);
            }
            (row, col) = (row + down, col + right);
        }
    }
    longest
}

fn point(row: i32, col: i32) -> Point {
    let number = |it: i32| u16::try_from(it).expect("it is on the map");
    Point::new(number(row), number(col))
}

/// The work of one field of view from each spot: at most all open ground connected to it, a line of
/// sight for each row and column of that ground, and sets of gridpoints.
fn work_of_spots(map: &Map) -> Vec<u64> {
    let sets = map.tiles().len() as u64 / 8 + 1;
    let mut work = vec![sets; map.tiles().len()];
    for ground in check::rooms(map) {
        let seen =
            ground.len() as u64 + 4 * (extent(&ground, |at| at.row) + extent(&ground, |at| at.col));
        for &at in &ground {
            work[map.index(at)] += seen;
            // A passage sees into the rooms beside it.
            let beside = Direction::ALL.into_iter().filter_map(|direction| at.step(direction));
            for passage in beside.filter(|next| map.tile(*next) == Some(Tile::Passage)) {
                let work = &mut work[map.index(passage)];
                *work = (*work).max(sets + seen);
            }
        }
    }
    work
}

/// The rows or columns over which some gridpoints extend.
fn extent(ground: &[Point], number: fn(&Point) -> u16) -> u64 {
    let all = || ground.iter().map(number);
    u64::from(all().max().unwrap_or(0) - all().min().unwrap_or(0)) + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::parse::MapError;
    use crate::shipped;

    fn open(rows: usize, cols: usize) -> Vec<u8> {
        [vec![b'.'; cols], vec![b'\n']].concat().repeat(rows)
    }

    fn parsed(text: &[u8]) -> Map {
        Map::parse(text).unwrap().map
    }

    #[test]
    fn the_shipped_maps_are_far_below_the_limit() {
        for shipped in shipped::ALL {
            let longest = longest_sprint(&shipped.map()).unwrap();
            assert!(longest.work * 100 < MAX_SPRINT_WORK, "{}: {longest:?}", shipped.name);
        }
    }

    #[test]
    fn open_fields_are_accepted_unless_they_are_absurdly_long() {
        for (rows, cols) in [(250, 255), (64, 900), (21, 1500), (1, 4000), (4000, 1)] {
            assert!(Map::parse(&open(rows, cols)).is_ok(), "{rows}x{cols}");
        }
        for (rows, cols) in [(1, 60_000), (2, 30_000), (16, 4000), (30_000, 1), (3000, 20)] {
            let error = Map::parse(&open(rows, cols)).unwrap_err();
            assert!(matches!(error, MapError::TooOpen { .. }), "{rows}x{cols}: {error}");
        }
    }

    #[test]
    fn the_longest_sprint_is_found_in_every_direction() {
        for (drawn, from, to) in [
            (&b"....\n    \n"[..], (0, 0), (0, 3)),
            (b". \n. \n. \n", (0, 0), (2, 0)),
            (b".  \n . \n  .\n", (0, 0), (2, 2)),
            (b"  .\n . \n.  \n", (2, 0), (0, 2)),
            (b"|.#|\n", (0, 1), (0, 2)),
        ] {
            let longest = longest_sprint(&parsed(drawn)).unwrap();
            let point = |(row, col)| Point::new(row, col);
            assert_eq!((longest.from, longest.to), (point(from), point(to)));
        }
        assert_eq!(longest_sprint(&parsed(b"+-+\n")), None);
    }

    #[test]
    fn a_wall_divides_the_open_ground() {
        let one = longest_sprint(&parsed(b".....\n.....\n.....\n")).unwrap().work;
        let two = longest_sprint(&parsed(b".....\n-----\n.....\n")).unwrap().work;
        assert!(two < one, "{two} {one}");
    }
}
