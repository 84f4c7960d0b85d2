//! Joining, with all kinds of servers.

use super::*;

#[test]
fn a_name_is_cut_and_cleaned_and_may_be_empty() {
    let first = |name: &[u8]| {
        let mut session = Session::new(Timestamp(0), Some(name), SessionPolicy::PERSON);
        effects(&mut session).remove(0)
    };
    assert_eq!(first(b"Ann\n"), "PLAY Ann_");
    assert_eq!(first(&[b'x'; 51]), format!("PLAY {}", "x".repeat(50)));
    assert_eq!(first(b""), "PLAY ");
}

#[test]
fn a_person_asks_a_server_that_sends_nothing_each_second_for_twelve_seconds() {
    let mut session = joining(SessionPolicy::PERSON);
    assert_eq!(session.join_tries(), Some((1, 12)));
    let mut expected: Vec<_> = (1..12).map(|second| at(second * 1_000, "PLAY Ann")).collect();
    expected.push(at(12_000, "leave: NoAnswer { tries: 12, waited_ms: 12000 }"));
    assert_eq!(wake_until(&mut session, 60_000), expected);
    assert_eq!(session.poll_timeout(), None);
}

#[test]
fn a_bot_asks_a_server_that_sends_nothing_with_growing_pauses_for_twenty_seconds() {
    let mut session = joining(SessionPolicy::BOT);
    let mut expected = vec![at(250, "PLAY Ann")];
    expected.extend((0..19).map(|second| at(second * 1_000 + 750, "PLAY Ann")));
    expected.push(at(19_750, "leave: NoAnswer { tries: 21, waited_ms: 19750 }"));
    assert_eq!(wake_until(&mut session, 60_000), expected);
}

/// The server has given the client a seat, and its messages may be lost for any length of time.
#[test]
fn one_that_may_have_a_seat_asks_on_a_person_without_limit_and_a_bot_for_a_minute() {
    let mut person = joining(SessionPolicy::PERSON);
    hear_all(&mut person, 0, &["OK A"]);
    let sent = wake_until(&mut person, 600_000);
    assert!(sent.iter().all(|(_, sent)| sent == "PLAY Ann") && sent.len() > 500, "{sent:?}");
    for answer in ["OK A", "GRID 3 5"] {
        let mut bot = joining(SessionPolicy::BOT);
        hear_all(&mut bot, 0, &[answer]);
        let sent = wake_until(&mut bot, 600_000);
        let (last, sent) = sent.split_last().unwrap();
        assert_eq!(last, &at(59_250, "leave: NotAccepted"));
        assert!(sent.iter().all(|(_, sent)| sent == "PLAY Ann") && sent.len() > 50, "{sent:?}");
    }
}

#[test]
fn after_a_complete_answer_nothing_is_sent_again() {
    for policy in POLICIES {
        let session = playing(policy);
        assert!(!session.is_answer_incomplete());
        assert_eq!(session.poll_timeout(), None);
    }
    let mut spectator = spectator();
    hear_all(&mut spectator, 0, &WELCOME[1..]);
    assert_eq!(spectator.poll_timeout(), None);
}

#[test]
fn when_the_letter_was_lost_it_asks_again() {
    for (policy, pause_ms) in POLICIES.into_iter().zip([1_000, 250]) {
        let mut session = joining(policy);
        hear_all(&mut session, 0, &["GRID 3 5", MAP]);
        assert_eq!(session.stage(), SessionStage::Playing);
        assert_eq!(wake_until(&mut session, 2 * pause_ms - 1), [at(pause_ms, "PLAY Ann")]);
        hear_all(&mut session, 2 * pause_ms, &["OK A", "GRID 3 5", MAP]);
        assert_eq!(wake_until(&mut session, 60_000), []);
    }
}

/// Some servers create a second player for a second `PLAY`.
#[test]
fn once_in_the_game_it_never_asks_again_whatever_else_was_lost() {
    for about_the_game in ["GOLD 0 0 250", MAP, "DISPLAY\n+---+\n|...|\n+---+\n"] {
        for policy in POLICIES {
            let mut session = joining(policy);
            hear_all(&mut session, 0, &["OK A", about_the_game]);
            assert_eq!(session.stage(), SessionStage::Playing);
            assert_eq!(wake_until(&mut session, 60_000), [], "{about_the_game:?}");
        }
    }
    let mut spectator = spectator();
    hear_all(&mut spectator, 0, &["GOLD 0 0 250"]);
    assert_eq!(wake_until(&mut spectator, 60_000), []);
}

#[test]
fn pictures_that_can_not_be_read_are_from_a_server_that_has_accepted_us() {
    let mut person = joining(SessionPolicy::PERSON);
    hear_all(&mut person, 0, &["OK A", "DISPLAY\n"]);
    assert_eq!(wake_until(&mut person, 60_000), []);
    let mut bot = joining(SessionPolicy::BOT);
    hear_all(&mut bot, 0, &["OK A", "DISPLAY\n"]);
    assert_eq!(wake_until(&mut bot, 60_000), [at(59_250, "leave: NotAccepted")]);
}

#[test]
fn with_nothing_but_its_letter_it_asks_again_and_a_person_plays() {
    let mut person = joining(SessionPolicy::PERSON);
    hear_all(&mut person, 0, &["OK A"]);
    assert_eq!(wake_until(&mut person, 1_000), [at(1_000, "PLAY Ann")]);
    assert_eq!(person.stage(), SessionStage::Playing);
    let mut bot = joining(SessionPolicy::BOT);
    hear_all(&mut bot, 0, &["OK A"]);
    assert_eq!(wake_until(&mut bot, 250), [at(250, "PLAY Ann")]);
    assert_eq!(bot.stage(), SessionStage::Joining);
}

