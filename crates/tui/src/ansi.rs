//! Cells as bytes for a terminal: only escape sequences that every terminal with sixteen colours knows, and
//! those of 256 colours where the palette has them.

use std::io::{self, Write};

use crossterm::cursor::MoveTo;
use crossterm::queue;
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

use crate::Palette;

/// Writes cells, each with its column and row, from left to right and top to bottom. The cursor is
/// moved only where cells are not adjacent, the style set only where it changes.
pub fn write_cells<'a>(
    out: &mut impl Write,
    cells: impl IntoIterator<Item = (u16, u16, &'a Cell)>,
) -> io::Result<()> {
    let mut pen = None;
    let mut style = Style::default();
    for (col, row, cell) in cells {
        if pen != Some((col, row)) {
            queue!(out, MoveTo(col, row))?;
        }
        let wanted = Style { color: cell.fg, weight: cell.modifier };
        if style != wanted {
            wanted.write_to(out)?;
            style = wanted;
        }
        out.write_all(cell.symbol().as_bytes())?;
        pen = col.checked_add(1).map(|next| (next, row));
    }
    if style != Style::default() {
        Style::default().write_to(out)?;
    }
    Ok(())
}

/// Writes the lines of a map in the colours of the game.
///
/// ```
/// let mut out = Vec::new();
/// nuggets_tui::write_map(&mut out, "|*\n").unwrap();
/// assert_eq!(out, b"\x1b[0;36m|\x1b[0;1;33m*\x1b[0m\n");
/// ```
pub fn write_map(out: &mut impl Write, map: &str) -> io::Result<()> {
    let palette = Palette::colored();
    for line in map.lines() {
        let mut style = Style::default();
        for symbol in line.bytes() {
            let look = palette.style_of(symbol);
            let color = look.fg.unwrap_or(Color::Reset);
            let wanted = Style { color, weight: look.add_modifier };
            if symbol != b' ' && style != wanted {
                wanted.write_to(out)?;
                style = wanted;
            }
            out.write_all(&[symbol])?;
        }
        if style != Style::default() {
            Style::default().write_to(out)?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// The attributes that a palette uses: a colour and a weight.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Style {
    color: Color,
    weight: Modifier,
}

impl Default for Style {
    fn default() -> Self {
        Self { color: Color::Reset, weight: Modifier::empty() }
    }
}

impl Style {
    fn write_to(self, out: &mut impl Write) -> io::Result<()> {
        let weights = [(Modifier::BOLD, 1), (Modifier::DIM, 2), (Modifier::REVERSED, 7)];
        let weights = weights.into_iter().filter(|(weight, _)| self.weight.contains(*weight));
        let codes = weights.map(|(_, code)| code).chain(foreground(self.color));
        out.write_all(b"\x1b[0")?;
        for code in codes {
            write!(out, ";{code}")?;
        }
        if let Color::Indexed(index) = self.color {
            write!(out, ";38;5;{index}")?;
        }
        out.write_all(b"m")
    }
}

/// The code of a colour, if it is one of the sixteen.
fn foreground(color: Color) -> Option<u8> {
    Some(match color {
        Color::Black => 30,
        Color::Red => 31,
        Color::Green => 32,
        Color::Yellow => 33,
        Color::Blue => 34,
        Color::Magenta => 35,
        Color::Cyan => 36,
        Color::Gray => 37,
        Color::DarkGray => 90,
        Color::LightRed => 91,
        Color::LightGreen => 92,
        Color::LightYellow => 93,
        Color::LightBlue => 94,
        Color::LightMagenta => 95,
        Color::LightCyan => 96,
        Color::White => 97,
        Color::Reset | Color::Rgb(..) | Color::Indexed(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;
    use ratatui::style::Style as Look;

    use super::*;

    fn written(before: &Buffer, after: &Buffer) -> String {
        let mut out = Vec::new();
        write_cells(&mut out, before.diff_iter(after)).unwrap();
        out.escape_ascii().to_string()
    }

    #[test]
    fn adjacent_cells_need_no_cursor_movement_and_no_new_style() {
        let after = Buffer::with_lines(["ab  cd", "e     "]);
        let before = Buffer::empty(after.area);
        assert_eq!(written(&before, &after), r"\x1b[1;1Hab\x1b[1;5Hcd\x1b[2;1He");
    }

    #[test]
    fn styles_use_sixteen_colours_and_are_reset() {
        let mut after = Buffer::with_lines([".*@"]);
        after.set_string(1, 0, "*", Look::new().fg(Color::Yellow).bold());
        after.set_string(2, 0, "@", Look::new().fg(Color::White).bold().reversed());
        assert_eq!(
            written(&Buffer::empty(after.area), &after),
            r"\x1b[1;1H.\x1b[0;1;33m*\x1b[0;1;7;97m@\x1b[0m"
        );
    }

    #[test]
    fn an_unchanged_screen_writes_nothing() {
        let same = Buffer::with_lines(["abc"]);
        assert_eq!(written(&same, &same), "");
    }

    #[test]
    fn every_colour_of_the_palette_can_be_written() {
        let palette = Palette::colored();
        for symbol in *b"*@B-|+#" {
            let color = palette.style_of(symbol).fg.unwrap();
            assert!(foreground(color).is_some(), "{color:?}");
        }
    }

    #[test]
    fn a_colour_of_the_256_has_its_own_sequence() {
        let mut after = Buffer::with_lines(["B"]);
        after.set_string(0, 0, "B", Look::new().fg(Color::Indexed(204)));
        assert_eq!(
            written(&Buffer::empty(after.area), &after),
            r"\x1b[1;1H\x1b[0;38;5;204mB\x1b[0m"
        );
    }
}
