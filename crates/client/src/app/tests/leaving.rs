//! The way out.

use super::*;

/// A player that has just said goodbye.
fn leaving() -> App {
    let mut app = playing();
    feed(&mut app, 0, Type('Q'));
    assert_eq!(effects(&mut app), ["KEY Q"]);
    app
}

#[test]
fn whoever_wants_to_go_says_so_and_waits_for_the_goodbye() {
    for key in [Key::Char('Q'), Key::Interrupt, Key::EndOfInput] {
        check(
            playing(),
            &[
                (1, Press(key), &["KEY Q"]),
                (2, Hear(MAP), &[]),
                (9, Hear("QUIT Thanks for playing!"), &["leave: Quit(\"Thanks for playing!\")"]),
                (10, Hear("QUIT again"), &[]),
                (11, Type('l'), &[]),
                (12, Refused, &[]),
                (13, Hangup, &[]),
            ],
        );
    }
}

#[test]
fn unanswered_it_says_so_twice_more_and_goes_after_three_seconds() {
    let mut app = leaving();
    assert_eq!(
        wake_until(&mut app, 60_000),
        [at(1_000, "KEY Q"), at(2_000, "KEY Q"), at(3_000, "leave: LeftWithoutGoodbye"),]
    );
}

#[test]
fn while_leaving_keys_mean_nothing_but_an_interrupt_means_now() {
    check(
        leaving(),
        &[
            (1, Type('l'), &[]),
            (2, Type('Q'), &[]),
            (3, Type('?'), &[]),
            (4, Press(Key::EndOfInput), &[]),
            (5, Pipe("l"), &[]),
            (6, PipeEnd, &[]),
            (7, Press(Key::Interrupt), &["leave: LeftWithoutGoodbye"]),
        ],
    );
}

#[test]
fn a_complaint_after_the_second_goodbye_says_that_we_are_gone() {
    for complaint in ["ERROR who are you?", "NO"] {
        let mut app = leaving();
        feed(&mut app, 10, Hear(complaint));
        assert_eq!(effects(&mut app), [""; 0], "it may be about an earlier key");
        assert_eq!(wake_until(&mut app, 1_000), [at(1_000, "KEY Q")]);
        feed(&mut app, 1_010, Hear(complaint));
        assert_eq!(effects(&mut app), ["leave: LeftWithoutGoodbye"]);
    }
}

#[test]
fn a_closed_port_while_leaving_is_as_good_as_a_goodbye() {
    check(leaving(), &[(5, Refused, &["leave: LeftWithoutGoodbye"])]);
}

#[test]
fn a_hangup_waits_for_nothing() {
    check(playing(), &[(5, Hangup, &["KEY Q", "leave: HungUp"])]);
    check(leaving(), &[(5, Hangup, &["leave: HungUp"])]);
}

#[test]
fn the_end_of_the_game_in_both_dialects() {
    check(
        playing(),
        &[(
            1,
            Hear("QUIT GAME OVER:\nA          4 Alice\nB         16 B\tb"),
            &["leave: Quit(\"GAME OVER:\\nA          4 Alice\\nB         16 B?b\")"],
        )],
    );
    check(
        playing(),
        &[
            (
                1,
                Hear("GAMEOVER\nA          4 Alice\n"),
                &["leave: GameOver(\"A          4 Alice\")"],
            ),
            (2, Hear("QUIT"), &[]),
        ],
    );
}

const SENT_AWAY: &str = "leave: Quit(\"The server has ended the game for you.\")";

/// A player that was sent away without a word and has asked why.
fn wondering() -> App {
    let mut app = playing();
    feed(&mut app, 0, Hear("QUIT"));
    assert_eq!(effects(&mut app), ["KEY Q"]);
    assert_eq!(app.note(), Some("waiting for the result"));
    app
}

#[test]
fn a_quit_without_words_gets_some() {
    check(leaving(), &[(1, Hear("QUIT"), &["leave: Quit(\"Goodbye.\")"])]);
    check(player(), &[(1, Hear("QUIT"), &["PLAY Ann", SENT_AWAY])]);
}

/// In 2019 the table goes ahead of `QUIT`, and either may be lost.
#[test]
fn sent_away_without_a_word_it_asks_for_the_table() {
    let table = "leave: GameOver(\"A          4 Alice\")";
    check(
        wondering(),
        &[
            (1, Hear("QUIT"), &[]),
            (2, Hear(MAP), &[]),
            (3, Type('l'), &[]),
            (9, Hear("GAMEOVER\nA          4 Alice"), &[table]),
            (10, Hear("QUIT"), &[]),
        ],
    );
}

#[test]
fn it_does_not_ask_for_ever() {
    let mut app = wondering();
    assert_eq!(
        wake_until(&mut app, 60_000),
        [at(1_000, "KEY Q"), at(2_000, "KEY Q"), at(3_000, "KEY Q"), at(4_000, SENT_AWAY)]
    );
}

#[test]
fn nobody_has_to_wait_for_the_table() {
    for key in [Key::Char('Q'), Key::Interrupt, Key::EndOfInput] {
        check(wondering(), &[(1, Press(key), &[SENT_AWAY])]);
    }
    check(wondering(), &[(1, Refused, &[SENT_AWAY])]);
    check(wondering(), &[(1, Hangup, &["leave: HungUp"])]);
    let mut app = wondering();
    assert_eq!(wake_until(&mut app, 1_000), [at(1_000, "KEY Q")]);
    feed(&mut app, 1_010, Hear("NO who are you?"));
    assert_eq!(effects(&mut app), [SENT_AWAY]);
}

#[test]
fn the_reason_that_came_just_before_a_quit_without_words_is_not_lost() {
    let why = "leave: Quit(\"The server has ended the game for you: too idle\")";
    check(playing(), &[(1, Hear("NO too idle"), &[]), (2, Hear("QUIT"), &[why])]);
    for between in [Type('l'), Hear(MAP)] {
        let mut app = playing();
        feed(&mut app, 1, Hear("NO such key"));
        feed(&mut app, 2, between);
        effects(&mut app);
        feed(&mut app, 3, Hear("QUIT"));
        assert_eq!(effects(&mut app), ["KEY Q"], "after {between:?} it is an old story");
    }
}
