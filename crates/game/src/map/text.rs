//! The text of a map file: lines of characters, and the line endings. This module must not know the
//! rules of drawing.
//!
//! A character is a column, however many bytes it has; so is a byte that is not UTF-8.

use super::parse::{Character, FilePosition, FormDeviation};
use super::{Map, Tile};

const BYTE_ORDER_MARK: char = '\u{feff}';

/// A tile, or the unknown character in its place.
pub(crate) type Cell = Result<Tile, Character>;

/// The content of a file.
pub(crate) struct Text {
    /// The lines without their line endings.
    pub(crate) lines: Vec<Vec<Cell>>,
    /// A byte order mark stands before the first column.
    has_byte_order_mark: bool,
    carriage_returns: usize,
    ends_with_newline: bool,
}

impl Text {
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let mark = BYTE_ORDER_MARK.to_string();
        let unmarked = bytes.strip_prefix(mark.as_bytes());
        let bytes = unmarked.unwrap_or(bytes);
        let whole = bytes.strip_suffix(b"\n");
        let mut carriage_returns = 0;
        let lines = whole.unwrap_or(bytes).split(|&byte| byte == b'\n').map(|line| {
            let without = line.strip_suffix(b"\r");
            carriage_returns += usize::from(without.is_some());
            cells(without.unwrap_or(line))
        });
        Self {
            lines: lines.collect(),
            has_byte_order_mark: unmarked.is_some(),
            carriage_returns,
            ends_with_newline: whole.is_some(),
        }
    }

    /// The number of lines, and of columns of the widest.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.lines.len(), self.lines.iter().map(Vec::len).max().unwrap_or(0))
    }

    /// Every character that is not a tile, from the top down.
    pub(crate) fn unknown_characters(&self) -> impl Iterator<Item = (FilePosition, Character)> {
        let mark = (FilePosition { line: 1, column: 1 }, Character::Char(BYTE_ORDER_MARK));
        let inside = (1..).zip(&self.lines).flat_map(|(line, cells)| {
            let bad = (1..).zip(cells).filter_map(|(column, cell)| Some((column, cell.err()?)));
            bad.map(move |(column, found)| (FilePosition { line, column }, found))
        });
        self.has_byte_order_mark.then_some(mark).into_iter().chain(inside)
    }

    /// The repairs to the line endings.
    pub(crate) fn repaired_endings(&self) -> Vec<FormDeviation> {
        let lines = self.carriage_returns;
        let returns = (lines > 0).then_some(FormDeviation::CarriageReturns { lines });
        let newline = (!self.ends_with_newline).then_some(FormDeviation::NoFinalNewline);
        returns.into_iter().chain(newline).collect()
    }

    /// The map of this size that is drawn here. Missing and unknown characters are rock.
    pub(crate) fn map(&self, rows: u16, cols: u16) -> Map {
        let tiles = self.lines.iter().flat_map(|line| {
            let drawn = line.iter().map(|cell| cell.unwrap_or(Tile::Rock));
            drawn.chain(std::iter::repeat(Tile::Rock)).take(cols.into())
        });
        Map { rows, cols, tiles: tiles.collect() }
    }
}

fn cells(line: &[u8]) -> Vec<Cell> {
    let mut cells = Vec::with_capacity(line.len());
    for chunk in line.utf8_chunks() {
        cells.extend(chunk.valid().chars().map(cell));
        cells.extend(chunk.invalid().iter().map(|&byte| Err(Character::Byte(byte))));
    }
    cells
}

fn cell(c: char) -> Cell {
    u8::try_from(c).ok().and_then(Tile::from_byte).ok_or(Character::Char(c))
}
