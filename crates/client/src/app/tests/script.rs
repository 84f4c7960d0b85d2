//! Keys from a pipe.

use super::*;

#[test]
fn keys_from_a_pipe_wait_for_the_first_picture_and_keep_a_pace() {
    let mut app = player();
    feed(&mut app, 0, Pipe("l?\r\n5"));
    feed(&mut app, 0, PipeEnd);
    for message in ["OK A", "GRID 3 5", "GOLD 0 0 250"] {
        feed(&mut app, 10, Hear(message));
    }
    assert_eq!(effects(&mut app), ["PLAY Ann"]);
    feed(&mut app, 20, Hear(MAP));
    assert_eq!(effects(&mut app), ["KEY l"]);
    assert_eq!(wake_until(&mut app, 100), [at(25, "KEY ?"), at(30, "KEY 5"), at(35, "KEY Q")]);
}

#[test]
fn after_a_quit_in_a_script_nothing_is_played() {
    let mut app = playing();
    feed(&mut app, 0, Pipe("hQl"));
    feed(&mut app, 0, PipeEnd);
    assert_eq!(effects(&mut app), ["KEY h"]);
    assert_eq!(wake_until(&mut app, 900), [at(5, "KEY Q")]);
}

#[test]
fn an_empty_script_joins_and_leaves() {
    let mut app = player();
    feed(&mut app, 0, PipeEnd);
    assert_eq!(effects(&mut app), ["PLAY Ann"]);
    feed(&mut app, 1, Hear("OK A"));
    feed(&mut app, 1, Hear(MAP));
    assert_eq!(effects(&mut app), ["KEY Q"]);
}

#[test]
fn a_script_does_not_wait_forever_for_a_picture() {
    let mut app = player();
    feed(&mut app, 0, Pipe("l"));
    feed(&mut app, 0, Hear("OK A"));
    feed(&mut app, 0, Hear("GRID 3 5"));
    effects(&mut app);
    assert_eq!(wake_until(&mut app, 60_000), [at(12_000, "KEY l")]);
}

#[test]
fn a_byte_that_is_no_key_is_noted_and_not_sent() {
    let mut app = playing();
    feed(&mut app, 0, Pipe("\x1b"));
    assert_eq!(effects(&mut app), [""; 0]);
    assert_eq!(app.note(), Some("unknown keystroke"));
    feed(&mut app, 5, Pipe("l"));
    assert_eq!((effects(&mut app).len(), app.note()), (1, None));
}

#[test]
fn more_of_a_script_is_wanted_when_all_is_played() {
    let mut app = player();
    assert!(app.wants_script());
    feed(&mut app, 0, Pipe("h"));
    assert!(!app.wants_script());
    for message in ["OK A", "GRID 3 5", MAP] {
        feed(&mut app, 0, Hear(message));
    }
    assert!(app.wants_script());
    feed(&mut app, 5, PipeEnd);
    assert!(!app.wants_script());
}
