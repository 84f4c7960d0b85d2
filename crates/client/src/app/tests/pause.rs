//! A game of our own waits for its player.

use super::*;
use nuggets_atlas::Direction;
use ratatui::layout::Size;

fn own_game() -> App {
    playing().with_options(AppOptions { start: GameStart::FirstKey, ..auto() })
}

/// A game of our own that has begun.
fn begun() -> App {
    playing().with_options(AppOptions { start: GameStart::AtOnce, ..auto() })
}

#[test]
fn the_bots_begin_with_the_first_key() {
    let mut app = own_game();
    assert!(app.is_waiting());
    assert_eq!(app.note(), Some("any key starts; ? for help"));
    feed(&mut app, 1, Type('?'));
    feed(&mut app, 2, Type('x'));
    assert!(app.is_waiting(), "reading the help page is not playing");
    feed(&mut app, 3, Type('l'));
    assert!(!app.is_waiting());
    assert_eq!((effects(&mut app), app.note()), (vec!["KEY l".to_owned()], None));
}

#[test]
fn a_click_begins_the_game_too() {
    let mut app = own_game();
    feed(&mut app, 1, Click(1, 3));
    assert!(!app.is_waiting());
}

#[test]
fn an_early_start_and_a_spectator_wait_for_no_key() {
    assert!(!begun().is_waiting());
    let mut app = spectator().with_options(AppOptions { start: GameStart::FirstKey, ..auto() });
    feed(&mut app, 1, Hear("GRID 3 5"));
    assert!(!app.is_waiting());
}

#[test]
fn the_bots_wait_while_the_game_is_paused() {
    let mut app = begun();
    feed(&mut app, 1, Type('p'));
    assert!(app.is_waiting());
    app.handle_timeout(Timestamp(60_000));
    assert_eq!(app.note(), Some("paused; any key continues"));
    feed(&mut app, 60_001, Type('p'));
    assert!(!app.is_waiting());
    feed(&mut app, 60_002, Type('p'));
    feed(&mut app, 60_003, Press(Key::Step(Direction::Right)));
    assert!(!app.is_waiting());
    assert_eq!(effects(&mut app), ["KEY l"], "the pause key was never sent");
}

#[test]
fn the_bots_wait_while_help_or_the_too_small_screen_is_up() {
    let mut app = begun();
    feed(&mut app, 1, Type('?'));
    assert!(app.is_waiting());
    feed(&mut app, 2, Type('x'));
    assert!(!app.is_waiting());
    app.handle_resize(Size::new(9, 2));
    assert!(app.is_waiting());
    app.handle_resize(Size::new(80, 24));
    assert!(!app.is_waiting());
}

#[test]
fn a_game_of_others_never_waits() {
    let mut app = playing().with_options(auto());
    feed(&mut app, 1, Type('?'));
    app.handle_resize(Size::new(9, 2));
    assert!(!app.is_waiting());
}

#[test]
fn keys_without_a_meaning_are_explained_and_not_sent() {
    for (key, note) in [
        (Key::Char('q'), "Q (capital) leaves the game"),
        (Key::Char('x'), "unknown key; ? lists the keys"),
        (Key::Char('5'), "unknown key; ? lists the keys"),
        (Key::Other, "unknown key; ? lists the keys"),
    ] {
        let mut app = begun();
        feed(&mut app, 1, Press(key));
        assert_eq!((effects(&mut app).len(), app.note()), (0, Some(note)), "{key:?}");
    }
    let mut other = playing().with_options(auto());
    feed(&mut other, 1, Type('q'));
    assert_eq!(effects(&mut other), ["KEY q"], "a server of others gets every key");
}

#[test]
fn the_bots_do_not_wait_for_a_player_who_leaves() {
    let mut app = own_game();
    feed(&mut app, 1, Type('Q'));
    assert!(!app.is_waiting());
    assert_eq!(effects(&mut app), ["KEY Q"]);
}
