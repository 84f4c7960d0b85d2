//! Whole screens as drawn text, without the blanks at the ends of lines.

use nuggets_client::{Key, Millis};
use ratatui::style::Modifier;

use super::*;
use crate::tests::{lines, show};

fn typed(keys: &str) -> Show {
    let mut show = show();
    keys.chars().for_each(|key| show.handle_key(Millis(0), Key::Char(key)));
    show
}

#[test]
fn a_spectator_sees_everything_and_what_happened_so_far() {
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
fn a_player_sees_through_its_own_fog() {
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
fn who_has_not_joined_sees_nothing_and_nobody_sees_through_no_eyes() {
    let early = lines(&typed(".B"), 7, 60);
    assert_eq!(early[0], "00:00/01:02  paused 1x  B, not here yet  9 left  A 0");
    assert!(early[1..5].iter().all(String::is_empty), "{early:?}");
    let nobody = lines(&typed("sZ"), 8, 60);
    assert_eq!(nobody[0], "00:00/01:02  playing 1x skip  spectator  9 left");
    assert_eq!(nobody[6], "nobody plays Z in this recording");
}

#[test]
fn the_bar_shows_where_it_stands() {
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
fn where_purses_have_no_room_the_fullest_come_first() {
    let show = typed("ggg");
    assert_eq!(status::line(&show, 60), "01:02/01:02  ended 1x  spectator  0 left  A 7 B 2");
    assert_eq!(status::line(&show, 45), "01:02/01:02  ended 1x  spectator  0 left  A 7");
    assert_eq!(status::line(&show, 9), "01:02/01:02  ended 1x  spectator  0 left ");
}

#[test]
fn a_window_that_is_too_small_says_what_it_takes() {
    let told = "The window is too small: 7 rows and 60 columns are needed, it has";
    for (rows, cols) in [(6, 80), (7, 59)] {
        let shown = lines(&show(), rows, cols).join(" ");
        assert!(shown.starts_with(&told[..50]), "{shown}");
        assert!(shown.contains(&format!("{rows} and {cols}")), "{shown}");
    }
}

#[test]
fn any_window_can_be_drawn_with_and_without_help() {
    for keys in ["", "?", "gA"] {
        let show = typed(keys);
        for (rows, cols) in [(0, 0), (1, 1), (0, 80), (24, 0), (2, 300), (300, 2), (60, 200)] {
            assert_eq!(
                lines(&show, rows, cols).len() * usize::from(cols),
                usize::from(rows * cols)
            );
        }
    }
}

#[test]
fn the_help_tells_how_to_get_out_even_where_it_is_cut() {
    let whole = lines(&typed("?"), 24, 80);
    assert_eq!(whole[0], "NUGGETS: a recorded game");
    assert_eq!(whole[19], "Press any key to go on.");
    let cut = lines(&typed("?"), 3, 80);
    assert_eq!((cut[0].as_str(), cut[2].as_str()), (whole[0].as_str(), whole[19].as_str()));
}
