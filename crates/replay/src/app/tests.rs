//! Replays in virtual time: keys and times in, the position in the recording out.

use proptest::prelude::*;

use super::*;
use crate::tests::{app, game, recorded};

/// The app after these characters, all typed at once.
fn typed(mut app: ReplayApp, keys: &str) -> ReplayApp {
    keys.chars().for_each(|key| app.handle_key(app.last, Key::Char(key)));
    app
}

fn played(mut app: ReplayApp, until_ms: u64) -> ReplayApp {
    app.handle_timeout(Timestamp(until_ms));
    app
}

/// The number of applied entries, and recorded milliseconds.
fn place(app: &ReplayApp) -> (usize, u64) {
    (app.position(), app.at().0)
}

#[test]
fn it_replays_at_the_recorded_times_and_stops_at_the_end() {
    for (ms, entries) in [(0, 0), (499, 0), (500, 1), (1_000, 3), (2_100, 6), (59_999, 6)] {
        assert_eq!(place(&played(app(), ms)), (entries, ms));
    }
    let ended = played(app(), 99_999);
    assert_eq!(place(&ended), (10, 62_000));
    assert!(!ended.is_playing && ended.is_at_end() && ended.poll_timeout().is_none());
    assert_eq!(ended.game().remaining(), 0);
}

#[test]
fn the_timeout_is_the_next_entry_or_the_next_second() {
    let mut app = app();
    let mut wakes = vec![];
    while let Some(then) = app.poll_timeout().filter(|then| then.0 <= 4_000) {
        app.handle_timeout(then);
        wakes.push(then.0);
    }
    assert_eq!(wakes, [500, 900, 1_000, 1_500, 2_000, 2_100, 3_000, 4_000]);
}

#[test]
fn space_pauses_continues_and_restarts_at_the_end() {
    let paused = typed(played(app(), 700), " ");
    assert_eq!(place(&played(paused.clone(), 9_000)), (1, 700));
    assert_eq!(paused.poll_timeout(), None);
    let mut again = played(paused, 9_000);
    again.handle_key(Timestamp(9_000), Key::Char(' '));
    assert_eq!(place(&played(again, 9_300)), (3, 1_000));
    let anew = typed(played(app(), 99_999), " ");
    assert_eq!((place(&anew), anew.is_playing), ((0, 0), true));
}

#[test]
fn speed_goes_from_a_quarter_to_64_without_rounding_errors() {
    assert_eq!(place(&played(typed(app(), "+"), 250)), (1, 500));
    assert_eq!(place(&played(typed(app(), "++++++++++"), 1_000)), (10, 62_000));
    let mut slow = typed(app(), "-------");
    assert_eq!(slow.speed.to_string(), "0.25x");
    (1..=2_001).for_each(|ms| slow.handle_timeout(Timestamp(ms)));
    assert_eq!(place(&slow), (1, 500), "quarters are not lost");
}

#[test]
fn steps_go_from_input_to_input_in_both_directions_and_pause() {
    let mut app = app();
    let mut places = vec![];
    for key in ".....,,,,,,".chars() {
        app = typed(app, &key.to_string());
        places.push(app.position());
    }
    assert_eq!(places, [1, 3, 4, 5, 6, 5, 4, 3, 1, 0, 0], "a spectator is no input");
    assert!(!app.is_playing);
    assert_eq!(typed(app, "..........").position(), 10);
}

#[test]
fn arrows_step_and_jump() {
    let mut app = app();
    let mut press = |key| {
        app.handle_key(Timestamp(0), key);
        place(&app)
    };
    assert_eq!(press(Key::Step(Direction::Right)), (1, 500));
    assert_eq!(press(Key::Step(Direction::Left)), (0, 0));
    assert_eq!(press(Key::Sprint(Direction::Right)), (6, 10_000));
    assert_eq!(press(Key::Sprint(Direction::Right)), (6, 20_000));
    assert_eq!(press(Key::Sprint(Direction::Left)), (6, 10_000));
    assert_eq!(press(Key::Step(Direction::DownLeft)), (10, 62_000));
    assert_eq!(press(Key::Step(Direction::UpLeft)), (0, 0));
}

