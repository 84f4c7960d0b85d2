//! A picture of the map, as it was sent.

use super::misfit::lines;
use super::whereabouts::Doubt;
use crate::{Point, Size};

/// A picture of the map: printable ASCII in rows of equal length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    cells: Vec<u8>,
    size: Size,
    you: Option<Point>,
    /// Everywhere an `@` is drawn. More than one is too many.
    signs: Vec<Point>,
}

impl Picture {
    /// Reads a text into a picture of this size: what is missing is blank, what is too much is left
    /// off. The last picture and key tell which `@` is ours, and its memory is used again.
    pub(super) fn read(text: &[u8], size: Size, last: Option<Self>, doubt: &mut Doubt) -> Self {
        let is_news = last.as_ref().is_none_or(|last| last.signs.len() < 2 || !last.shows(text));
        let last_size = last.as_ref().map(Self::size);
        let (mut cells, before) = match last {
            Some(last) => (last.cells, last.you.map(|you| (you, last.signs))),
            None => (vec![], None),
        };
        cells.clear();
        for (row, line) in (1..=usize::from(size.rows)).zip(lines(text)) {
            cells.extend(line.iter().take(size.cols.into()).map(|&byte| clean_byte(byte)));
            cells.resize(row * usize::from(size.cols), b' ');
        }
        cells.resize(size.area(), b' ');
        let signs = cells.iter().enumerate().filter(|&(_, &cell)| cell == b'@');
        let signs = signs.map(|(index, _)| size.point(index)).collect();
        let mut picture = Self { cells, size, you: None, signs };
        picture.you = doubt.find(&picture, before.filter(|_| last_size == Some(size)), is_news);
        picture
    }

    /// Is it what this text shows?
    fn shows(&self, text: &[u8]) -> bool {
        let mut lines = lines(text);
        self.rows().all(|row| {
            let line = lines.next().unwrap_or_default().iter().map(|&byte| clean_byte(byte));
            row.iter().copied().eq(line.chain(std::iter::repeat(b' ')).take(row.len()))
        })
    }

    /// Its rows and columns.
    pub fn size(&self) -> Size {
        self.size
    }

    /// What is drawn everywhere, row after row.
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// What is drawn at a gridpoint; a blank outside.
    pub fn cell(&self, at: Point) -> u8 {
        let inside = at.row < self.size.rows && at.col < self.size.cols;
        if inside { self.cells[self.size.index(at)] } else { b' ' }
    }

    /// The rows from top to bottom.
    pub fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.cells.chunks(usize::from(self.size.cols))
    }

    /// Where the `@` is. Of several it is the one where the last key can have led.
    pub fn you(&self) -> Option<Point> {
        self.you
    }

    /// Everywhere an `@` is drawn.
    pub(super) fn signs(&self) -> &[Point] {
        &self.signs
    }
}

/// One character of a picture or a text, fit for a terminal: nothing but printable ASCII gets
/// through.
pub fn clean_byte(byte: u8) -> u8 {
    match byte {
        b' '..=b'~' => byte,
        _ => b'?',
    }
}
