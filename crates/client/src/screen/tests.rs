//! Whole screens as drawn text, without the blanks at the ends of lines.

mod panel;
mod scrolling;
mod sight;

use nuggets_tui::Key;
use proptest::prelude::*;
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

use super::*;
use crate::{AppOptions, JoinTarget, Timestamp};

fn app(name: Option<&str>) -> App {
    let join = JoinTarget { place: "localhost:1234".into(), name: name.map(Into::into) };
    App::new(Timestamp(0), join)
}

/// `o` explores, and clicks walk.
fn auto() -> AppOptions {
    AppOptions { auto: true, ..AppOptions::default() }
}

fn after(mut app: App, messages: &[&str]) -> App {
    for message in messages {
        let _ = app.handle_message(Timestamp(0), message.as_bytes());
    }
    app
}

fn pressed(mut app: App, key: char) -> App {
    app.handle_key(Timestamp(0), Key::Char(key));
    app
}

const ROOM: &str = "DISPLAY
     +--------------------------------------+
     |.........*.......@....................#
     |...B..................................|
     +--------------------------------------+
                 ####                        
";
const JOINED: [&str; 4] = ["OK A", "GRID 5 45", "GOLD 0 39 211", ROOM];

fn playing() -> App {
    after(app(Some("Ann")), &JOINED)
}

fn watching() -> App {
    after(app(None), &JOINED[1..])
}

fn buffer(app: &App, rows: u16, cols: u16) -> Buffer {
    let area = Rect::new(0, 0, cols, rows);
    let mut buffer = Buffer::empty(area);
    draw(app, &Palette::colored(), area, &mut buffer);
    buffer
}

fn lines(app: &App, rows: u16, cols: u16) -> Vec<String> {
    let cells = buffer(app, rows, cols).content;
    cells
        .chunks(usize::from(cols).max(1))
        .map(|row| row.iter().map(Cell::symbol).collect::<String>())
        .map(|row| row.trim_end().to_owned())
        .collect()
}

fn cursor_in(app: &App, rows: u16, cols: u16) -> Option<(u16, u16)> {
    cursor(app, Rect::new(0, 0, cols, rows)).map(|p| (p.y, p.x))
}

#[test]
fn a_player_plays() {
    assert_eq!(
        lines(&playing(), 6, 50),
        [
            "Player A has 39 nuggets (211 nuggets unclaimed).",
            "     +--------------------------------------+",
            "     |.........*.......@....................#",
            "     |...B..................................|",
            "     +--------------------------------------+",
            "                 ####",
        ]
    );
    assert_eq!(cursor_in(&playing(), 6, 50), Some((2, 23)));
}

#[test]
fn between_two_games_the_table_of_the_last_one_is_shown() {
    let table = "A          4 Ann\nB        246 Bob".to_owned();
    let between = || app(Some("Ann")).for_next_game(Timestamp(0), table.clone());
    let last = "The next game begins soon; you join it automatically. Q leaves.";
    let whole = ["GAME OVER:", "A          4 Ann", "B        246 Bob", "", last, ""];
    assert_eq!(lines(&between(), 6, 80), whole);
    assert_eq!(lines(&between(), 3, 80), ["GAME OVER:", "A          4 Ann", last]);
    assert_eq!(cursor_in(&between(), 6, 80), None);
    let next = after(between(), &JOINED);
    assert_eq!(lines(&next, 6, 50), lines(&playing(), 6, 50));
}

#[test]
fn a_spectator_watches_without_a_cursor() {
    let app = watching();
    assert_eq!(lines(&app, 6, 45)[0], "Spectator: 211 nuggets unclaimed.");
    assert_eq!(lines(&app, 6, 45)[1..], lines(&playing(), 6, 50)[1..]);
    assert_eq!(cursor_in(&app, 6, 45), None);
}

#[test]
fn a_note_that_is_cut_is_shown_once_more_below_the_map_where_there_is_room() {
    let words = "five more minutes, then we all go home";
    let app = after(playing(), &[&format!("ERROR Notice: {words}")]);
    let shown = |rows, cols| lines(&app, rows, cols).last().unwrap().clone();
    assert_eq!(shown(7, 80), words);
    assert_eq!(shown(7, 90), "", "it is not cut");
    assert_eq!(shown(6, 80), lines(&playing(), 6, 80)[5], "the map takes all rows");
}

