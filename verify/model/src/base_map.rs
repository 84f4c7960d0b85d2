//! The base map: characters on a grid, and nothing that moves.

use crate::Spot;

/// The map without occupants.
#[derive(Clone, Debug)]
pub(crate) struct BaseMap {
    pub(crate) rows: i64,
    pub(crate) cols: i64,
    lines: Vec<Vec<char>>,
}

impl BaseMap {
    /// Parses NR lines of NC characters.
    pub(crate) fn parse(text: &str) -> Self {
        let lines: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
        let count = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
        let cols = lines.iter().map(Vec::len).max().unwrap_or(0);
        Self { rows: count(lines.len()), cols: count(cols), lines }
    }

    /// Returns the character of the map at a gridpoint; solid rock outside.
    pub(crate) fn at(&self, (row, col): Spot) -> char {
        let index = |number: i64| usize::try_from(number).ok();
        let drawn = index(row).and_then(|row| self.lines.get(row)?.get(index(col)?));
        drawn.copied().unwrap_or(' ')
    }

    /// True for a room spot.
    pub(crate) fn is_room(&self, point: Spot) -> bool {
        self.at(point) == '.'
    }

    /// True for a spot of a room or of a passage.
    pub(crate) fn is_spot(&self, point: Spot) -> bool {
        self.is_room(point) || self.at(point) == '#'
    }

    /// Returns all gridpoints, row by row.
    pub(crate) fn points(&self) -> Vec<Spot> {
        let row = |row| (0..self.cols).map(move |col| (row, col));
        (0..self.rows).flat_map(row).collect()
    }
}
