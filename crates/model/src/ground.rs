//! The base map: characters on a grid, and nothing that moves.

use std::collections::BTreeMap;

use crate::Spot;

/// The map without occupants.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    pub(crate) rows: i64,
    pub(crate) cols: i64,
    drawn: BTreeMap<Spot, char>,
}

impl Ground {
    /// NR lines of NC characters.
    pub(crate) fn read(text: &str) -> Self {
        let mut ground = Self { rows: 0, cols: 0, drawn: BTreeMap::new() };
        for line in text.lines() {
            let mut col = 0;
            for drawn in line.chars() {
                ground.drawn.insert((ground.rows, col), drawn);
                col += 1;
            }
            ground.cols = ground.cols.max(col);
            ground.rows += 1;
        }
        ground
    }

    /// What the map itself shows there; solid rock where it shows nothing.
    pub(crate) fn at(&self, point: Spot) -> char {
        self.drawn.get(&point).copied().unwrap_or(' ')
    }

    /// Rooms are made of dots.
    pub(crate) fn is_room(&self, point: Spot) -> bool {
        self.at(point) == '.'
    }

    /// A spot is a gridpoint of a room or of a passage.
    pub(crate) fn is_spot(&self, point: Spot) -> bool {
        self.is_room(point) || self.at(point) == '#'
    }

    /// All gridpoints, row by row.
    pub(crate) fn points(&self) -> Vec<Spot> {
        let row = |row| (0..self.cols).map(move |col| (row, col));
        (0..self.rows).flat_map(row).collect()
    }
}
