//! The screen of a client: a function from an [`App`] to cells. It draws into a buffer, knows no terminal, and works in
//! an area of any size, even an empty one.

mod help;
mod map;
mod panel;
#[cfg(test)]
mod tests;

use nuggets_atlas::{Gold, Point};
use nuggets_tui::{Palette, draw_page, put, window_too_small};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::{Clear, Paragraph, Widget, Wrap};

use crate::App;
use crate::app::SCROLL_KEY;
use crate::layout::{Fit, Layout, below_status};

/// The page that fills the screen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Page {
    /// The server has not accepted us yet.
    Connecting,
    /// A game is over, and the next on the same port has not begun.
    BetweenGames,
    Help,
    /// The terminal can't hold the map.
    TerminalTooSmall,
    Map,
}

/// Draws everything into the part of the buffer that `area` covers.
///
/// ```
/// use nuggets_client::{App, JoinTarget, Timestamp, screen};
/// use nuggets_tui::Palette;
/// use ratatui::buffer::Buffer;
/// use ratatui::layout::Rect;
///
/// let join = JoinTarget { place: "localhost:1234".into(), name: None };
/// let app = App::new(Timestamp(0), join);
/// let area = Rect::new(0, 0, 28, 1);
/// let mut buffer = Buffer::empty(area);
/// screen::draw(&app, &Palette::plain(), area, &mut buffer);
/// assert_eq!(buffer, Buffer::with_lines(["connecting to localhost:1234"]));
/// ```
pub fn draw(app: &App, palette: &Palette, area: Rect, buffer: &mut Buffer) {
    let area = area.intersection(buffer.area);
    Clear.render(area, buffer);
    let layout = Layout::of(app, area);
    match page(app, &layout) {
        Page::Connecting => wrap(&connecting_line(app), area, buffer),
        Page::BetweenGames => {
            let table = app.last_table().unwrap_or_default();
            let lines = ["GAME OVER:"].into_iter().chain(table.lines()).chain(["", BETWEEN_GAMES]);
            draw_page(&lines.collect::<Vec<_>>(), area, buffer);
        }
        Page::TerminalTooSmall => draw_terminal_too_small(app, &layout, area, buffer),
        Page::Help => {
            draw_status(app, palette, area, buffer);
            draw_page(&help::page(app, area.width), below_status(area), buffer);
        }
        Page::Map => {
            draw_status(app, palette, layout.status, buffer);
            if let Some(area) = layout.panel {
                panel::draw(app, palette, area, buffer);
            }
            map::draw(app, palette, &layout, buffer);
            draw_long_note(app, palette, &layout, area, buffer);
        }
    }
}

/// Returns the position of the cursor, which is on the player; `None` hides it.
pub fn cursor(app: &App, area: Rect) -> Option<Position> {
    let layout = Layout::of(app, area);
    if app.join().is_spectator() || page(app, &layout) != Page::Map {
        return None;
    }
    let at = app.scene().picture()?.you()?;
    let origin = layout.origin(app);
    let (down, right) = (at.row.checked_sub(origin.row)?, at.col.checked_sub(origin.col)?);
    let is_shown = down < layout.map.height && right < layout.map.width;
    is_shown.then(|| Position::new(layout.map.x + right, layout.map.y + down))
}

/// Returns the gridpoint of the map that is drawn at this position, if there is one.
pub fn point_at(app: &App, area: Rect, at: Position) -> Option<Point> {
    let layout = Layout::of(app, area);
    if page(app, &layout) != Page::Map {
        return None;
    }
    app.point_at(&layout, at)
}

/// Returns the status line without its note and the last picture as plain text, without trailing blanks. `None` before
/// the first picture.
pub fn plain(app: &App) -> Option<String> {
    let picture = app.scene().picture()?;
    let rows = picture.rows().map(|row| String::from_utf8_lossy(row).into_owned());
    let lines = std::iter::once(status_line(app)).chain(rows);
    Some(lines.map(|line| line.trim_end().to_owned() + "\n").collect())
}

fn page(app: &App, layout: &Layout) -> Page {
    match layout.fit {
        _ if app.last_table().is_some() => Page::BetweenGames,
        _ if app.is_joining() => Page::Connecting,
        _ if app.help_is_open => Page::Help,
        Fit::TooSmall => Page::TerminalTooSmall,
        Fit::Whole | Fit::Scrolled => Page::Map,
    }
}

fn draw_terminal_too_small(app: &App, layout: &Layout, area: Rect, buffer: &mut Buffer) {
    let text = window_too_small(area, layout.needed);
    if app.view.scrolls {
        wrap(&text, area, buffer);
    } else {
        wrap(&format!("{text} Or press {SCROLL_KEY} to scroll."), area, buffer);
    }
}

/// The user's choices between two games.
pub(crate) const BETWEEN_GAMES: &str =
    "The next game begins soon; you join it automatically. Q leaves.";

fn wrap(text: &str, area: Rect, buffer: &mut Buffer) {
    Paragraph::new(text).wrap(Wrap { trim: true }).render(area, buffer);
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

/// Draws a note that is cut in the status line, such as a message from the host, again on the last row of the window,
/// if the map leaves it free.
fn draw_long_note(app: &App, palette: &Palette, layout: &Layout, area: Rect, buffer: &mut Buffer) {
    let Some(note) = app.note() else { return };
    let is_cut = status_line(app).len() + 2 + note.len() > usize::from(layout.status.width);
    let rows = app.scene().size().map_or(0, |size| size.rows);
    if is_cut && layout.fit == Fit::Whole && rows + 1 < area.height {
        let last = Rect { y: area.bottom() - 1, height: 1, width: layout.map.width, ..area };
        put(note, palette.note(), last, buffer);
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

/// The maximum number of columns that the status line can take in this game. Each number is counted with the width of
/// their sum, which neither can exceed.
pub(crate) fn max_status_width(app: &App) -> u16 {
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

/// Returns the line that is shown until the server accepts us.
fn connecting_line(app: &App) -> String {
    let place = &app.join().place;
    let tries = match app.join_tries() {
        Some((tries @ 2.., max_tries)) => format!(" (try {tries} of {max_tries})"),
        _ => String::new(),
    };
    let note = app.note().map(|note| format!("  {note}"));
    format!("connecting to {place}{tries}{}", note.unwrap_or_default())
}
