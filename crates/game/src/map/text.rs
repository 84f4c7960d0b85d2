//! The text of a map file: lines of characters, and how the lines end. What it draws is not asked
//! here.
//!
//! A character is a column, however many bytes it has; so is a byte that is no text.

use super::parse::{Character, Mend, Place};
use super::{Map, Tile};

const BYTE_ORDER_MARK: char = '\u{feff}';

/// A tile, or what else was found in its place.
pub(crate) type Cell = Result<Tile, Character>;

/// A file, read as far as it can be without judging it.
pub(crate) struct Text {
    /// The lines without their endings.
    pub(crate) lines: Vec<Vec<Cell>>,
    /// It stands before the first column.
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

    /// Lines, and columns of the widest.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.lines.len(), self.lines.iter().map(Vec::len).max().unwrap_or(0))
    }

    /// Every character that draws nothing, from the top down.
    pub(crate) fn foreign(&self) -> impl Iterator<Item = (Place, Character)> {
        let mark = (Place { line: 1, column: 1 }, Character::Char(BYTE_ORDER_MARK));
        let inside = (1..).zip(&self.lines).flat_map(|(line, cells)| {
            let bad = (1..).zip(cells).filter_map(|(column, cell)| Some((column, cell.err()?)));
            bad.map(move |(column, found)| (Place { line, column }, found))
        });
        self.has_byte_order_mark.then_some(mark).into_iter().chain(inside)
    }

    /// The endings of lines that are not as they should be.
    pub(crate) fn mended_endings(&self) -> Vec<Mend> {
        let lines = self.carriage_returns;
        let returns = (lines > 0).then_some(Mend::CarriageReturns { lines });
        let newline = (!self.ends_with_newline).then_some(Mend::NoFinalNewline);
        returns.into_iter().chain(newline).collect()
    }

    /// The map of this size that is drawn here. Where nothing or nothing known is drawn is rock.
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
    u8::try_from(c).ok().and_then(Tile::from_char).ok_or(Character::Char(c))
}
