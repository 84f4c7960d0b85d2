//! Whole screens as drawn text, without the blanks at the ends of lines.

use nuggets_game::{Point, Rules};
use nuggets_record::Timestamp;
use nuggets_tui::Key;
use ratatui::style::Modifier;

use super::*;
use crate::tests::{app, join, lines, press, recorded, recorded_on};

fn typed(keys: &str) -> ReplayApp {
    let mut app = app();
    keys.chars().for_each(|key| app.handle_key(Timestamp(0), Key::Char(key)));
    app
}

#[test]
fn a_spectator_sees_everything_and_the_last_events() {
    assert_eq!(
        lines(&typed("g"), 9, 60),
        [
            "00:01/01:02  playing 1x  spectator  2 left  A 7 B 0",
            "+-----+  +---+",
            "|A....####..B|",
            "+-----+  |..*|",
            "         +---+",
            "=A--------------------------------------------------------B-",
            "00:01 A takes 7 (2 left)",
            "00:01 B joins: Bob",
            "00:00 A joins: Ann",
        ]
    );
}

#[test]
fn a_player_view_shows_only_what_that_player_knows() {
    assert_eq!(
        lines(&typed("g.A"), 7, 60),
        [
            "00:02/01:02  paused 1x  as A  2 left  A 7 B 0",
            "+-----+",
            "|.@...#",
            "+-----+",
            "",
            "=A--------------------------------------------------------B-",
            "00:01 A takes 7 (2 left)",
        ]
    );
}

#[test]
fn a_view_before_joining_is_empty_and_an_unknown_letter_is_reported() {
    let early = lines(&typed(".B"), 7, 60);
    assert_eq!(early[0], "00:00/01:02  paused 1x  B, not here yet  9 left  A 0");
    assert!(early[1..5].iter().all(String::is_empty), "{early:?}");
    let unknown = lines(&typed("sZ"), 8, 60);
    assert_eq!(unknown[0], "00:00/01:02  playing 1x skip  spectator  9 left");
    assert_eq!(unknown[6], "there is no player Z in this recording");
}

#[test]
fn the_time_bar_shows_the_current_time() {
    let bar = |keys: &str| lines(&typed(keys), 7, 63)[5].clone();
    let line = |n: usize| "-".repeat(n);
    assert_eq!(bar(""), format!(">A{}B-", line(59)));
    assert_eq!(bar("ll"), format!("=A{}>{}B-", "=".repeat(18), line(40)));
    assert_eq!(bar("gg"), format!("=A{}B-", "=".repeat(59)));
    let area = Rect::new(0, 0, 63, 7);
    let mut buffer = Buffer::empty(area);
    draw(&typed("gg"), &Palette::plain(), area, &mut buffer);
    assert!(buffer[(61, 5)].modifier.contains(Modifier::REVERSED), "the head is on the letter");
    assert!(!buffer[(1, 5)].modifier.contains(Modifier::REVERSED));
}

#[test]
fn if_purses_do_not_fit_the_largest_come_first() {
    let app = typed("ggg");
    assert_eq!(status_line(&app, 60), "01:02/01:02  ended 1x  spectator  0 left  A 7 B 2");
    assert_eq!(status_line(&app, 45), "01:02/01:02  ended 1x  spectator  0 left  A 7");
    assert_eq!(status_line(&app, 9), "01:02/01:02  ended 1x  spectator  0 left ");
}

#[test]
fn a_window_that_is_too_small_shows_the_needed_size() {
    for (rows, cols) in [(6, 80), (7, 19)] {
        let shown = lines(&app(), rows, cols).join(" ");
        let size = format!("it has {rows} rows and {cols} columns");
        let message = format!("The window is too small: {size}, but needs 7 and 20.");
        assert!(shown.starts_with(&message), "{shown}");
    }
}

#[test]
fn any_window_can_be_drawn_with_and_without_help() {
    for keys in ["", "?", "gA"] {
        let app = typed(keys);
        for (rows, cols) in [(0, 0), (1, 1), (0, 80), (24, 0), (2, 300), (300, 2), (60, 200)] {
            assert_eq!(lines(&app, rows, cols).len() * usize::from(cols), usize::from(rows * cols));
        }
    }
}

