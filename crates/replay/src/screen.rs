//! The screen of a replay: a function from a [`ReplayApp`] to cells, for an area of any size. It must
//! not know the terminal.

use std::cmp::Reverse;

use nuggets_game::{Letter, Player, Viewer};
use nuggets_record::Timestamp;
use nuggets_tui::{MapView, Palette, draw_page, put, window_too_small};
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::style::{Modifier, Style};
use ratatui::widgets::{Clear, Paragraph, Widget, Wrap};

use crate::{PlayTime, ReplayApp};

/// The status line, the time bar and the last event.
const ROWS_AROUND: u16 = 3;
/// The columns of the status line without the purses.
const MIN_COLS: u16 = 60;
/// The smallest window in which a replay is shown; a larger map is scrolled.
const MIN_WINDOW: Size = Size::new(20, 7);

const HELP_PAGE: [&str; 22] = [
    "NUGGETS: a recorded game",
    "",
    "  Space        play or pause; at the end, restart",
    "  . ,          one input forward or back; so do the",
    "               arrows to the right and left",
    "  l h          ten seconds forward or back; so do the",
    "               arrows together with Shift",
    "  Home End     to the start, to the end",
    "  g b          to the next gold, to the previous gold",
    "  + -          faster, slower: 0.25x to 64x",
    "  s            skip: no pause is longer than a second",
    "",
    "  A-Z          this player's view",
    "  0            the spectator's view: everything",
    "  Tab          the next view; with Shift, the previous",
    "  1-9          look around a map that does not fit, as on",
    "               a keypad; so does the mouse. 5 follows again",
    "",
    "  ?            this page",
    "  q            leave; so do Ctrl-C and Ctrl-D",
    "",
    "Press any key to continue.",
];

/// Draws everything into the part of the buffer that `area` covers.
pub fn draw(app: &ReplayApp, palette: &Palette, area: Rect, buffer: &mut Buffer) {
    let area = area.intersection(buffer.area);
    Clear.render(area, buffer);
    if app.is_help_open() {
        draw_page(&HELP_PAGE, area, buffer);
    } else if area.height < MIN_WINDOW.height || area.width < MIN_WINDOW.width {
        let text = window_too_small(area, MIN_WINDOW);
        Paragraph::new(text).wrap(Wrap { trim: true }).render(area, buffer);
    } else {
        draw_game(app, palette, area, buffer);
    }
}

/// The smallest window that holds the whole map.
pub fn needed(app: &ReplayApp) -> Size {
    let map = app.game().map();
    Size::new(map.cols().max(MIN_COLS), map.rows().saturating_add(ROWS_AROUND))
}

/// The space for the map in a window of this size.
pub(crate) fn map_window(app: &ReplayApp, window: Size) -> Size {
    let height = window.height.saturating_sub(ROWS_AROUND).min(app.game().map().rows());
    Size::new(window.width, height)
}

fn draw_game(app: &ReplayApp, palette: &Palette, area: Rect, buffer: &mut Buffer) {
    let rows = map_window(app, area.as_size()).height;
    let [status, map, bar, events] =
        [(0, 1), (1, rows), (rows + 1, 1), (rows + 2, area.height - rows - 2)]
            .map(|(down, height)| Rect { y: area.y + down, height, ..area });
    put(&status_line(app, area.width.into()), Style::new(), status, buffer);
    draw_map(app, palette, map, buffer);
    draw_time_bar(app, palette, bar, buffer);
    draw_events(app, palette, events, buffer);
}

/// Draws the map, which is empty until the viewer has joined.
fn draw_map(app: &ReplayApp, palette: &Palette, area: Rect, buffer: &mut Buffer) {
    if let Viewer::Player(letter) = app.viewer
        && letter.index() >= app.game().players().len()
    {
        return;
    }
    let sees = match app.viewer {
        Viewer::Player(letter) => app.game().players().get(letter.index()).map(Player::sees),
        Viewer::Spectator => None,
    };
    let mut picture = vec![];
    app.game().view(app.viewer).write_to(&mut picture);
    picture.retain(|byte| *byte != b'\n');
    let map = app.game().map();
    let origin = app.viewport(area.as_size()).origin();
    let shown = Rect::new(origin.col, origin.row, area.width, area.height);
    let size = Size::new(map.cols(), map.rows());
    let view = MapView { cells: &picture, map: size, shown };
    let is_remembered = |at| sees.is_some_and(|sees| !sees.contains(map.index(at)));
    view.draw(palette, area, buffer, is_remembered);
    if area.width < map.cols() || area.height < map.rows() {
        let you = map.points().zip(&picture).find(|(_, cell)| **cell == b'@');
        let focus = you.map_or(origin, |(at, _)| at);
        view.draw_overview_in_corner(palette, area, focus, buffer);
    }
}

