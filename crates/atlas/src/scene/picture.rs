//! A picture of the map, as a `DISPLAY` message shows it.

use super::display_size::lines;
use super::own_position::OwnPosition;
use crate::{Point, Size};

/// A picture of the map: printable ASCII in rows of equal length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    cells: Vec<u8>,
    size: Size,
    you: Option<Point>,
    /// Every `@`, row after row. A correct server draws at most one.
    at_signs: Vec<Point>,
}

impl Picture {
    /// Reads a text into a picture of this size: missing cells are blank, excess cells are cut. The last picture and
    /// key identify our `@`. Some servers draw us by our letter, which is then replaced by `@`. Reuses the memory of
    /// the last picture.
    pub(super) fn read(
        text: &[u8],
        size: Size,
        last: Option<Self>,
        letter: Option<char>,
        own: &mut OwnPosition,
    ) -> Self {
        let has_changed =
            last.as_ref().is_none_or(|last| last.at_signs.len() < 2 || !last.shows(text));
        let last_size = last.as_ref().map(Self::size);
        let (mut cells, before) = match last {
            Some(last) => (last.cells, last.you.map(|you| (you, last.at_signs))),
            None => (vec![], None),
        };
        cells.clear();
        for (row, line) in (1..=usize::from(size.rows)).zip(lines(text)) {
            cells.extend(line.iter().take(size.cols.into()).map(|&byte| clean_byte(byte)));
            cells.resize(row * usize::from(size.cols), b' ');
        }
        cells.resize(size.area(), b' ');
        if let Some(letter) = letter.filter(|_| !cells.contains(&b'@')) {
            replace_only(&mut cells, letter, b'@');
        }
        let mut picture = Self { cells, size, you: None, at_signs: vec![] };
        picture.at_signs = picture.points_of(|cell| cell == b'@').collect();
        picture.you = own.find(&picture, before.filter(|_| last_size == Some(size)), has_changed);
        picture
    }

    /// True if the text shows this same picture.
    fn shows(&self, text: &[u8]) -> bool {
        let mut lines = lines(text);
        self.rows().all(|row| {
            let line = lines.next().unwrap_or_default().iter().map(|&byte| clean_byte(byte));
            row.iter().copied().eq(line.chain(std::iter::repeat(b' ')).take(row.len()))
        })
    }

    /// The number of rows and columns.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Every cell, row after row.
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// The cell at a gridpoint; a blank outside.
    pub fn cell(&self, at: Point) -> u8 {
        let inside = at.row < self.size.rows && at.col < self.size.cols;
        if inside { self.cells[self.size.index(at)] } else { b' ' }
    }

    /// The gridpoints whose cell is wanted, row after row.
    pub fn points_of(&self, is_wanted: impl Fn(u8) -> bool) -> impl Iterator<Item = Point> {
        let cells = self.cells.iter().enumerate().filter(move |(_, cell)| is_wanted(**cell));
        cells.map(|(index, _)| self.size.point(index))
    }

    /// The rows from top to bottom.
    pub fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.cells.chunks(usize::from(self.size.cols))
    }

    /// Returns the gridpoint of our `@`. If there are several, it is the one that the last key can have led to.
    pub fn you(&self) -> Option<Point> {
        self.you
    }

    /// Every gridpoint with an `@`, row after row.
    pub(super) fn at_signs(&self) -> &[Point] {
        &self.at_signs
    }
}

/// Replaces a letter if it is there exactly once.
fn replace_only(cells: &mut [u8], letter: char, by: u8) {
    let mut found = cells.iter_mut().filter(|cell| char::from(**cell) == letter);
    if let (Some(cell), None) = (found.next(), found.next()) {
        *cell = by;
    }
}

/// Makes a byte of a picture or a text safe for a terminal: `?` unless it is printable ASCII.
pub fn clean_byte(byte: u8) -> u8 {
    match byte {
        b' '..=b'~' => byte,
        _ => b'?',
    }
}