#[test]
fn the_help_keeps_its_last_line_where_it_is_cut() {
    let whole = lines(&typed("?"), 24, 80);
    assert_eq!(whole[0], "NUGGETS: a recorded game");
    assert_eq!(whole[21], "Press any key to continue.");
    let cut = lines(&typed("?"), 3, 80);
    assert_eq!((cut[0].as_str(), cut[2].as_str()), (whole[0].as_str(), whole[21].as_str()));
}

/// A recording on a map of 48 rows and 150 columns, in which Ann has joined.
fn on_a_large_map() -> ReplayApp {
    let map = nuggets_game::shipped::find("grand").unwrap().map();
    let recording = recorded_on(map, Rules::default(), &[(0, join("Ann"))]);
    let mut app = ReplayApp::new(recording).unwrap();
    app.handle_timeout(Timestamp(1));
    app
}

#[test]
fn a_large_map_is_scrolled_to_the_player_whose_view_is_shown() {
    let mut app = on_a_large_map();
    app.handle_resize(Size::new(80, 24));
    app.handle_key(Timestamp(1), Key::Char('A'));
    let shown = lines(&app, 24, 80);
    let drawn = shown[1..22].iter().flat_map(|line| line.chars()).filter(|&c| c == '@').count();
    assert_eq!(drawn, 2, "on the map and in the overview: {shown:#?}");
    assert!(shown[22].starts_with(['=', '>', '-']), "the time bar is below: {shown:#?}");
}

#[test]
fn digits_and_the_mouse_look_around_and_five_follows_again() {
    let mut app = on_a_large_map();
    app.handle_resize(Size::new(80, 24));
    app.handle_key(Timestamp(1), Key::Char('A'));
    let window = map_window(&app, Size::new(80, 24));
    let home = app.viewport(window).origin();
    (0..8).for_each(|_| app.handle_key(Timestamp(1), Key::Char('7')));
    assert_eq!(app.viewport(window).origin(), Point::new(0, 0));
    app.handle_key(Timestamp(1), Key::Char('3'));
    assert_eq!(app.viewport(window).origin(), Point::new(5, 20), "a quarter of the window");
    app.handle_drag(ratatui::layout::Position::new(9, 9), ratatui::layout::Position::new(10, 11));
    assert_eq!(app.viewport(window).origin(), Point::new(3, 19));
    let you = app.game().players()[0].at().unwrap();
    for _ in 0..8 {
        app.handle_key(Timestamp(1), Key::Char(if home.row == 0 { '3' } else { '7' }));
    }
    app.handle_key(Timestamp(1), Key::Char('5'));
    let back = app.viewport(window).origin();
    assert!((back.row..back.row + window.height).contains(&you.row), "{you} from {back}");
    assert!((back.col..back.col + window.width).contains(&you.col), "{you} from {back}");
}

#[test]
fn a_player_view_is_bright_where_the_player_sees_and_dim_elsewhere() {
    let recording = recorded(&[(0, join("Ann")), (1, press(0, b'L'))]);
    let mut app = ReplayApp::new(recording).unwrap();
    app.handle_key(Timestamp(9), Key::Char('A'));
    let area = Rect::new(0, 0, 60, 7);
    let mut buffer = Buffer::empty(area);
    draw(&app, &Palette::plain(), area, &mut buffer);
    let map = app.game().map();
    let player = &app.game().players()[0];
    let mut dim = 0;
    for at in map.points().filter(|&at| player.known().contains(map.index(at))) {
        let cell = &buffer[(at.col, at.row + 1)];
        let is_dim = cell.modifier.contains(Modifier::DIM);
        let is_seen = player.sees().contains(map.index(at));
        assert!(cell.symbol() == " " || is_dim != is_seen, "{at}");
        dim += usize::from(is_dim);
    }
    assert!(dim > 10, "the room behind is only remembered");
}
