//! The base map: characters on a grid, and nothing that moves.

use std::collections::BTreeMap;

use crate::Spot;

/// The map without occupants.
#[derive(Clone, Debug)]
pub(crate) struct BaseMap {
    pub(crate) rows: i64,
    pub(crate) cols: i64,
    drawn: BTreeMap<Spot, char>,
}

impl BaseMap {
    /// Parses NR lines of NC characters.
    pub(crate) fn parse(text: &str) -> Self {
        let mut map = Self { rows: 0, cols: 0, drawn: BTreeMap::new() };
        for line in text.lines() {
            let mut col = 0;
            for drawn in line.chars() {
                map.drawn.insert((map.rows, col), drawn);
                col += 1;
            }
            map.cols = map.cols.max(col);
            map.rows += 1;
        }
        map
    }

    /// The character of the map at a gridpoint; solid rock outside.
    pub(crate) fn at(&self, point: Spot) -> char {
        self.drawn.get(&point).copied().unwrap_or(' ')
    }

    /// True for a room spot.
    pub(crate) fn is_room(&self, point: Spot) -> bool {
        self.at(point) == '.'
    }

    /// True for a spot of a room or of a passage.
    pub(crate) fn is_spot(&self, point: Spot) -> bool {
        self.is_room(point) || self.at(point) == '#'
    }

    /// All gridpoints, row by row.
    pub(crate) fn points(&self) -> Vec<Spot> {
        let row = |row| (0..self.cols).map(move |col| (row, col));
        (0..self.rows).flat_map(row).collect()
    }
}
