//! The side panel: purses, gold left and the log, in the colours of the players.

use nuggets_tui::ColorDepth;

use super::*;

const BEFORE: &str = "DISPLAY\n+------+\n|@..C*B|\n+------+\n";
const THEN: &str = "DISPLAY\n+------+\n|@..CB.|\n+------+\n";

fn with_panel() -> App {
    let messages = ["OK A", "GRID 3 8", "GOLD 0 0 250", BEFORE, "GOLD 0 0 238", THEN];
    let mut app =
        after(app(Some("Ann")).with_options(AppOptions { panel: true, ..auto() }), &messages);
    app.handle_names(&[('A', "Ann".into()), ('B', "scout 1".into())]);
    app
}

#[test]
fn the_panel_shows_purses_and_what_happened_newest_first() {
    let app = after(with_panel(), &["GOLD 3 3 235"]);
    let lines = lines(&app, 9, 79);
    let panel: Vec<&str> = lines.iter().map(|line| line.get(50..).unwrap_or("")).collect();
    assert_eq!(
        panel,
        [
            "OLD received: 3",
            "A Ann (you)                 3",
            "B scout 1                  12",
            "C                           0",
            "* gold left               235",
            "",
            "00:00 you found 3 nuggets",
            "00:00 B takes 12",
            "00:00 C comes into sight",
        ]
    );
    assert!(lines[1].starts_with("+------+ "), "{lines:#?}");
}

#[test]
fn a_long_entry_takes_several_lines() {
    let words = "ERROR Notice: five more minutes, then we all go home";
    let lines = lines(&after(with_panel(), &[words]), 12, 79);
    let panel: Vec<&str> = lines.iter().skip(6).filter_map(|line| line.get(50..)).collect();
    let expected = ["00:00 five more minutes, then", "      we all go home", "00:00 B takes 12"];
    assert_eq!(panel[..3], expected);
}

#[test]
fn a_player_is_no_rival_of_itself_even_if_its_name_is_known_before_its_letter() {
    let mut app = app(Some("Ann")).with_options(AppOptions { panel: true, ..auto() });
    app.handle_names(&[('A', "Ann".into())]);
    let app = after(app, &["OK A", "GRID 3 8", "GOLD 0 0 250", BEFORE]);
    let shown = lines(&app, 9, 79);
    assert_eq!(shown.iter().filter(|line| line.contains("A Ann")).count(), 1, "{shown:#?}");
}

#[test]
fn purses_that_may_be_larger_are_marked() {
    let lines = lines(&after(with_panel(), &["GOLD 0 0 230", THEN]), 9, 79);
    assert!(lines[2].ends_with(" 12+"), "{lines:#?}");
    assert!(lines[4].ends_with("taken out of sight          8"), "{lines:#?}");
}

#[test]
fn the_panel_needs_room_and_its_key_toggles_it() {
    let has_panel = |app: &App, cols| lines(app, 9, cols)[4].contains("gold left");
    let app = with_panel();
    // The status line takes 49 columns, the gap one, and the panel at least 26.
    assert_eq!([75, 76].map(|cols| has_panel(&app, cols)), [false, true]);
    assert!(!has_panel(&pressed(app.clone(), 'i'), 76));
    assert!(has_panel(&pressed(pressed(app, 'i'), 'i'), 76));
}

#[test]
fn in_a_window_without_room_for_the_panel_its_key_says_so() {
    let mut app = with_panel();
    app.handle_resize(ratatui::layout::Size::new(75, 9));
    let app = pressed(app, 'i');
    assert!(lines(&app, 9, 75)[0].ends_with("  no room for the panel"));
    assert!(lines(&app, 9, 76)[4].contains("gold left"), "it is still open");
}

#[test]
fn a_rival_has_the_same_colour_on_the_map_and_in_the_panel() {
    let app = with_panel();
    let palette = Palette::colored().with(ColorDepth::Many);
    let area = Rect::new(0, 0, 79, 9);
    let mut buffer = Buffer::empty(area);
    draw(&app, &palette, area, &mut buffer);
    let color = |x, y| (buffer[(x, y)].symbol(), buffer[(x, y)].fg);
    let b = palette.player(b'B').fg.unwrap();
    assert_eq!([color(5, 2), color(50, 2), color(56, 6)], [("B", b); 3]);
    assert_ne!(palette.player(b'C').fg, Some(b));
}

#[test]
fn a_scrolled_map_leaves_room_for_the_panel_in_a_wide_window() {
    let mut app = with_panel().with_options(AppOptions { panel: true, scroll: true, ..auto() });
    let wide = format!("DISPLAY\n{}\n", "@".to_owned() + &".".repeat(149));
    app = after(app, &["GRID 1 150", &wide]);
    app.handle_resize(ratatui::layout::Size::new(120, 40));
    let lines = lines(&app, 40, 120);
    assert!(lines[4].ends_with("238"), "{lines:#?}");
    assert_eq!(lines[1].find("A Ann (you)"), Some(86));
}
