//! Leaving, being dismissed, the final table, and servers that stop answering.

use super::*;

/// A session that has sent `KEY Q` at 0 ms.
fn leaving(policy: SessionPolicy) -> Session {
    let mut session = playing(policy);
    assert_eq!(feed(&mut session, 0, Quit), ["KEY Q"]);
    session
}

/// A session that has pressed a key and was sent `QUIT` without text at 0 ms.
fn awaiting_final_table(policy: SessionPolicy) -> Session {
    let mut session = playing(policy);
    feed(&mut session, 0, Key(b'l'));
    assert_eq!(feed(&mut session, 0, Hear("QUIT")), ["KEY Q"]);
    assert_eq!(session.stage(), SessionStage::AwaitingFinalTable);
    session
}

const DISMISSED: &str = "leave: Dismissed { reason: Unknown }";

#[test]
fn leaving_waits_for_the_confirmation_and_nothing_comes_after_it() {
    for policy in POLICIES {
        check(
            leaving(policy),
            &[
                (2, Hear(MAP), &[]),
                (3, Quit, &[]),
                (
                    9,
                    Hear("QUIT Thanks for playing!"),
                    &["leave: Left { farewell: \"Thanks for playing!\" }"],
                ),
                (10, Hear("QUIT again"), &[]),
                (11, Quit, &[]),
                (12, Impatience, &[]),
                (13, PortClosed, &[]),
                (14, AddressChange, &[]),
                (15, Hangup, &[]),
            ],
        );
    }
}

#[test]
fn an_unconfirmed_quit_is_sent_three_times() {
    let gone = "leave: LeftUnconfirmed";
    let mut person = leaving(SessionPolicy::PERSON);
    assert_eq!(
        wake_until(&mut person, 60_000),
        [at(1_000, "KEY Q"), at(2_000, "KEY Q"), at(3_000, gone)]
    );
    let mut bot = leaving(SessionPolicy::BOT);
    assert_eq!(wake_until(&mut bot, 60_000), [at(300, "KEY Q"), at(600, "KEY Q"), at(900, gone)]);
}

#[test]
fn the_caller_learns_that_quit_was_sent_again() {
    let mut session = leaving(SessionPolicy::PERSON);
    assert!(!session.handle_timeout(Timestamp(999)));
    assert!(session.handle_timeout(Timestamp(1_000)));
    let mut session = awaiting_final_table(SessionPolicy::PERSON);
    assert!(!session.handle_timeout(Timestamp(1_000)));
}

#[test]
fn an_error_reply_after_the_second_quit_means_that_the_server_has_forgotten_us() {
    for policy in POLICIES {
        for error in ["ERROR who are you?", "NO"] {
            let mut session = leaving(policy);
            hear_all(&mut session, 10, &[error]);
            let pause_ms = policy.quit.first_pause_ms;
            assert_eq!(wake_until(&mut session, pause_ms), [at(pause_ms, "KEY Q")]);
            assert_eq!(feed(&mut session, pause_ms + 10, Hear(error)), ["leave: LeftUnconfirmed"]);
        }
    }
}

#[test]
fn a_closed_port_or_an_impatient_person_ends_the_wait() {
    for policy in POLICIES {
        check(leaving(policy), &[(5, PortClosed, &["leave: LeftUnconfirmed"])]);
        check(leaving(policy), &[(5, Impatience, &["leave: LeftUnconfirmed"])]);
        check(leaving(policy), &[(5, Hangup, &["leave: HungUp"])]);
        check(playing(policy), &[(5, Hangup, &["KEY Q", "leave: HungUp"])]);
    }
}

#[test]
fn the_game_ends_in_both_dialects() {
    let over = "leave: GameOver { table: \"A          4 Alice\\nB         16 B b\" }";
    for policy in POLICIES {
        check(
            playing(policy),
            &[(1, Hear("QUIT GAME OVER:\nA          4 Alice\nB         16 B\tb"), &[over])],
        );
        check(
            playing(policy),
            &[
                (1, Hear("GAMEOVER\nA          4 Alice\nB         16 B\tb\n"), &[over]),
                (2, Hear("QUIT"), &[]),
            ],
        );
    }
}

#[test]
fn the_final_table_is_found_without_a_colon_or_with_blanks() {
    let over = "leave: GameOver { table: \"A          4 Alice\" }";
    for head in ["GAME OVER", "GAME OVER: ", "GAME OVER:\n"] {
        let text = format!("QUIT {head}\nA          4 Alice\n");
        for policy in POLICIES {
            check(playing(policy), &[(1, Hear(&text), &[over])]);
        }
    }
}