#[test]
fn jumps_go_ten_seconds_and_stop_at_both_ends() {
    assert_eq!(place(&typed(app(), "ll")), (6, 20_000));
    assert_eq!(place(&typed(app(), "llhhh")), (0, 0));
    assert_eq!(place(&typed(app(), "lllllll")), (10, 62_000));
}

#[test]
fn gold_is_found_in_both_directions() {
    let places =
        ["g", "gg", "ggg", "ggb", "ggbb", "gggb"].map(|keys| typed(app(), keys).position());
    assert_eq!(places, [4, 9, 10, 4, 0, 9]);
}

#[test]
fn skipping_shortens_pauses_to_a_second() {
    let app = typed(app(), "s");
    assert_eq!(place(&played(app.clone(), 3_099)), (6, 3_099));
    assert_eq!(place(&played(app.clone(), 3_100)), (7, 60_000));
    assert_eq!(place(&played(typed(app, "s"), 3_100)), (6, 3_100), "and off again");
    // In the middle of a pause.
    let late = typed(played(self::app(), 30_000), "s");
    assert_eq!(place(&played(late, 30_000)), (7, 60_000));
}

#[test]
fn views_are_chosen_by_letter_or_in_turn() {
    let [a, b] = [0, 1].map(|nth| Viewer::Player(Letter::nth(nth).unwrap()));
    assert_eq!(typed(app(), "B").viewer, b);
    assert_eq!(typed(app(), "B0").viewer, Viewer::Spectator);
    let unknown = typed(app(), "AC");
    assert_eq!((unknown.viewer, unknown.note), (a, Some(NoSuchPlayer(Letter::nth(2).unwrap()))));
    assert_eq!(typed(unknown, "0").note, None);
    let mut app = app();
    let mut turn = |key| {
        app.handle_key(Timestamp(0), key);
        app.viewer
    };
    assert_eq!([Key::Tab; 4].map(&mut turn), [a, b, Viewer::Spectator, a]);
    assert_eq!([Key::BackTab; 3].map(turn), [Viewer::Spectator, b, a]);
    assert!(self::app().with_viewer(b).is_ok());
    assert!(ReplayApp::new(recorded(&[])).unwrap().with_viewer(a).is_err());
}

#[test]
fn q_and_interrupts_leave_and_any_key_closes_the_help() {
    assert!(typed(app(), "q").is_closed());
    for key in [Key::Interrupt, Key::EndOfInput] {
        let mut helped = typed(app(), "?");
        helped.handle_key(Timestamp(0), key);
        assert!(helped.is_closed());
    }
    let helped = typed(app(), "?");
    assert!(helped.is_help_open() && !helped.is_playing);
    let back = typed(helped, "q");
    assert!(!back.is_help_open() && !back.is_closed());
}

#[test]
fn a_suspended_replay_continues_where_it_was() {
    let mut app = played(app(), 700);
    app.handle_continued(Timestamp(50_000));
    assert_eq!(place(&played(app, 50_300)), (3, 1_000));
}

#[test]
fn an_empty_recording_is_at_its_end_at_once() {
    let app = typed(ReplayApp::new(recorded(&[])).unwrap(), " .,lhgbs+-?? ");
    assert_eq!((place(&app), app.is_playing), ((0, 0), false));
}

proptest! {
    /// Whichever keys lead to a position, the game is the recorded one at that position.
    #[test]
    fn every_position_has_its_recorded_game(keys in "[ .,lhgbs+AB0-]{0,40}", steps in 0_u64..900) {
        let mut app = app();
        for (ms, key) in (0..).map(|n| n * steps).zip(keys.chars()) {
            app.handle_key(Timestamp(ms), Key::Char(key));
        }
        let mut straight = Replay::new(game()).unwrap();
        straight.seek(app.position()).unwrap();
        prop_assert_eq!(app.game().state_hash(), straight.game().state_hash());
        prop_assert!(app.at() <= app.duration());
    }
}