#[test]
fn a_note_is_right_of_the_status_line_and_cut_at_the_edge() {
    let app = after(playing(), &["GOLD 39 39 211"]);
    let status = |cols| lines(&app, 6, cols)[0].clone();
    assert_eq!(status(80), "Player A has 39 nuggets (211 nuggets unclaimed).  GOLD received: 39");
    assert_eq!(status(55), "Player A has 39 nuggets (211 nuggets unclaimed).  GOLD");
    assert_eq!(status(50), "Player A has 39 nuggets (211 nuggets unclaimed).");
    let noted = buffer(&app, 6, 80)[(50, 0)].clone();
    assert!(noted.modifier.contains(Modifier::BOLD));
    let spectator = after(watching(), &["ERROR only Q"]);
    assert_eq!(lines(&spectator, 6, 80)[0], "Spectator: 211 nuggets unclaimed.  only Q");
}

#[test]
fn until_the_server_answers_the_screen_shows_what_it_waits_for() {
    let mut app = app(Some("Ann"));
    assert_eq!(lines(&app, 2, 60), ["connecting to localhost:1234", ""]);
    app.handle_timeout(Timestamp(1_000));
    app.handle_timeout(Timestamp(2_000));
    assert_eq!(lines(&app, 2, 60), ["connecting to localhost:1234 (try 3 of 12)", ""]);
    assert_eq!(cursor_in(&app, 2, 60), None);
    let app = after(app, &["ERROR wait"]);
    assert_eq!(lines(&app, 1, 60), ["connecting to localhost:1234 (try 3 of 12)  wait"]);
}

#[test]
fn unknown_numbers_are_left_out() {
    assert_eq!(lines(&after(app(Some("Ann")), &["OK C"]), 1, 30), ["Player C"]);
    assert_eq!(lines(&after(app(None), &["GRID 1 9"]), 2, 30), ["Spectator", ""]);
    let lost = after(app(Some("Ann")), &["GOLD 0 0 7"]);
    assert_eq!(lines(&lost, 1, 50), ["Player ? has 0 nuggets (7 nuggets unclaimed)."]);
}

#[test]
fn a_narrow_map_needs_columns_for_the_whole_status_line() {
    let map = "DISPLAY\n+-------------+\n|......@......|\n+-------------+\n";
    let app = after(app(Some("Ann")), &["OK A", "GRID 3 15", "GOLD 0 9 241", map]);
    // 49 columns: both numbers might become as wide as 250.
    for gold in ["GOLD 0 9 241", "GOLD 1 10 240", "GOLD 240 250 0"] {
        let app = after(app.clone(), &[gold]);
        let shown = [48, 49].map(|cols| lines(&app, 4, cols)[0].starts_with("Player A has"));
        assert_eq!(shown, [false, true], "{gold}");
    }
}

#[test]
fn a_terminal_that_is_too_small_shows_the_size_it_needs() {
    let app = playing();
    assert_eq!(
        lines(&app, 5, 80),
        [
            "The window is too small: it has 5 rows and 80 columns, but needs 6 and 49.",
            "Please enlarge it. Or press s to scroll.",
            "",
            "",
            ""
        ]
    );
    assert_eq!(lines(&app, 1, 8), ["The"]);
    assert_eq!(lines(&app, 1, 1), ["T"]);
    assert_eq!(cursor_in(&app, 5, 80), None);
}

#[test]
fn help_covers_the_map_below_the_status_line() {
    let app = pressed(playing(), '?');
    let screen = lines(&app, 22, 51);
    assert_eq!(screen[0], "Player A has 39 nuggets (211 nuggets unclaimed).");
    assert_eq!(screen[1..20], help::page(&app, 51));
    assert_eq!(screen[20..], ["", ""]);
    assert_eq!(cursor_in(&app, 22, 51), None);
    let app = after(app, &["GOLD 0 39 200"]);
    assert!(lines(&app, 22, 51)[0].contains("200 nuggets unclaimed"));
    assert_eq!(lines(&pressed(app, 'x'), 6, 50)[1..], lines(&playing(), 6, 50)[1..]);
}

#[test]
fn a_spectators_help_lists_what_a_spectator_can_do() {
    let app = pressed(watching(), '?');
    let screen = lines(&app, 22, 51);
    let page = help::page(&app, 51);
    assert_eq!(screen[1..=page.len()], page);
    assert!(screen.iter().all(|line| !line.contains("sprint")));
}

/// The help page of a player with `o` and clicks, on a server with these house rules.
fn full_help(rules: &str, cols: u16) -> Vec<String> {
    let rules = format!("ERROR House rules: {rules}");
    let app = after(app(Some("Ann")).with_options(auto()), &[&JOINED[..], &[&rules]].concat());
    let app = pressed(pressed(app, 'l'), '?');
    let mut lines = lines(&app, 30, cols);
    lines.truncate(lines.iter().rposition(|line| !line.is_empty()).expect("some lines") + 1);
    lines
}

