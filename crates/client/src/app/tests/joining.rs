//! Joining: keys, notes and scripts before the server has accepted us.

use super::*;

#[test]
fn a_player_asks_with_its_name_and_a_spectator_without() {
    assert_eq!(effects(&mut player()), ["PLAY Ann"]);
    assert_eq!(effects(&mut spectator()), ["SPECTATE"]);
}

#[test]
fn an_unanswered_client_gives_up_after_twelve_seconds() {
    let mut app = player();
    effects(&mut app);
    let out = wake_until(&mut app, 60_000);
    assert_eq!((out.len(), out[11].0), (12, 12_000));
    assert_eq!(app.poll_timeout(), None);
}

#[test]
fn a_client_with_a_complete_answer_has_nothing_due() {
    let app = playing();
    assert!(!app.is_joining());
    assert_eq!(app.poll_timeout(), None);
}

#[test]
fn an_error_reply_while_joining_is_a_note_and_the_client_keeps_waiting() {
    let mut app = player();
    effects(&mut app);
    feed(&mut app, 10, Hear("ERROR not now"));
    assert_eq!(app.note(), Some("not now"));
    assert!(app.is_joining());
    feed(&mut app, 500, Hear("OK A"));
    assert!(!app.is_joining());
}

#[test]
fn a_malformed_answer_is_noted_and_does_not_accept_us() {
    let mut app = player();
    effects(&mut app);
    feed(&mut app, 10, Hear("HELLO"));
    assert_eq!(app.note(), Some("malformed message"));
    assert!(app.is_joining());
    assert_eq!(wake_until(&mut app, 1_500), [at(1_000, "PLAY Ann")]);
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
    assert_eq!((app.note(), app.help_is_open()), (None, false));
}

#[test]
fn a_closed_port_ends_it_unless_there_is_another_address() {
    check(
        player(),
        &[(0, AddressChange, &["PLAY Ann", "PLAY Ann"]), (1, PortClosed, &["leave: PortClosed"])],
    );
}

#[test]
fn house_rules_that_overtake_the_answer_are_no_rejection() {
    let mut app = player();
    feed(&mut app, 1, Hear("NO House rules: steal"));
    feed(&mut app, 2, Hear("OK A"));
    assert_eq!(effects(&mut app), ["PLAY Ann"]);
    assert_eq!((app.is_joining(), app.house_rules()), (false, Some("House rules: steal")));
}
