//! How a show looks: a function from a [`Show`] to cells. It draws into a buffer, knows no terminal,
//! and works in an area of any size, even none at all.

mod bar;
mod help;
mod status;
#[cfg(test)]
mod tests;

use nuggets_client::Palette;
use nuggets_game::Viewer;
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::style::Style;
use ratatui::widgets::{Clear, Paragraph, Widget, Wrap};

use crate::{PlayTime, Show};

/// The status line, the bar, and the last thing that happened.
const ROWS_AROUND: u16 = 3;
/// The status line takes so many columns before the purses.
const LEAST_COLS: u16 = 60;

/// Draws everything into the part of the buffer that `area` covers.
pub fn draw(show: &Show, palette: &Palette, area: Rect, buffer: &mut Buffer) {
    let area = area.intersection(buffer.area);
    Clear.render(area, buffer);
    let needed = needed(show);
    if show.help_is_open() {
        help::draw(area, buffer);
    } else if needed.height > area.height || needed.width > area.width {
        let text = too_small(needed, area);
        Paragraph::new(text).wrap(Wrap { trim: true }).render(area, buffer);
    } else {
        draw_page(show, palette, area, buffer);
    }
}

/// The least window for this show.
pub fn needed(show: &Show) -> Size {
    let map = show.game().map();
    Size::new(map.cols().max(LEAST_COLS), map.rows().saturating_add(ROWS_AROUND))
}

fn draw_page(show: &Show, palette: &Palette, area: Rect, buffer: &mut Buffer) {
    let rows = show.game().map().rows();
    let [status, map, bar, story] =
        [(0, 1), (1, rows), (rows + 1, 1), (rows + 2, area.height - rows - 2)]
            .map(|(down, height)| Rect { y: area.y + down, height, ..area });
    put(&status::line(show, area.width.into()), Style::new(), status, buffer);
    draw_map(show, palette, map, buffer);
    bar::draw(show, palette, bar, buffer);
    draw_story(show, palette, story, buffer);
}

/// Nothing before the viewer has joined.
fn draw_map(show: &Show, palette: &Palette, area: Rect, buffer: &mut Buffer) {
    if let Viewer::Player(letter) = show.viewer()
        && letter.index() >= show.game().players().len()
    {
        return;
    }
    let mut picture = vec![];
    show.game().view(show.viewer()).write_to(&mut picture);
    let rows = picture.split(|byte| *byte == b'\n');
    for (cells, y) in rows.zip(area.top()..area.bottom()) {
        for (&cell, x) in cells.iter().zip(area.left()..area.right()) {
            buffer[(x, y)].set_char(char::from(cell)).set_style(palette.style_of(cell));
        }
    }
}

/// What happened last, and what before that as far as there is room. A note comes first.
fn draw_story(show: &Show, palette: &Palette, area: Rect, buffer: &mut Buffer) {
    let note = show.note().map(|nobody| (nobody.to_string(), palette.note()));
    let told = show.timeline().until(show.position()).iter().rev();
    let told = told.map(|moment| format!("{} {}", PlayTime(moment.at), moment.what));
    let lines = note.into_iter().chain(told.map(|line| (line, Style::new())));
    for ((line, style), y) in lines.zip(area.top()..area.bottom()) {
        put(&line, style, Rect { y, height: 1, ..area }, buffer);
    }
}

fn too_small(needed: Size, area: Rect) -> String {
    format!(
        "The window is too small: {} rows and {} columns are needed, it has {} and {}. \
         Please enlarge it.",
        needed.height, needed.width, area.height, area.width
    )
}

/// Writes one line into the first row of `area`, cut where it ends.
fn put(line: &str, style: Style, area: Rect, buffer: &mut Buffer) {
    if !area.is_empty() {
        buffer.set_stringn(area.x, area.y, line, usize::from(area.width), style);
    }
}
