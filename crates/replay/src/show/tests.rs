//! Shows in virtual time: keys and moments in, the place in the recording out.

use proptest::prelude::*;

use super::*;
use crate::tests::{game, recorded, show};

/// The show after these characters, all typed at once.
fn typed(mut show: Show, keys: &str) -> Show {
    keys.chars().for_each(|key| show.handle_key(show.last, Key::Char(key)));
    show
}

fn played(mut show: Show, until_ms: u64) -> Show {
    show.handle_timeout(Millis(until_ms));
    show
}

/// Where it stands: entries behind, and recorded milliseconds.
fn place(show: &Show) -> (usize, u64) {
    (show.position(), show.at().0)
}

#[test]
fn it_plays_at_the_times_of_the_recording_and_stops_at_the_end() {
    for (ms, entries) in [(0, 0), (499, 0), (500, 1), (1_000, 3), (2_100, 6), (59_999, 6)] {
        assert_eq!(place(&played(show(), ms)), (entries, ms));
    }
    let ended = played(show(), 99_999);
    assert_eq!(place(&ended), (10, 62_000));
    assert!(!ended.plays() && ended.is_at_end() && ended.poll_timeout().is_none());
    assert_eq!(ended.game().remaining(), 0);
}

#[test]
fn it_wakes_for_the_next_entry_and_for_every_second() {
    let mut show = show();
    let mut wakes = vec![];
    while let Some(moment) = show.poll_timeout().filter(|moment| moment.0 <= 4_000) {
        show.handle_timeout(moment);
        wakes.push(moment.0);
    }
    assert_eq!(wakes, [500, 900, 1_000, 1_500, 2_000, 2_100, 3_000, 4_000]);
}

#[test]
fn the_blank_pauses_goes_on_and_begins_anew_at_the_end() {
    let paused = typed(played(show(), 700), " ");
    assert_eq!(place(&played(paused.clone(), 9_000)), (1, 700));
    assert_eq!(paused.poll_timeout(), None);
    let mut again = played(paused, 9_000);
    again.handle_key(Millis(9_000), Key::Char(' '));
    assert_eq!(place(&played(again, 9_300)), (3, 1_000));
    let anew = typed(played(show(), 99_999), " ");
    assert_eq!((place(&anew), anew.plays()), ((0, 0), true));
}

#[test]
fn speed_goes_from_a_quarter_to_64_without_losing_a_moment() {
    assert_eq!(place(&played(typed(show(), "+"), 250)), (1, 500));
    assert_eq!(place(&played(typed(show(), "++++++++++"), 1_000)), (10, 62_000));
    let mut slow = typed(show(), "-------");
    assert_eq!(slow.speed().to_string(), "0.25x");
    (1..=2_001).for_each(|ms| slow.handle_timeout(Millis(ms)));
    assert_eq!(place(&slow), (1, 500), "quarters are not lost");
}

#[test]
fn steps_go_from_input_to_input_both_ways_and_pause() {
    let mut show = show();
    let mut places = vec![];
    for key in ".....,,,,,,".chars() {
        show = typed(show, &key.to_string());
        places.push(show.position());
    }
    assert_eq!(places, [1, 3, 4, 5, 6, 5, 4, 3, 1, 0, 0], "who watches is no input");
    assert!(!show.plays());
    assert_eq!(typed(show, "..........").position(), 10);
}

#[test]
fn arrows_do_the_same() {
    let mut show = show();
    let mut press = |key| {
        show.handle_key(Millis(0), key);
        place(&show)
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
fn jumps_go_ten_seconds_and_no_further_than_the_ends() {
    assert_eq!(place(&typed(show(), "ll")), (6, 20_000));
    assert_eq!(place(&typed(show(), "llhhh")), (0, 0));
    assert_eq!(place(&typed(show(), "lllllll")), (10, 62_000));
}

#[test]
fn gold_is_found_both_ways() {
    let places =
        ["g", "gg", "ggg", "ggb", "ggbb", "gggb"].map(|keys| typed(show(), keys).position());
    assert_eq!(places, [4, 9, 10, 4, 0, 9]);
}

#[test]
fn skipping_makes_no_pause_longer_than_a_second() {
    let show = typed(show(), "s");
    assert_eq!(place(&played(show.clone(), 3_099)), (6, 3_099));
    assert_eq!(place(&played(show.clone(), 3_100)), (7, 60_000));
    assert_eq!(place(&played(typed(show, "s"), 3_100)), (6, 3_100), "and off again");
    // In the middle of a pause.
    let late = typed(played(self::show(), 30_000), "s");
    assert_eq!(place(&played(late, 30_000)), (7, 60_000));
}

#[test]
fn eyes_are_chosen_by_letter_or_in_turn() {
    let [a, b] = [0, 1].map(|nth| Viewer::Player(Letter::nth(nth).unwrap()));
    assert_eq!(typed(show(), "B").viewer(), b);
    assert_eq!(typed(show(), "B0").viewer(), Viewer::Spectator);
    let nobody = typed(show(), "AC");
    assert_eq!((nobody.viewer(), nobody.note()), (a, Some(NobodyThere(Letter::nth(2).unwrap()))));
    assert_eq!(typed(nobody, "0").note(), None);
    let mut show = show();
    let mut turn = |key| {
        show.handle_key(Millis(0), key);
        show.viewer()
    };
    assert_eq!([Key::Tab; 4].map(&mut turn), [a, b, Viewer::Spectator, a]);
    assert_eq!([Key::BackTab; 3].map(turn), [Viewer::Spectator, b, a]);
    assert!(self::show().with_viewer(b).is_ok());
    assert!(Show::new(recorded(&[])).unwrap().with_viewer(a).is_err());
}

#[test]
fn q_and_the_keys_that_interrupt_leave_and_help_takes_one_key() {
    assert!(typed(show(), "q").is_over());
    for key in [Key::Interrupt, Key::EndOfInput] {
        let mut helped = typed(show(), "?");
        helped.handle_key(Millis(0), key);
        assert!(helped.is_over());
    }
    let helped = typed(show(), "?");
    assert!(helped.help_is_open() && !helped.plays());
    let back = typed(helped, "q");
    assert!(!back.help_is_open() && !back.is_over());
}

#[test]
fn while_nobody_watches_nothing_is_played() {
    let mut show = played(show(), 700);
    show.handle_absence(Millis(50_000));
    assert_eq!(place(&played(show, 50_300)), (3, 1_000));
}

#[test]
fn an_empty_recording_is_over_at_once() {
    let show = typed(Show::new(recorded(&[])).unwrap(), " .,lhgbs+-?? ");
    assert_eq!((place(&show), show.plays()), ((0, 0), false));
}

proptest! {
    /// However somebody gets about, the game is the one that was recorded up to there.
    #[test]
    fn every_place_has_its_game(keys in "[ .,lhgbs+AB0-]{0,40}", steps in 0_u64..900) {
        let mut show = show();
        for (ms, key) in (0..).map(|n| n * steps).zip(keys.chars()) {
            show.handle_key(Millis(ms), Key::Char(key));
        }
        let mut straight = Replay::new(game()).unwrap();
        straight.seek(show.position()).unwrap();
        prop_assert_eq!(show.game().state_hash(), straight.game().state_hash());
        prop_assert!(show.at() <= show.duration());
    }
}
