//! Leaving: the effect of each key, and the notes.

use super::*;

const DISMISSED: &str = "leave: Dismissed { reason: Unknown }";

/// A player that has sent `KEY Q`.
fn leaving() -> App {
    let mut app = playing();
    feed(&mut app, 0, Type('Q'));
    assert_eq!(effects(&mut app), ["KEY Q"]);
    app
}

/// A player that has pressed a key and was sent `QUIT` without text.
fn awaiting_final_table() -> App {
    let mut app = playing();
    feed(&mut app, 0, Type('l'));
    feed(&mut app, 0, Hear("QUIT"));
    assert_eq!(effects(&mut app), ["KEY l", "KEY Q"]);
    assert_eq!(app.note(), Some("waiting for the result"));
    app
}

#[test]
fn quit_keys_leave_and_nothing_comes_after_the_confirmation() {
    let left = "leave: Left { farewell: \"Thanks for playing!\" }";
    for key in [Key::Char('Q'), Key::Interrupt, Key::EndOfInput] {
        check(
            playing(),
            &[
                (1, Press(key), &["KEY Q"]),
                (9, Hear("QUIT Thanks for playing!"), &[left]),
                (11, Type('l'), &[]),
            ],
        );
    }
}

#[test]
fn a_quit_that_is_sent_again_is_noted() {
    let mut app = leaving();
    assert_eq!(wake_until(&mut app, 1_000), [at(1_000, "KEY Q")]);
    assert_eq!(app.note(), Some("waiting for confirmation"));
    let last = wake_until(&mut app, 60_000).pop();
    assert_eq!(last, Some(at(3_000, "leave: LeftUnconfirmed")));
    assert_eq!((app.note(), app.poll_timeout()), (None, None));
}

#[test]
fn while_leaving_only_an_interrupt_has_an_effect() {
    check(
        leaving(),
        &[
            (1, Type('l'), &[]),
            (2, Type('Q'), &[]),
            (3, Type('?'), &[]),
            (4, Press(Key::EndOfInput), &[]),
            (5, Pipe("l"), &[]),
            (6, PipeEnd, &[]),
            (7, Press(Key::Interrupt), &["leave: LeftUnconfirmed"]),
        ],
    );
}

#[test]
fn while_waiting_for_the_final_table_keys_of_the_game_are_dropped() {
    let mut app = awaiting_final_table();
    feed(&mut app, 3, Type('l'));
    assert_eq!(effects(&mut app), [""; 0]);
}

#[test]
fn quit_keys_end_the_wait_for_the_final_table() {
    for key in [Key::Char('Q'), Key::Interrupt, Key::EndOfInput] {
        check(awaiting_final_table(), &[(1, Press(key), &[DISMISSED])]);
    }
}

#[test]
fn help_is_closed_by_a_quit_of_the_server() {
    let mut app = playing();
    feed(&mut app, 1, Type('?'));
    feed(&mut app, 2, Hear("QUIT"));
    assert!(!app.help_is_open);
}

#[test]
fn an_error_reply_before_a_key_is_not_the_reason_of_a_quit_without_text() {
    let mut app = playing();
    feed(&mut app, 1, Hear("NO such key"));
    feed(&mut app, 2, Type('l'));
    feed(&mut app, 3, Hear("QUIT"));
    assert_eq!(app.note(), Some("waiting for the result"));
}