#[test]
fn a_rejection_ends_it_in_both_dialects() {
    for (message, expected) in [
        ("NO", "leave: Rejected { reason: \"\" }"),
        ("NO more room", "leave: Rejected { reason: \"more room\" }"),
        (
            "QUIT Game is full: no more players can join.",
            "leave: DismissedWhileJoining { reason: \
             Text(\"Game is full: no more players can join.\") }",
        ),
    ] {
        for policy in POLICIES {
            let mut session = joining(policy);
            assert_eq!(feed(&mut session, 5, Hear(message)), [expected]);
            assert_eq!(session.poll_timeout(), None);
        }
    }
}

#[test]
fn if_all_answers_were_errors_the_last_one_is_the_reason() {
    for policy in POLICIES {
        let mut session = joining(policy);
        hear_all(&mut session, 10, &["ERROR what?", "ERROR not now"]);
        let (_, last) = wake_until(&mut session, 60_000).pop().unwrap();
        assert_eq!(last, "leave: Rejected { reason: \"not now\" }");
    }
}

#[test]
fn a_malformed_answer_is_an_answer_that_does_not_accept_us() {
    for policy in POLICIES {
        let mut session = joining(policy);
        assert!(session.handle_message(Timestamp(1), b"HELLO").is_err());
        assert_eq!(session.stage(), SessionStage::Joining);
        let sent = wake_until(&mut session, 60_000);
        assert_eq!(sent.last(), Some(&at(policy.join.total_ms(), "leave: NotAccepted")));
    }
}

/// A server that sends `OK` without a letter would only create a second player.
#[test]
fn an_ok_without_a_letter_is_not_asked_for_again() {
    for policy in POLICIES {
        let mut session = joining(policy);
        assert!(session.handle_message(Timestamp(1), b"OK ").is_err());
        hear_all(&mut session, 2, &["GRID 2 3", "GOLD 0 0 250", "DISPLAY\n|@.\n|..\n"]);
        assert_eq!(session.stage(), SessionStage::Playing);
        let sent = wake_until(&mut session, 10_000);
        assert!(!sent.iter().any(|(_, effect)| effect.starts_with("PLAY")), "{sent:?}");
    }
}

#[test]
fn house_rules_are_no_rejection_and_no_reason() {
    let updates = |policy, message: &str| {
        let mut session = joining(policy);
        let update = session.handle_message(Timestamp(1), message.as_bytes()).unwrap();
        assert_eq!(session.stage(), SessionStage::Joining);
        assert_eq!(session.last_error, None);
        update
    };
    for policy in POLICIES {
        for word in ["NO", "ERROR"] {
            assert_eq!(
                updates(policy, &format!("{word} House rules: vision 5,\tsteal\n")),
                Update::HouseRules("House rules: vision 5, steal".into())
            );
            assert_eq!(
                updates(policy, &format!("{word} 7 steps left")),
                Update::News("7 steps left".into())
            );
        }
    }
}

#[test]
fn a_closed_port_ends_it_unless_there_is_another_address() {
    for policy in POLICIES {
        check(
            joining(policy),
            &[(0, AddressChange, &["PLAY Ann"]), (1, PortClosed, &["leave: PortClosed"])],
        );
    }
}

/// The server did not refuse the first try, so the answers may have been lost, and it may be restarting.
#[test]
fn a_port_that_closes_after_the_first_try_does_not_end_it() {
    for policy in POLICIES {
        let mut session = joining(policy);
        let first = policy.join.first_pause_ms;
        assert_eq!(wake_until(&mut session, first), [at(first, "PLAY Ann")]);
        assert_eq!(feed(&mut session, first + 1, PortClosed), [""; 0]);
        hear_all(&mut session, first + 2, &WELCOME);
        assert_eq!(session.stage(), SessionStage::Playing);

        let mut answered = joining(policy);
        hear_all(&mut answered, 1, &["OK A"]);
        assert_eq!(feed(&mut answered, 2, PortClosed), [""; 0]);
    }
}

#[test]
fn at_another_address_it_has_all_its_tries_again() {
    let mut session = joining(SessionPolicy::PERSON);
    assert_eq!(wake_until(&mut session, 2_500).len(), 2);
    assert_eq!(feed(&mut session, 2_500, AddressChange), ["PLAY Ann"]);
    let rest = wake_until(&mut session, 60_000);
    assert_eq!((rest.len(), rest[11].0), (12, 14_500));
}

#[test]
fn leaving_while_joining_frees_a_seat_that_may_have_been_taken() {
    for policy in POLICIES {
        check(joining(policy), &[(10, Quit, &["KEY Q", "leave: NeverJoined"])]);
        check(joining(policy), &[(10, Hangup, &["KEY Q", "leave: HungUp"])]);
    }
}

#[test]
fn malformed_messages_change_nothing() {
    for bytes in [&b""[..], b"HELLO", b"DISPLAY", b"DISPLAY\n", b"\xff\0", b"GOLD 1 2"] {
        let mut session = playing(SessionPolicy::BOT);
        assert!(session.handle_message(Timestamp(1), bytes).is_err());
        assert_eq!(effects(&mut session), [""; 0]);
        assert_eq!(session.stage(), SessionStage::Playing);
    }
}
