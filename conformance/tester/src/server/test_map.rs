//! The maps that servers are tested on.

use std::sync::Arc;

use nuggets_game::map::check::check;
use nuggets_game::map::parse::MapError;
use nuggets_game::{Map, Rules, Sight, SightRule, shipped};
use nuggets_protocol::Dialect;

/// A map to test on.
#[derive(Clone, Debug)]
pub struct TestMap {
    /// The name in reports.
    pub name: String,
    map: Map,
}

/// Maps drawn for particular checks: a passage along all four edges, a bare room, pillars that block
/// the line of sight, and rooms one spot wide with crooked passages.
const OWN: [(&str, &str); 4] = [
    ("ring", include_str!("test_map/ring.txt")),
    ("yard", include_str!("test_map/yard.txt")),
    ("pillars", include_str!("test_map/pillars.txt")),
    ("zigzag", include_str!("test_map/zigzag.txt")),
];

/// The reason why a map can't be used.
#[derive(Debug, thiserror::Error)]
pub enum TestMapError {
    /// The text can't be read as a map.
    #[error(transparent)]
    Parse(#[from] MapError),
    /// The map breaks a rule.
    #[error("it is not a valid map: `nuggets map check` says what is wrong with it")]
    Invalid,
}

impl TestMap {
    /// Parses a map. It must be valid: the specification doesn't define the behaviour of a server with other maps.
    pub fn new(name: &str, text: &str) -> Result<Self, TestMapError> {
        let map = Map::parse(text.as_bytes())?.map;
        if !check(text.as_bytes(), &Rules::default()).is_valid() {
            return Err(TestMapError::Invalid);
        }
        Ok(Self { name: name.to_owned(), map })
    }

    /// One of the tester's own maps, or one that comes with the game.
    pub(crate) fn named(name: &str) -> Self {
        if let Some((_, text)) = OWN.iter().find(|(own, _)| *own == name) {
            return Self::new(name, text).expect("our own maps are tested to be valid");
        }
        let shipped = shipped::find(name).expect("checks name only maps that exist");
        Self { name: name.to_owned(), map: shipped.map() }
    }

    /// A map of this size: two rooms in opposite corners, and a passage between them.
    pub(crate) fn of_size(rows: usize, cols: usize) -> Self {
        const ROOM: [&[u8]; 7] = [
            b"+-------+",
            b"|.......|",
            b"|.......|",
            b"|.......|",
            b"|.......|",
            b"|.......|",
            b"+-------+",
        ];
        let mut grid = vec![vec![b' '; cols]; rows];
        for (row, col) in [(0, 0), (rows - ROOM.len(), cols - ROOM[0].len())] {
            for (line, cells) in grid[row..].iter_mut().zip(ROOM) {
                line[col..col + cells.len()].copy_from_slice(cells);
            }
        }
        let (across, down) = (3, cols - ROOM[0].len() / 2 - 1);
        grid[across][ROOM[0].len() - 1..=down].fill(b'#');
        for line in &mut grid[across..=rows - ROOM.len()] {
            line[down] = b'#';
        }
        let lines = grid.into_iter().map(|line| String::from_utf8_lossy(&line).into_owned() + "\n");
        Self::new(&format!("{rows}x{cols}"), &lines.collect::<String>())
            .expect("its rooms are large enough and connected")
    }

    /// True if it has more rows than columns.
    pub(crate) fn is_tall(&self) -> bool {
        self.map.rows() > self.map.cols()
    }

    /// The text of its file.
    pub(crate) fn text(&self) -> String {
        self.map.to_string()
    }

    /// The map with the visibility rule of a dialect.
    pub(crate) fn sight(&self, dialect: Dialect) -> Arc<Sight> {
        Arc::new(Sight::new(self.map.clone(), SightRule::of(dialect)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_maps_are_valid_and_reach_the_server_unchanged() {
        for (name, text) in OWN {
            assert_eq!(TestMap::named(name).text(), text, "{name}");
        }
    }

    #[test]
    fn maps_of_any_size_are_valid() {
        for (rows, cols) in [(20, 20), (250, 255), (100, 20)] {
            let map = TestMap::of_size(rows, cols);
            assert_eq!((usize::from(map.map.rows()), usize::from(map.map.cols())), (rows, cols));
            assert_eq!(map.is_tall(), rows > cols);
        }
    }
}
