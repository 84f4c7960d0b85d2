//! Joining: keys, notes and scripts before the server has accepted us.

use super::*;

#[test]
fn an_answer_that_does_not_accept_us_is_noted_and_the_client_keeps_waiting() {
    for (answer, note) in [("ERROR not now", "not now"), ("HELLO", "malformed message")] {
        let mut app = player();
        effects(&mut app);
        feed(&mut app, 10, Hear(answer));
        assert_eq!((app.note(), app.is_joining()), (Some(note), true));
        assert_eq!(wake_until(&mut app, 1_500), [at(1_000, "PLAY Ann")]);
        feed(&mut app, 1_500, Hear("OK A"));
        assert!(!app.is_joining());
    }
}

#[test]
fn quit_keys_leave_at_once_and_other_keys_are_dropped() {
    for key in [Key::Char('Q'), Key::Interrupt, Key::EndOfInput] {
        check(player(), &[(10, Press(key), &["PLAY Ann", "KEY Q", "leave: NeverJoined"])]);
    }
    let mut app = player();
    for key in [Key::Char('l'), Key::Char('?'), Key::Other] {
        feed(&mut app, 10, Press(key));
    }
    assert_eq!(effects(&mut app), ["PLAY Ann"]);
    assert_eq!((app.note(), app.help_is_open), (None, false));
}

#[test]
fn house_rules_that_overtake_the_answer_are_no_rejection() {
    let mut app = player();
    feed(&mut app, 1, Hear("NO House rules: steal"));
    feed(&mut app, 2, Hear("OK A"));
    assert_eq!(effects(&mut app), ["PLAY Ann"]);
    assert_eq!((app.is_joining(), app.house_rules.as_deref()), (false, Some("House rules: steal")));
}
