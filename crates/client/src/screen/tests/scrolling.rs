//! Windows that are too small for the map: it scrolls, or the client asks for a larger window.

use nuggets_atlas::Direction;
use ratatui::layout::Size as Window;

use super::*;
use crate::Effect;

/// A room of 20 rows and 60 columns with the player at this row and column.
fn room(row: usize, col: usize) -> String {
    let mut rows = vec![format!("|{}|", ".".repeat(58)); 18];
    rows[row - 1].replace_range(col..=col, "@");
    let wall = format!("+{}+", "-".repeat(58));
    format!("DISPLAY\n{wall}\n{}\n{wall}\n", rows.join("\n"))
}

fn in_room(row: usize, col: usize) -> App {
    let map = room(row, col);
    after(app(Some("Ann")).with_options(auto()), &["OK A", "GRID 20 60", "GOLD 0 0 250", &map])
}

/// The same in a window of these rows and columns, scrolled.
fn scrolled(row: usize, col: usize, window: (u16, u16)) -> App {
    let mut app = in_room(row, col).with_options(AppOptions { scroll: true, ..auto() });
    app.handle_resize(Window::new(window.1, window.0));
    app
}

fn origin(app: &App) -> Point {
    app.view.viewport.origin()
}

fn key(app: &mut App, key: Key) {
    app.handle_key(Timestamp(0), key);
}

fn sent(app: &mut App) -> Vec<String> {
    let effects = std::iter::from_fn(|| app.poll_effect());
    let keys = effects.filter_map(|effect| match effect {
        Effect::Send(bytes) => String::from_utf8(bytes).ok(),
        Effect::Leave(_) => None,
    });
    keys.filter(|text| !text.starts_with("PLAY")).collect()
}

#[test]
fn a_map_that_does_not_fit_scrolls_with_the_player() {
    let app = scrolled(2, 2, (8, 24));
    assert_eq!(
        lines(&app, 8, 24),
        [
            "Player A has 0 nuggets (",
            "+-----------------------",
            "|.......................",
            "|.@.....................",
            "|...............+------+",
            "|...............|@.....|",
            "|...............|......|",
            "|...............+------+",
        ]
    );
    assert_eq!(cursor_in(&app, 8, 24), Some((3, 2)));
    let app = after(scrolled(2, 2, (8, 24)), &[&room(18, 57)]);
    assert_eq!(
        lines(&app, 8, 24),
        [
            "Player A has 0 nuggets (",
            "+------+...............|",
            "|......|...............|",
            "|.....@|...............|",
            "+------+...............|",
            ".......................|",
            ".....................@.|",
            "-----------------------+",
        ]
    );
    assert_eq!(cursor_in(&app, 8, 24), Some((6, 21)));
}

#[test]
fn the_view_stays_while_the_player_is_away_from_its_edges() {
    let mut app = scrolled(10, 30, (11, 40));
    let home = origin(&app);
    for col in 12..=30 {
        app = after(app, &[&room(10, col)]);
        assert_eq!(origin(&app), home, "column {col}");
    }
    let app = after(app, &[&room(10, 45)]);
    assert_ne!(origin(&app), home);
}

#[test]
fn a_click_on_a_scrolled_map_means_the_gridpoint_that_is_drawn_there() {
    let app = scrolled(18, 57, (8, 24));
    let area = Rect::new(0, 0, 24, 8);
    assert_eq!(point_at(&app, area, Position::new(21, 6)), Some(Point::new(18, 57)));
}

#[test]
fn tab_looks_around_and_any_other_key_comes_back() {
    let mut app = scrolled(2, 2, (8, 24));
    let home = origin(&app);
    key(&mut app, Key::Tab);
    key(&mut app, Key::Char('l'));
    key(&mut app, Key::Step(Direction::Down));
    key(&mut app, Key::Sprint(Direction::Right));
    assert_eq!(sent(&mut app), [""; 0], "keys move the view, not the player");
    assert_ne!(origin(&app), home);
    assert_eq!(cursor_in(&app, 8, 24), None, "the player is out of view");
    key(&mut app, Key::Tab);
    assert_eq!(origin(&app), home);
    key(&mut app, Key::Tab);
    key(&mut app, Key::Char('l'));
    key(&mut app, Key::Char('o'));
    assert_eq!(origin(&app), home);
    assert_eq!(sent(&mut app).len(), 1, "the key that comes back has its effect");
}

#[test]
fn dragging_moves_the_map_with_the_mouse() {
    let mut app = scrolled(2, 2, (8, 24));
    app.handle_drag(Position::new(20, 6), Position::new(15, 4));
    assert_eq!(origin(&app), Point::new(2, 5));
    key(&mut app, Key::Char('l'));
    assert_eq!(origin(&app), Point::new(2, 11), "it stays until Tab");
    key(&mut app, Key::Tab);
    assert_eq!(origin(&app), Point::new(0, 0));
}

#[test]
fn where_the_whole_map_is_shown_there_is_nothing_to_look_around() {
    let mut app = scrolled(2, 2, (30, 80));
    key(&mut app, Key::Tab);
    assert_eq!(app.note(), Some("the whole map is in view"));
    app.handle_drag(Position::new(20, 6), Position::new(15, 4));
    key(&mut app, Key::Char('l'));
    assert_eq!(sent(&mut app), ["KEY l"]);
}

#[test]
fn a_spectator_looks_around_with_the_keys_alone() {
    let map = room(5, 5).replace('@', "A");
    let mut app = after(app(None), &["GRID 20 60", "GOLD 0 0 250", &map]);
    app = app.with_options(AppOptions { scroll: true, ..auto() });
    app.handle_resize(Window::new(24, 8));
    key(&mut app, Key::Char('L'));
    assert_eq!(origin(&app), Point::new(0, 24));
}

#[test]
fn without_scrolling_a_small_window_asks_for_a_larger_one_and_offers_to_scroll() {
    let mut app = in_room(2, 2);
    app.handle_resize(Window::new(40, 10));
    assert!(lines(&app, 10, 40).join(" ").contains("needs 21 and 60. Please enlarge it."));
    for typed in ['l', 'o', '?', 'x'] {
        key(&mut app, Key::Char(typed));
    }
    app.handle_click(Timestamp(0), Point::new(2, 4));
    assert_eq!(sent(&mut app), [""; 0], "what can't be seen has no effect");
    assert!(!app.help_is_open);
    key(&mut app, Key::Char('s'));
    assert!(lines(&app, 10, 40)[1].starts_with("+---"));
    key(&mut app, Key::Char('l'));
    assert_eq!(sent(&mut app), ["KEY l"]);
}

#[test]
fn keys_act_again_when_the_window_is_large_enough_and_quitting_always_works() {
    let mut app = in_room(2, 2);
    app.handle_resize(Window::new(40, 10));
    key(&mut app, Key::Char('l'));
    app.handle_resize(Window::new(60, 21));
    key(&mut app, Key::Char('k'));
    assert_eq!(sent(&mut app), ["KEY k"]);
    app.handle_resize(Window::new(40, 10));
    key(&mut app, Key::Char('Q'));
    assert_eq!(sent(&mut app), ["KEY Q"]);
}

#[test]
fn even_a_scrolled_map_needs_some_room() {
    let app = scrolled(2, 2, (5, 24));
    let text = lines(&app, 5, 24).join(" ");
    assert!(text.contains("needs 6 and 20. Please"), "{text}");
    assert!(!text.contains("press s"), "{text}");
    assert!(lines(&app, 6, 20)[1].starts_with("+---"));
}