#[test]
fn a_quit_without_text_confirms_that_we_left_whatever_errors_came_before() {
    for policy in POLICIES {
        let mut session = playing(policy);
        hear_all(&mut session, 1, &["NO unrecognized keystroke"]);
        check(
            session,
            &[
                (2, Quit, &["KEY Q"]),
                (3, Hear("NO unrecognized keystroke"), &[]),
                (4, Hear("QUIT"), &["leave: Left { farewell: \"\" }"]),
            ],
        );
    }
}

/// In the 2019 dialect the final table precedes `QUIT`, and either may be lost.
#[test]
fn after_a_quit_without_text_it_asks_for_the_final_table() {
    for policy in POLICIES {
        check(
            awaiting_final_table(policy),
            &[
                (1, Hear("QUIT"), &[]),
                (2, Hear(MAP), &[]),
                (
                    9,
                    Hear("GAMEOVER\nA          4 Alice"),
                    &["leave: GameOver { table: \"A          4 Alice\" }"],
                ),
                (10, Hear("QUIT"), &[]),
            ],
        );
    }
}

#[test]
fn it_does_not_ask_for_the_final_table_forever() {
    let mut person = awaiting_final_table(SessionPolicy::PERSON);
    let sent = wake_until(&mut person, 60_000);
    assert_eq!((sent.len(), &sent[6]), (7, &at(1_750, DISMISSED)));
    let mut bot = awaiting_final_table(SessionPolicy::BOT);
    let sent = wake_until(&mut bot, 60_000);
    assert_eq!((sent.len(), &sent[23]), (24, &at(6_000, DISMISSED)));
}

/// The table may never have been sent. If it was, a server that resends it does so within this time.
#[test]
fn after_a_quit_that_answers_no_key_a_person_sends_nothing_and_leaves_within_two_seconds() {
    for last_key_ms in [None, Some(1_000)] {
        let mut session = playing(SessionPolicy::PERSON);
        if let Some(ms) = last_key_ms {
            feed(&mut session, ms, Key(b'l'));
        }
        assert_eq!(feed(&mut session, 3_001, Hear("QUIT")), [""; 0]);
        let mut informed = session.clone();
        assert_eq!(wake_until(&mut session, 60_000), [at(4_751, DISMISSED)]);
        let over = feed(&mut informed, 4_000, Hear("GAMEOVER\nA          4 Alice"));
        assert_eq!(over, ["leave: GameOver { table: \"A          4 Alice\" }"]);
    }
    let mut watching = spectator();
    hear_all(&mut watching, 0, &WELCOME[1..]);
    assert_eq!(feed(&mut watching, 10, Hear("QUIT")), [""; 0]);
    assert_eq!(wake_until(&mut watching, 60_000), [at(1_760, DISMISSED)]);
}

#[test]
fn a_bot_asks_for_the_final_table_after_any_quit_without_text() {
    let mut bot = playing(SessionPolicy::BOT);
    assert_eq!(feed(&mut bot, 60_000, Hear("QUIT")), ["KEY Q"]);
}

/// Returns the time when the session ends if each of these messages arrives once a second.
fn ended_at(policy: SessionPolicy, input: In) -> u64 {
    let mut session = awaiting_final_table(policy);
    for second in 1..100 {
        wake_until(&mut session, second * 1_000);
        if session.stage() == SessionStage::Ended {
            return second;
        }
        feed(&mut session, second * 1_000, input);
    }
    panic!("it never ends");
}

/// A server that crashes while sending the final table resends it after each restart.
#[test]
fn a_bot_asks_for_the_final_table_as_long_as_the_server_may_send_it_but_not_forever() {
    for input in [Hear("QUIT"), PortClosed] {
        assert_eq!(ended_at(SessionPolicy::PERSON, input), 2);
        assert_eq!(ended_at(SessionPolicy::BOT, input), 20);
    }
    assert_eq!(ended_at(SessionPolicy::BOT, Hear("NO what?")), 6);
}

#[test]
fn the_wait_for_the_final_table_can_be_cut_short() {
    for policy in POLICIES {
        for input in [Quit, Impatience] {
            check(awaiting_final_table(policy), &[(1, input, &[DISMISSED])]);
        }
        // A restarted server resends the final table.
        check(awaiting_final_table(policy), &[(1, PortClosed, &[])]);
    }
    check(awaiting_final_table(SessionPolicy::PERSON), &[(1, Hangup, &["leave: HungUp"])]);
}

