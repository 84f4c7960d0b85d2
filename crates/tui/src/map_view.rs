//! A map in a window: the part that is shown, and a small overview of the whole map where that is only a part.

use nuggets_protocol::Point;
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::style::{Modifier, Style};
use ratatui::symbols::border;
use ratatui::widgets::{Block, Clear, Widget};

use crate::Palette;

/// The largest overview, without its frame.
const MAX_SIZE: Size = Size::new(20, 8);
/// A frame in ASCII, like the map.
const FRAME: border::Set = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// A map, and the part of it in the window.
#[derive(Clone, Copy, Debug)]
pub struct MapView<'a> {
    /// The cells of the map, row after row.
    pub cells: &'a [u8],
    /// The size of the map.
    pub map: Size,
    /// The part of the map in the window, in columns and rows of the map.
    pub shown: Rect,
}

impl MapView<'_> {
    /// Draws the part in the window: what is in sight bright, what is remembered dim.
    pub fn draw(
        &self,
        palette: &Palette,
        window: Rect,
        buffer: &mut Buffer,
        is_remembered: impl Fn(Point) -> bool,
    ) {
        for at in window.intersection(buffer.area).positions() {
            let (row, col) = (at.y - window.y + self.shown.y, at.x - window.x + self.shown.x);
            if row >= self.map.height || col >= self.map.width {
                continue;
            }
            let cell =
                self.cells[usize::from(row) * usize::from(self.map.width) + usize::from(col)];
            let style = match cell {
                b' ' => continue,
                _ if is_remembered(Point { row, col }) => palette.remembered(cell),
                _ => palette.style_of(cell),
            };
            buffer[at].set_char(char::from(cell)).set_style(style);
        }
    }

    /// Draws the overview in the corner of the window that is farthest from `focus`, a gridpoint of the map.
    pub fn draw_overview_in_corner(
        &self,
        palette: &Palette,
        window: Rect,
        focus: Point,
        buffer: &mut Buffer,
    ) {
        let Some(size) = self.frame(window.width / 4, window.height / 3) else { return };
        let is_right = focus.col.saturating_sub(self.shown.x) > window.width / 2;
        let is_low = focus.row.saturating_sub(self.shown.y) > window.height / 2;
        let x = if is_right { window.x } else { window.right() - size.width };
        let y = if is_low { window.y } else { window.bottom() - size.height };
        self.draw_overview(palette, Rect::from((ratatui::layout::Position { x, y }, size)), buffer);
    }

    /// Draws the overview at the bottom of this area.
    pub fn draw_overview_at_bottom(&self, palette: &Palette, area: Rect, buffer: &mut Buffer) {
        let Some(size) = self.frame(area.width.saturating_sub(2), area.height / 3) else { return };
        let frame = Rect { y: area.bottom() - size.height, ..area }.intersection(area);
        self.draw_overview(palette, Rect { width: size.width, ..frame }, buffer);
    }

    /// Returns the size with the frame for at most this much space inside it; `None` if that is too small to be of use.
    fn frame(&self, cols: u16, rows: u16) -> Option<Size> {
        let cols = cols.min(MAX_SIZE.width).min(self.map.width);
        let rows = rows.min(MAX_SIZE.height).min(self.map.height);
        (cols >= 4 && rows >= 2).then(|| Size::new(cols + 2, rows + 2))
    }

    fn draw_overview(&self, palette: &Palette, frame: Rect, buffer: &mut Buffer) {
        let frame = frame.intersection(buffer.area);
        Clear.render(frame, buffer);
        let block = Block::bordered().border_set(FRAME).border_style(palette.style_of(b'+'));
        let inside = block.inner(frame);
        block.render(frame, buffer);
        for at in inside.positions() {
            let block = self.block(inside, at.y - inside.y, at.x - inside.x);
            let (symbol, style) = self.summary(palette, block);
            let is_shown = self.shown.contains(block.as_position());
            let style = match symbol {
                b'@' => style.remove_modifier(Modifier::REVERSED),
                _ if is_shown => style.add_modifier(Modifier::REVERSED),
                _ => style,
            };
            buffer[at].set_char(char::from(symbol)).set_style(style);
        }
    }

    /// The columns and rows of the map that a cell of the overview stands for.
    fn block(&self, inside: Rect, row: u16, col: u16) -> Rect {
        let scaled = |n: u16, map: u16, cells: u16| {
            let at = u32::from(n) * u32::from(map) / u32::from(cells.max(1));
            u16::try_from(at).unwrap_or(u16::MAX)
        };
        let x = scaled(col, self.map.width, inside.width);
        let y = scaled(row, self.map.height, inside.height);
        let right = scaled(col + 1, self.map.width, inside.width).max(x + 1);
        let bottom = scaled(row + 1, self.map.height, inside.height).max(y + 1);
        Rect::new(x, y, right - x, bottom - y)
    }

    /// Returns the most notable thing in a block: our player, gold, another player, known ground.
    fn summary(&self, palette: &Palette, block: Rect) -> (u8, Style) {
        let rank = |cell: &u8| match cell {
            b'@' => 4,
            b'*' => 3,
            b'A'..=b'Z' => 2,
            b' ' => 0,
            _ => 1,
        };
        let cols = usize::from(self.map.width);
        let cells = block
            .positions()
            .filter_map(|at| self.cells.get(usize::from(at.y) * cols + usize::from(at.x)).copied());
        match cells.max_by_key(rank).unwrap_or(b' ') {
            b' ' => (b' ', Style::new()),
            cell if rank(&cell) > 1 => (cell, palette.style_of(cell)),
            _ => (b'.', Style::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A map of 8 rows and 32 columns with the player at the lower right, gold at the upper left.
    fn cells() -> Vec<u8> {
        let mut cells = vec![b' '; 8 * 32];
        cells[32..64].fill(b'.');
        cells[33] = b'*';
        cells[7 * 32 + 31] = b'@';
        cells
    }

    fn lines(buffer: &Buffer) -> Vec<String> {
        let cols = usize::from(buffer.area.width);
        let rows = buffer.content.chunks(cols);
        rows.map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect()).collect()
    }

    #[test]
    fn it_shows_where_things_are_in_the_corner_away_from_the_player() {
        let cells = cells();
        let map = Size::new(32, 8);
        let view = MapView { cells: &cells, map, shown: Rect::new(16, 2, 16, 6) };
        let window = Rect::new(0, 0, 16, 6);
        let mut buffer = Buffer::empty(window);
        view.draw_overview_in_corner(&Palette::plain(), window, Point::new(7, 31), &mut buffer);
        assert_eq!(
            lines(&buffer),
            [
                "+----+          ",
                "|*...|          ",
                "|   @|          ",
                "+----+          ",
                "                ",
                "                ",
            ]
        );
        let is_reversed = |x, y| buffer[(x, y)].modifier.contains(Modifier::REVERSED);
        assert!(!is_reversed(1, 1) && is_reversed(3, 2), "the part in the window is reversed");
    }

    #[test]
    fn a_window_that_is_too_small_for_it_has_none() {
        let cells = cells();
        let view = MapView { cells: &cells, map: Size::new(32, 8), shown: Rect::new(0, 0, 10, 5) };
        let window = Rect::new(0, 0, 10, 5);
        let mut buffer = Buffer::empty(window);
        view.draw_overview_in_corner(&Palette::plain(), window, Point::new(0, 0), &mut buffer);
        view.draw_overview_at_bottom(&Palette::plain(), window, &mut buffer);
        assert_eq!(buffer, Buffer::empty(window));
    }
}