#[test]
fn help_lists_exploring_and_walking_only_where_they_work() {
    let lists = |app| {
        let text = help::page(&app, 51).concat();
        [text.contains("  o  "), text.contains("  click  ")]
    };
    assert_eq!(lists(playing()), [false, false]);
    assert_eq!(lists(playing().with_options(auto())), [true, true]);
    assert_eq!(lists(watching().with_options(auto())), [false, false]);
}

#[test]
fn help_shows_the_house_rules_in_one_line_or_two() {
    let help = full_help("vision 5, steal, lifetime 100 with 20 food", 51);
    assert_eq!(help[5..7], ["House rules: vision 5, steal, lifetime 100 with 20", "food"]);
    let help = full_help("vision 5, steal, lifetime 100 with 20 food", 80);
    assert_eq!(help[5], "House rules: vision 5, steal, lifetime 100 with 20 food");
    assert_eq!(help[6], "");
    let help = full_help(&"steal ".repeat(40), 51);
    assert_eq!(help[5], "House rules: steal steal steal steal steal steal");
    assert_eq!(help[6], "steal ".repeat(9)[..51]);
    let spectator = after(watching(), &["NO House rules: steal"]);
    assert!(help::page(&spectator, 51).contains(&"House rules: steal".to_owned()));
}

#[test]
fn help_explains_the_sign_of_food_only_where_there_is_food() {
    for app in [playing(), watching()] {
        let explains = |app: &App| help::page(app, 51).concat().contains("%  food");
        assert!(!explains(&app));
        assert!(!explains(&after(app.clone(), &["NO House rules: steal"])));
        assert!(explains(&after(app, &["NO House rules: lifetime 100 with 20 food"])));
    }
}

#[test]
fn the_page_fits_below_the_status_line_of_an_ordinary_window() {
    for app in [playing(), playing().with_options(auto()), watching()] {
        for rules in [None, Some("ERROR House rules: "), Some("ERROR House rules: steal")] {
            let long = rules.map(|rules| rules.to_owned() + &" food".repeat(30));
            let app = after(app.clone(), &long.as_deref().into_iter().collect::<Vec<_>>());
            let page = help::page(&app, 51);
            assert!(page.len() <= 21, "{page:#?}");
            let fits = |line: &String| line.len() <= 51 || line.contains("food");
            assert!(page.iter().all(fits), "{page:#?}");
        }
    }
}

#[test]
fn a_click_means_the_gridpoint_that_is_drawn_there() {
    let area = Rect::new(0, 0, 50, 8);
    let clicked = |app: &App, x, y| {
        point_at(app, area, Position::new(x, y)).map(|point| (point.row, point.col))
    };
    let app = playing();
    assert_eq!(clicked(&app, 23, 2), Some((1, 23)), "where the cursor is");
    assert_eq!(clicked(&app, 0, 1), Some((0, 0)));
    assert_eq!(clicked(&app, 44, 5), Some((4, 44)));
    for (x, y) in [(0, 0), (45, 5), (44, 6), (50, 1), (u16::MAX, u16::MAX)] {
        assert_eq!(clicked(&app, x, y), None, "{x} {y}");
    }
    assert_eq!(clicked(&pressed(app.clone(), '?'), 23, 2), None, "help covers it");
    let small = Rect::new(0, 0, 40, 8);
    assert_eq!(point_at(&app, small, Position::new(23, 2)), None, "it is not shown");
}

#[test]
fn help_in_a_small_window_keeps_the_line_that_says_how_to_close_it() {
    let app = pressed(playing(), '?');
    assert_eq!(lines(&app, 4, 20), ["Player A has 39 nugg", "NUGGETS", "", "Press any key to con"]);
    assert_eq!(lines(&app, 2, 20)[1], "Press any key to con");
    assert_eq!(lines(&app, 1, 20), ["Player A has 39 nugg"]);
}

#[test]
fn each_kind_of_cell_has_its_own_style() {
    let buffer = buffer(&playing(), 6, 50);
    let color = |x: u16, y: u16| (buffer[(x, y)].symbol(), buffer[(x, y)].fg);
    assert_eq!(color(15, 2), ("*", Color::Yellow));
    assert_eq!(color(23, 2), ("@", Color::White));
    assert_eq!(color(9, 3), ("B", Color::LightRed));
    assert_eq!(color(5, 1), ("+", Color::Cyan));
    assert_eq!(color(17, 5), ("#", Color::LightBlue));
    assert_eq!(color(6, 2), (".", Color::Reset));
    assert!(buffer[(23, 2)].modifier.contains(Modifier::REVERSED));
}