/// The last events, the latest first. A note comes before them.
fn draw_events(app: &ReplayApp, palette: &Palette, area: Rect, buffer: &mut Buffer) {
    let note = app.note.map(|note| (note.to_string(), palette.note()));
    let events = app.timeline.until(app.position()).iter().rev();
    let events = events.map(|entry| format!("{} {entry}", PlayTime(entry.at)));
    let lines = note.into_iter().chain(events.map(|line| (line, Style::new())));
    for ((line, style), y) in lines.zip(area.top()..area.bottom()) {
        put(&line, style, Rect { y, height: 1, ..area }, buffer);
    }
}

/// The time, the speed, the view and the purses.
fn status_line(app: &ReplayApp, width: usize) -> String {
    let at = PlayTime(app.at());
    let of = PlayTime(app.duration());
    let state = match (app.is_playing, app.is_at_end()) {
        (true, _) => "playing",
        (_, true) => "ended",
        _ => "paused",
    };
    let skips = if app.skips_pauses { " skip" } else { "" };
    let speed = app.speed;
    let left = app.game().remaining();
    let head = format!("{at}/{of}  {state} {speed}{skips}  {}  {left} left ", viewer_text(app));
    let rest = width.saturating_sub(head.len());
    head + &purses(app.game().players(), rest)
}

fn viewer_text(app: &ReplayApp) -> String {
    let Viewer::Player(letter) = app.viewer else { return "spectator".to_owned() };
    match app.game().players().get(letter.index()) {
        None => format!("{letter}, not here yet"),
        Some(player) if player.at().is_none() => format!("{letter}, gone"),
        Some(_) => format!("as {letter}"),
    }
}

/// All purses in the order of letters; if they don't fit, the largest ones.
fn purses(players: &[Player], width: usize) -> String {
    let mut all: Vec<&Player> = players.iter().collect();
    let text = |player: &&Player| format!(" {} {}", player.letter(), player.purse());
    if all.iter().map(text).map(|text| text.len()).sum::<usize>() > width {
        all.sort_by_key(|player| Reverse(player.purse()));
    }
    let mut line = String::new();
    for purse in all.iter().map(text) {
        if line.len() + purse.len() > width {
            break;
        }
        line += &purse;
    }
    line
}

/// The time that has passed and the time to come, with the letters of the players who got gold: the one
/// who got most, where several share a column.
fn draw_time_bar(app: &ReplayApp, palette: &Palette, area: Rect, buffer: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let end = app.duration();
    let here = column(app.at(), end, area.width);
    let takers = takers(app, area.width);
    for (col, taker) in (0..area.width).zip(takers) {
        let line = if col < here { '=' } else { '-' };
        let symbol = taker.map_or(line, |(letter, _)| char::from(letter.as_byte()));
        let style = taker.map_or(Style::new(), |(letter, _)| style_of(letter, app, palette));
        buffer[(area.x + col, area.y)].set_char(symbol).set_style(style);
    }
    let head = Style::new().add_modifier(Modifier::REVERSED);
    let head_cell = &mut buffer[(area.x + here, area.y)];
    head_cell.set_style(head);
    if head_cell.symbol() == "-" {
        head_cell.set_char('>');
    }
}

type Taker = Option<(Letter, u32)>;

fn takers(app: &ReplayApp, width: u16) -> Vec<Taker> {
    let mut takers: Vec<Taker> = vec![None; width.into()];
    for (entry, player, nuggets) in app.timeline.gold() {
        let taker = &mut takers[usize::from(column(entry.at, app.duration(), width))];
        if taker.is_none_or(|(_, most)| nuggets > most) {
            *taker = Some((player, nuggets));
        }
    }
    takers
}

fn style_of(letter: Letter, app: &ReplayApp, palette: &Palette) -> Style {
    let is_viewer = app.viewer == Viewer::Player(letter);
    palette.style_of(if is_viewer { b'@' } else { letter.as_byte() })
}

/// The column of a time: the start is the first, the end the last.
fn column(at: Timestamp, end: Timestamp, width: u16) -> u16 {
    let last = u128::from(width.saturating_sub(1));
    let column = u128::from(at.0.min(end.0)) * last / u128::from(end.0.max(1));
    u16::try_from(column).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests;
