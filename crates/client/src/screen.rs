//! How a client looks: a function from an [`App`] to cells. It draws into a buffer, knows no
//! terminal, and works in an area of any size, even an empty one.

mod help;
#[cfg(test)]
mod tests;

use nuggets_atlas::{Gold, Picture, Point, Size};
use nuggets_tui::Palette;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::{Clear, Paragraph, Widget, Wrap};

use crate::App;

/// What fills the screen.
enum Page {
    /// The server has not accepted us yet.
    Connecting,
    Help,
    /// The terminal can't hold the map, which needs this size.
    TerminalTooSmall(Size),
    Map,
}

/// Draws everything into the part of the buffer that `area` covers.
///
/// ```
/// use nuggets_client::{App, Join, Timestamp, screen};
/// use nuggets_tui::Palette;
/// use ratatui::buffer::Buffer;
/// use ratatui::layout::Rect;
///
/// let join = Join { place: "localhost:1234".into(), name: None };
/// let app = App::new(Timestamp(0), join);
/// let area = Rect::new(0, 0, 28, 1);
/// let mut buffer = Buffer::empty(area);
/// screen::draw(&app, &Palette::plain(), area, &mut buffer);
/// assert_eq!(buffer, Buffer::with_lines(["connecting to localhost:1234"]));
/// ```
pub fn draw(app: &App, palette: &Palette, area: Rect, buffer: &mut Buffer) {
    let area = area.intersection(buffer.area);
    Clear.render(area, buffer);
    match page(app, area) {
        Page::Connecting => wrap(&connecting_line(app), area, buffer),
        Page::TerminalTooSmall(needed) => draw_terminal_too_small(needed, area, buffer),
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

/// The position of the cursor: on the player. `None` hides it.
pub fn cursor(app: &App, area: Rect) -> Option<Position> {
    if app.join().is_spectator() || !matches!(page(app, area), Page::Map) {
        return None;
    }
    let at = app.scene().picture()?.you()?;
    let map = below_status(area);
    Some(Position::new(map.x + at.col, map.y + at.row))
}

/// The gridpoint of the map that is drawn at this position, if there is one.
pub fn point_at(app: &App, area: Rect, at: Position) -> Option<Point> {
    if !matches!(page(app, area), Page::Map) || !below_status(area).contains(at) {
        return None;
    }
    let map = below_status(area);
    let point = Point::new(at.y - map.y, at.x - map.x);
    let size = app.scene().picture()?.size();
    (point.row < size.rows && point.col < size.cols).then_some(point)
}

/// The status line without its note and the last picture as plain text, without trailing blanks.
/// `None` before the first picture.
pub fn plain(app: &App) -> Option<String> {
    let picture = app.scene().picture()?;
    let rows = picture.rows().map(|row| String::from_utf8_lossy(row).into_owned());
    let lines = std::iter::once(status_line(app)).chain(rows);
    Some(lines.map(|line| line.trim_end().to_owned() + "\n").collect())
}

fn page(app: &App, area: Rect) -> Page {
    let needed = needed(app);
    match needed {
        _ if app.is_joining() => Page::Connecting,
        _ if app.help_is_open() => Page::Help,
        Some(needed) if needed.rows > area.height || needed.cols > area.width => {
            Page::TerminalTooSmall(needed)
        }
        _ => Page::Map,
    }
}

/// The smallest terminal for this map: its rows below the status line, and its columns or those of
/// the status line. `None` before the size of the map is known.
fn needed(app: &App) -> Option<Size> {
    let map = app.scene().size()?;
    Some(Size { rows: map.rows.saturating_add(1), cols: map.cols.max(max_status_width(app)) })
}

fn draw_terminal_too_small(needed: Size, area: Rect, buffer: &mut Buffer) {
    let text = format!(
        "The window is too small: it has {} rows and {} columns, but needs {} and {}. Please \
         enlarge it.",
        area.height, area.width, needed.rows, needed.cols
    );
    wrap(&text, area, buffer);
}

fn wrap(text: &str, area: Rect, buffer: &mut Buffer) {
    Paragraph::new(text).wrap(Wrap { trim: true }).render(area, buffer);
}

fn below_status(area: Rect) -> Rect {
    let height = area.height.saturating_sub(1);
    Rect { y: area.y.saturating_add(1), height, ..area }
}

fn draw_status(app: &App, palette: &Palette, area: Rect, buffer: &mut Buffer) {
    let line = status_line(app);
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

/// A page that doesn't fit keeps its last line, which says how to close it.
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

/// The status line without the note.
fn status_line(app: &App) -> String {
    let letter = app.scene().letter().unwrap_or('?');
    match (app.scene().gold(), app.join().is_spectator()) {
        (Some(gold), true) => spectator_status(gold.remaining),
        (Some(gold), false) => player_status(letter, gold.purse, gold.remaining),
        (None, true) => "Spectator".to_owned(),
        (None, false) => format!("Player {letter}"),
    }
}

/// The most columns that the status line can take in this game. Each number is counted with the
/// width of their sum, which neither can exceed.
fn max_status_width(app: &App) -> u16 {
    let Some(Gold { purse, remaining }) = app.scene().gold() else {
        return 0;
    };
    let all = u64::from(purse) + u64::from(remaining);
    let is_spectator = app.join().is_spectator();
    let line = if is_spectator { spectator_status(all) } else { player_status('A', all, all) };
    u16::try_from(line.len()).unwrap_or(u16::MAX)
}

fn player_status(letter: char, purse: impl Into<u64>, remaining: impl Into<u64>) -> String {
    let purse = purse.into();
    let remaining = remaining.into();
    format!("Player {letter} has {purse} nuggets ({remaining} nuggets unclaimed).")
}

fn spectator_status(remaining: impl Into<u64>) -> String {
    format!("Spectator: {} nuggets unclaimed.", remaining.into())
}

/// What is shown until the server has accepted us.
fn connecting_line(app: &App) -> String {
    let place = &app.join().place;
    let tries = match app.join_tries() {
        Some((tries @ 2.., max_tries)) => format!(" (try {tries} of {max_tries})"),
        _ => String::new(),
    };
    let note = app.note().map(|note| format!("  {note}"));
    format!("connecting to {place}{tries}{}", note.unwrap_or_default())
}