#[test]
fn plain_text_is_the_status_line_and_the_last_picture() {
    let app = after(playing(), &["ERROR not shown here"]);
    let text = plain(&app).unwrap();
    let expected = lines(&playing(), 6, 50).join("\n") + "\n";
    assert_eq!(text, expected);
    assert_eq!(plain(&tests::app(None)), None);
}

#[test]
fn it_draws_only_within_its_area() {
    let whole = Rect::new(0, 0, 60, 10);
    let part = Rect::new(3, 2, 50, 6);
    let mut buffer = Buffer::filled(whole, Cell::new("~"));
    draw(&playing(), &Palette::plain(), part, &mut buffer);
    let outside = whole.positions().filter(|&p| !part.contains(p));
    assert!(outside.into_iter().all(|p| buffer[p].symbol() == "~"));
    assert_eq!(cursor(&playing(), part), Some(Position::new(26, 4)));
    assert_eq!(buffer[(26, 4)].symbol(), "@");
}

fn message() -> impl Strategy<Value = Vec<u8>> {
    let words = "|OK |GRID 2 3|GRID 65000 |GOLD 1 2 3|GOLD 9 |DISPLAY\n|ERROR |NO |QUIT ";
    let words: Vec<&str> = words.split('|').collect();
    let cells = || prop_oneof![any::<u8>(), prop::sample::select(b"@.# *|B".to_vec())];
    let picture = (prop::collection::vec(cells(), 3), prop::collection::vec(cells(), 3));
    let rest = prop_oneof![
        Just(Vec::new()),
        Just(b"A".to_vec()),
        Just(b"4294967295 4294967295".to_vec()),
        prop::collection::vec(any::<u8>(), 0..60),
        picture.prop_map(|(first, second)| [first, second].join(&b'\n')),
    ];
    (prop::sample::select(words), rest).prop_map(|(word, rest)| [word.as_bytes(), &rest].concat())
}

/// Any key; the exploring key is more frequent than others.
fn key() -> impl Strategy<Value = char> {
    prop_oneof![Just('o'), any::<char>()]
}

proptest! {
    #[test]
    fn only_printable_ascii_from_a_server_reaches_the_screen(
        name in prop::option::of(Just("Ann")),
        steps in prop::collection::vec((message(), prop::option::of(key())), 0..12),
        clicks in prop::collection::vec((0u16..4, 0u16..4), 0..12),
        sizes in prop::collection::vec((0u16..30, 0u16..90), 1..4),
    ) {
        let mut app = app(name).with_options(auto());
        let mut clicks = clicks.into_iter();
        for (message, key) in steps {
            let _ = app.handle_message(Timestamp(0), &message);
            if let Some((row, col)) = clicks.next() {
                app.handle_click(Timestamp(0), Point::new(row, col));
            }
            if let Some(key) = key {
                app.handle_key(Timestamp(0), Key::Char(key));
            }
            for &(rows, cols) in &sizes {
                for cell in &buffer(&app, rows, cols).content {
                    let symbol = cell.symbol();
                    prop_assert!(matches!(symbol.as_bytes(), [b' '..=b'~']), "{symbol:?}");
                }
                let at = cursor(&app, Rect::new(0, 0, cols, rows));
                prop_assert!(at.is_none_or(|p| p.x < cols && p.y < rows));
            }
        }
        let text = plain(&app).unwrap_or_default();
        prop_assert!(text.bytes().all(|b| matches!(b, b'\n' | b' '..=b'~')));
    }

    #[test]
    fn any_area_can_be_drawn_in(x: u16, y: u16, cols in 0u16..99, rows in 0u16..40, key in "[?x]") {
        let area = Rect::new(x, y, cols, rows);
        let app = pressed(playing(), key.chars().next().unwrap());
        for held in [area, Rect::new(0, 0, 50, 20), Rect::ZERO] {
            draw(&app, &Palette::colored(), area, &mut Buffer::empty(held));
        }
        cursor(&app, area);
    }
}

/// The two messages of the new map may overtake each other.
#[test]
fn a_new_grid_in_the_middle_of_a_game_is_followed() {
    let grid = "GRID 3 6";
    let map = "DISPLAY\n+----+\n|.@*.|\n+----+\n";
    for messages in [[grid, map], [map, grid]] {
        let app = after(playing().with_options(auto()), &messages);
        assert_eq!(lines(&app, 5, 70)[1..], ["+----+", "|.@*.|", "+----+", ""], "{messages:?}");
        assert_eq!(cursor_in(&app, 5, 70), Some((2, 2)));
    }
    let app = after(watching(), &[grid, map, "GRID 5 45", ROOM]);
    assert_eq!(lines(&app, 6, 60)[1..], lines(&watching(), 6, 60)[1..]);
}
