//! The way in.

use super::*;

#[test]
fn a_player_asks_with_its_name_and_a_spectator_without() {
    assert_eq!(effects(&mut player()), ["PLAY Ann"]);
    assert_eq!(effects(&mut spectator()), ["SPECTATE"]);
    assert_eq!(effects(&mut app(Some(""))), ["PLAY "]);
}

#[test]
fn a_name_is_cut_to_fifty_bytes() {
    let long = "x".repeat(51);
    let cut = format!("PLAY {}", "x".repeat(50));
    assert_eq!(effects(&mut app(Some(&long))), [cut]);
}

#[test]
fn a_newline_in_a_name_does_not_spoil_the_message() {
    assert_eq!(effects(&mut app(Some("Ann\n"))), ["PLAY Ann_"]);
}

#[test]
fn unanswered_it_asks_five_times_more_and_gives_up_after_six_seconds() {
    let mut app = player();
    assert_eq!(effects(&mut app), ["PLAY Ann"]);
    assert_eq!(
        wake_until(&mut app, 60_000),
        [
            at(1_000, "PLAY Ann"),
            at(2_000, "PLAY Ann"),
            at(3_000, "PLAY Ann"),
            at(4_000, "PLAY Ann"),
            at(5_000, "PLAY Ann"),
            at(6_000, "leave: NoAnswer"),
        ]
    );
    assert_eq!(app.poll_timeout(), None);
}

#[test]
fn answered_it_asks_no_more() {
    let mut app = playing();
    assert!(!app.is_joining());
    assert_eq!(wake_until(&mut app, 60_000), []);
    assert_eq!(app.poll_timeout(), None);
}

#[test]
fn a_spectator_is_in_without_a_letter() {
    let mut app = spectator();
    for message in ["GRID 3 5", "GOLD 0 0 250", MAP] {
        feed(&mut app, 0, Hear(message));
    }
    assert_eq!(effects(&mut app), ["SPECTATE"]);
    assert_eq!(wake_until(&mut app, 60_000), []);
}

#[test]
fn when_its_letter_was_lost_it_asks_again() {
    let mut app = player();
    for message in ["GRID 3 5", MAP] {
        feed(&mut app, 0, Hear(message));
    }
    effects(&mut app);
    assert_eq!(wake_until(&mut app, 1_999), [at(1_000, "PLAY Ann")]);
    for message in ["OK A", "GRID 3 5", MAP] {
        feed(&mut app, 2_000, Hear(message));
    }
    assert_eq!(wake_until(&mut app, 60_000), []);
}

/// There are servers to whom a second `PLAY` is a second player.
#[test]
fn in_the_game_it_asks_no_more_whatever_else_was_lost() {
    for told in ["GOLD 0 0 250", MAP, "DISPLAY\n"] {
        let mut app = player();
        feed(&mut app, 0, Hear("OK A"));
        feed(&mut app, 0, Hear(told));
        assert_eq!(effects(&mut app), ["PLAY Ann"], "{told:?}");
        assert_eq!(wake_until(&mut app, 60_000), [], "{told:?}");
    }
    let mut app = spectator();
    feed(&mut app, 0, Hear("GOLD 0 0 250"));
    assert_eq!(effects(&mut app), ["SPECTATE"]);
    assert_eq!(wake_until(&mut app, 60_000), []);
}

#[test]
fn an_incomplete_answer_is_no_reason_to_leave() {
    let mut app = player();
    effects(&mut app);
    feed(&mut app, 0, Hear("OK A"));
    let asked = wake_until(&mut app, 60_000);
    assert_eq!(asked.len(), 5);
    assert!(asked.iter().all(|(_, effect)| effect == "PLAY Ann"));
}

#[test]
fn refused_before_anything_else_it_leaves() {
    for (words, ending) in [
        ("NO", "leave: Refused(\"\")"),
        ("NO more room", "leave: Refused(\"more room\")"),
        (
            "QUIT Game is full: no more players can join.",
            "leave: Quit(\"Game is full: no more players can join.\")",
        ),
    ] {
        check(player(), &[(0, Hear(words), &["PLAY Ann", ending])]);
    }
}

#[test]
fn an_error_before_joining_is_a_note_and_it_goes_on_waiting() {
    let mut app = player();
    effects(&mut app);
    feed(&mut app, 10, Hear("ERROR not now"));
    assert_eq!(app.note(), Some("not now"));
    assert!(app.is_joining());
    feed(&mut app, 500, Hear("OK A"));
    assert!(!app.is_joining());
}

#[test]
fn when_all_answers_were_errors_the_last_one_is_the_reason() {
    let mut app = player();
    effects(&mut app);
    feed(&mut app, 10, Hear("ERROR no such words"));
    let last = wake_until(&mut app, 60_000).pop();
    assert_eq!(last, Some(at(6_000, "leave: Refused(\"no such words\")")));
}

#[test]
fn a_malformed_answer_is_no_answer() {
    let mut app = player();
    effects(&mut app);
    feed(&mut app, 10, Hear("HELLO"));
    assert_eq!(app.note(), Some("malformed message"));
    assert!(app.is_joining());
    assert_eq!(wake_until(&mut app, 1_500), [at(1_000, "PLAY Ann")]);
    let last = wake_until(&mut app, 60_000).pop();
    assert_eq!(last, Some(at(6_000, "leave: Nonsense")), "not that nobody answers");
}

#[test]
fn keys_that_quit_leave_at_once_and_all_others_are_dropped() {
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
        &[(0, Detour, &["PLAY Ann", "PLAY Ann"]), (1, Refused, &["leave: PortClosed"])],
    );
}

#[test]
fn at_another_address_it_has_all_its_tries_again() {
    let mut app = player();
    effects(&mut app);
    assert_eq!(wake_until(&mut app, 2_500).len(), 2);
    feed(&mut app, 2_500, Detour);
    assert_eq!(effects(&mut app), ["PLAY Ann"]);
    let rest = wake_until(&mut app, 60_000);
    assert_eq!(rest.len(), 6);
    assert_eq!(rest[5], at(8_500, "leave: NoAnswer"));
}

#[test]
fn a_hangup_says_goodbye_to_whoever_may_have_heard() {
    check(player(), &[(10, Hangup, &["PLAY Ann", "KEY Q", "leave: HungUp"])]);
}
