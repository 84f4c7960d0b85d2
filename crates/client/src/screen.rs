//! How a client looks: a function from an [`App`] to cells. It draws into a buffer, knows no
//! terminal, and works in an area of any size, even none at all.

mod help;
mod status;
#[cfg(test)]
mod tests;

use nuggets_atlas::{Picture, Point, Size};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::{Clear, Paragraph, Widget, Wrap};

use crate::{App, Palette};

/// What fills the screen.
enum Page {
    /// Nobody has let us in yet.
    Connecting,
    Help,
    /// The window can't hold the map; this is what it would take.
    TooSmall(Size),
    Map,
}

/// Draws everything into the part of the buffer that `area` covers.
///
/// ```
/// use nuggets_client::{App, Join, Millis, Palette, screen};
/// use ratatui::buffer::Buffer;
/// use ratatui::layout::Rect;
///
/// let join = Join { host: "localhost".into(), port: 1234, name: None };
/// let app = App::new(Millis(0), join);
/// let area = Rect::new(0, 0, 28, 1);
/// let mut buffer = Buffer::empty(area);
/// screen::draw(&app, &Palette::plain(), area, &mut buffer);
/// assert_eq!(buffer, Buffer::with_lines(["connecting to localhost:1234"]));
/// ```
pub fn draw(app: &App, palette: &Palette, area: Rect, buffer: &mut Buffer) {
    let area = area.intersection(buffer.area);
    Clear.render(area, buffer);
    match page(app, area) {
        Page::Connecting => wrap(&status::connecting(app), area, buffer),
        Page::TooSmall(needed) => wrap(&too_small(needed, area), area, buffer),
        Page::Help => {
            draw_status(app, palette, area, buffer);
            draw_help(app, below_status(area), buffer);
        }
        Page::Map => {
            draw_status(app, palette, area, buffer);
            draw_map(app, palette, below_status(area), buffer);
        }
    }
}

/// Where the cursor belongs: on the player. `None` hides it.
pub fn cursor(app: &App, area: Rect) -> Option<Position> {
    if app.join().is_spectator() || !matches!(page(app, area), Page::Map) {
        return None;
    }
    let at = app.scene().picture()?.you()?;
    let map = below_status(area);
    Some(Position::new(map.x + at.col, map.y + at.row))
}

/// The gridpoint of the map that is drawn here, if the map is shown and reaches so far.
pub fn point_at(app: &App, area: Rect, at: Position) -> Option<Point> {
    if !matches!(page(app, area), Page::Map) || !below_status(area).contains(at) {
        return None;
    }
    let map = below_status(area);
    let point = Point::new(at.y - map.y, at.x - map.x);
    let size = app.scene().picture()?.size();
    (point.row < size.rows && point.col < size.cols).then_some(point)
}

/// The last picture and the line above it as plain text, without blanks at the ends of lines.
/// The note is left out: it is brief. `None` when there never was a picture.
pub fn plain(app: &App) -> Option<String> {
    let picture = app.scene().picture()?;
    let rows = picture.rows().map(|row| String::from_utf8_lossy(row).into_owned());
    let lines = std::iter::once(status::line(app)).chain(rows);
    Some(lines.map(|line| line.trim_end().to_owned() + "\n").collect())
}

fn page(app: &App, area: Rect) -> Page {
    let needed = needed(app);
    match needed {
        _ if app.is_joining() => Page::Connecting,
        _ if app.help_is_open() => Page::Help,
        Some(needed) if needed.rows > area.height || needed.cols > area.width => {
            Page::TooSmall(needed)
        }
        _ => Page::Map,
    }
}

/// The least window for this map: its rows below the status line, its columns or those of the
/// status line. Unknown before the size of the map is.
fn needed(app: &App) -> Option<Size> {
    let map = app.scene().size()?;
    Some(Size { rows: map.rows.saturating_add(1), cols: map.cols.max(status::widest(app)) })
}

fn too_small(needed: Size, area: Rect) -> String {
    format!(
        "The window is too small: {} rows and {} columns are needed, it has {} and {}. \
         Please enlarge it.",
        needed.rows, needed.cols, area.height, area.width
    )
}

fn wrap(text: &str, area: Rect, buffer: &mut Buffer) {
    Paragraph::new(text).wrap(Wrap { trim: true }).render(area, buffer);
}

fn below_status(area: Rect) -> Rect {
    let height = area.height.saturating_sub(1);
    Rect { y: area.y.saturating_add(1), height, ..area }
}

fn draw_status(app: &App, palette: &Palette, area: Rect, buffer: &mut Buffer) {
    let line = status::line(app);
    put(&line, Style::new(), area, buffer);
    if let Some(note) = app.note() {
        let used = u16::try_from(line.len() + 2).unwrap_or(u16::MAX);
        let right =
            Rect { x: area.x.saturating_add(used), width: area.width.saturating_sub(used), ..area };
        put(note, palette.note(), right, buffer);
    }
}

fn draw_map(app: &App, palette: &Palette, area: Rect, buffer: &mut Buffer) {
    let rows = app.scene().picture().into_iter().flat_map(Picture::rows);
    for (cells, y) in rows.zip(area.top()..area.bottom()) {
        for (&cell, x) in cells.iter().zip(area.left()..area.right()) {
            buffer[(x, y)].set_char(char::from(cell)).set_style(palette.style_of(cell));
        }
    }
}

/// Where the page doesn't fit, its last line is kept: it says how to get out.
fn draw_help(app: &App, area: Rect, buffer: &mut Buffer) {
    let page = help::page(app, area.width);
    let shown = usize::from(area.height).min(page.len());
    let Some(above) = shown.checked_sub(1) else {
        return;
    };
    let lines = page[..above].iter().chain(page.last());
    for (line, y) in lines.zip(area.top()..area.bottom()) {
        let row = Rect { y, height: 1, ..area };
        put(line, Style::new(), row, buffer);
    }
}

/// Writes one line into the first row of `area`, cut where it ends.
fn put(line: &str, style: Style, area: Rect, buffer: &mut Buffer) {
    if !area.is_empty() {
        buffer.set_stringn(area.x, area.y, line, usize::from(area.width), style);
    }
}