/// A bot sends keys so fast that the error reply may belong to an earlier one.
#[test]
fn an_error_reply_ends_the_wait_for_the_final_table_for_a_person_but_not_for_a_bot() {
    for (policy, expected) in POLICIES.into_iter().zip([vec![DISMISSED], vec![]]) {
        let mut session = awaiting_final_table(policy);
        wake_until(&mut session, 1_000);
        assert_eq!(feed(&mut session, 1_010, Hear("NO who are you?")), expected);
    }
}

#[test]
fn a_quit_without_text_while_joining_ends_a_persons_session_but_not_a_bots() {
    let dismissed = "leave: DismissedWhileJoining { reason: Unknown }";
    check(joining(SessionPolicy::PERSON), &[(1, Hear("QUIT"), &[dismissed])]);
    check(joining(SessionPolicy::BOT), &[(1, Hear("QUIT"), &["KEY Q"])]);
}

#[test]
fn the_error_reply_just_before_a_quit_without_text_is_its_reason() {
    let why = "leave: Dismissed { reason: PrecedingError(\"The server is shutting down.\") }";
    for policy in POLICIES {
        let mut session = playing(policy);
        hear_all(&mut session, 1, &["NO The server is shutting down."]);
        assert_eq!(feed(&mut session, 2, Hear("QUIT")), [why]);
        for between in [Some(MAP), None] {
            let mut session = playing(policy);
            hear_all(&mut session, 1, &["NO such key"]);
            match between {
                Some(message) => hear_all(&mut session, 2, &[message]),
                None => session.clear_last_error(),
            }
            feed(&mut session, 3, Hear("QUIT"));
            let stage = SessionStage::AwaitingFinalTable;
            assert_eq!(session.stage(), stage, "the error is outdated");
        }
    }
}

#[test]
fn an_error_reply_without_text_is_named_by_its_word() {
    for word in ["NO", "ERROR"] {
        let mut session = playing(SessionPolicy::PERSON);
        let update = session.handle_message(Timestamp(1), word.as_bytes()).unwrap();
        assert_eq!(update, Update::ErrorReply(word.to_owned()));
    }
}

#[test]
fn a_bot_gives_up_a_silent_server_after_a_minute_and_a_person_never_does() {
    let mut bot = playing(SessionPolicy::BOT);
    for ms in [100, 200, 300] {
        assert_eq!(feed(&mut bot, ms, Key(b'l')), ["KEY l"]);
    }
    assert_eq!(wake_until(&mut bot, 90_000), [at(60_100, "leave: ServerLost")]);
    let mut person = playing(SessionPolicy::PERSON);
    feed(&mut person, 100, Key(b'l'));
    assert_eq!(person.poll_timeout(), None);
}

#[test]
fn messages_about_the_game_keep_a_session_alive_and_error_replies_do_not() {
    for (message, stage) in [
        ("GOLD 0 0 250", SessionStage::Playing),
        ("ERROR You have not joined this game.", SessionStage::Ended),
    ] {
        let mut bot = playing(SessionPolicy::BOT);
        for ms in (0..240_000).step_by(20_000) {
            wake_until(&mut bot, ms);
            feed(&mut bot, ms, Key(b'l'));
            feed(&mut bot, ms, Hear(message));
        }
        assert_eq!(bot.stage(), stage, "{message}");
    }
}

#[test]
fn a_port_that_is_closed_for_a_minute_ends_a_bots_session_and_never_a_persons() {
    let mut bot = playing(SessionPolicy::BOT);
    assert_eq!(feed(&mut bot, 1, PortClosed), [""; 0]);
    assert_eq!(wake_until(&mut bot, 90_000), [at(60_001, "leave: ServerLost")]);

    // The restarted server resends the picture.
    let mut resumed = playing(SessionPolicy::BOT);
    feed(&mut resumed, 1, PortClosed);
    hear_all(&mut resumed, 59_000, &[MAP]);
    assert_eq!(wake_until(&mut resumed, 600_000), []);
    assert_eq!(resumed.stage(), SessionStage::Playing);

    let mut over = playing(SessionPolicy::BOT);
    feed(&mut over, 1, PortClosed);
    let over = feed(&mut over, 2, Hear("QUIT GAME OVER:\nA        250 Ann"));
    assert_eq!(over, ["leave: GameOver { table: \"A        250 Ann\" }"]);

    let mut person = playing(SessionPolicy::PERSON);
    assert_eq!(feed(&mut person, 1, PortClosed), [""; 0]);
    assert_eq!(person.poll_timeout(), None);
}
