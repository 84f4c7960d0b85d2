//! Keys that are not allowed, and malformed messages.

use proptest::prelude::*;

use super::*;

#[test]
fn a_key_that_is_not_allowed_gets_an_error_reply_and_has_no_effect() {
    for dialect in BOTH {
        let mut talk = joined(dialect, "1.*", "as");
        for (from, keys, why) in [
            ('s', "hLqx", "A spectator can only press Q."),
            ('x', "hQ?", "You have not joined this game."),
            ('a', "xq? 5\t", "unknown keystroke"),
        ] {
            for key in keys.chars() {
                let reply = complaint(dialect, from, why);
                check(&mut talk, from, &format!("KEY {key}"), &[&reply]);
            }
        }
    }
}

#[test]
fn a_malformed_message_is_logged_gets_an_error_reply_and_has_no_effect() {
    let endless = vec![b'x'; 65_507];
    let cases: &[&[u8]] = &[
        b"",
        b"HELLO",
        b"play Ann",
        b"KEY",
        b"KEY ll",
        b"KEY l\n",
        b"KEY \0",
        b"PLAY Ann\n",
        b"PLAY A\0n",
        b"SPECTATE now",
        b"KEY \xe9",
        &endless,
    ];
    for dialect in BOTH {
        let mut talk = joined(dialect, "1.*", "a");
        let before = talk.room.game().view(Viewer::Spectator).to_string();
        for from in ['a', 'x'] {
            for bytes in cases {
                let heard = talk.hear(from, bytes);
                assert_eq!(heard.len(), 1, "{}", bytes.escape_ascii());
                assert!(heard[0].starts_with(&complaint(dialect, from, "malformed message: ")));
                assert_eq!(talk.notices().len(), 1);
            }
        }
        assert_eq!(talk.room.game().view(Viewer::Spectator).to_string(), before);
        assert_eq!(talk.room.game().players().len(), 1);
    }
}

#[test]
fn an_error_reply_is_logged_but_not_answered_with_another() {
    for dialect in BOTH {
        let mut talk = Talk::new(dialect, "1.*");
        for complaint in ["ERROR unknown keystroke", "ERROR", "NO", "NO explanation"] {
            check(&mut talk, 'x', complaint, &[]);
            assert_eq!(talk.notices().len(), 1);
        }
    }
}

#[test]
fn received_bytes_are_escaped_in_the_log() {
    let mut talk = Talk::new(Dialect::V2021, "1.*");
    talk.hear('x', b"\x1b]0;pwned\x07\r\n\xff");
    assert_eq!(
        talk.notices(),
        ["malformed message: it holds bytes outside ASCII (from x, 13 bytes: \
          \"\\x1b]0;pwned\\x07\\r\\n\\xff\")"]
    );
    talk.hear('a', b"PLAY \"A\x1b[2J");
    assert_eq!(talk.notices(), ["A joins from a: \"\\\"A_[2J\""]);
}

#[test]
fn messages_that_are_drained_late_are_still_right() {
    let mut talk = joined(Dialect::V2021, "1.*.2", "ab");
    talk.hear('s', b"SPECTATE");
    for (from, says) in [('b', "KEY h"), ('a', "KEY Q"), ('s', "KEY Q")] {
        talk.room.handle_message(Timestamp(0), peer(from), says.as_bytes());
    }
    let sent = talk.drain();
    assert!(sent.contains(&"a> QUIT Thanks for playing!".to_string()), "{sent:?}");
    assert_eq!(sent.last().unwrap(), "s> QUIT Thanks for watching!");
}

fn nuggets(room: &Room) -> u32 {
    let purses: u32 = room.game().players().iter().map(nuggets_game::Player::purse).sum();
    purses + room.game().remaining()
}

fn any_message() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..80),
        Just(b"SPECTATE".to_vec()),
        "PLAY [a-c]{0,2}".prop_map(String::into_bytes),
        "KEY [hjklyubnHJKLYUBNQx]".prop_map(String::into_bytes),
        "KEY [hjklyubnHJKLYUBN]".prop_map(String::into_bytes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_messages_break_a_room(
        said in prop::collection::vec((0..12u8, any_message()), 0..150),
        dialect in prop::sample::select(BOTH.to_vec()),
    ) {
        let run = || {
            let map = shipped::find("narrow").unwrap().map();
            let game = Game::new(&Setup::new(map, Rules::default(), Seed::new(9), dialect)).unwrap();
            let mut talk = Talk { room: Room::with_game(game, dialect), now: Timestamp(0) };
            let heard: Vec<_> =
                said.iter().map(|(from, bytes)| talk.hear((b'a' + from).into(), bytes)).collect();
            (heard, nuggets(&talk.room))
        };
        let (heard, nuggets) = run();
        prop_assert_eq!(nuggets, 250);
        prop_assert_eq!(&heard, &run().0, "two runs are the same");
        for message in heard.iter().flatten() {
            let text = message[3..].replace('/', "\n");
            prop_assert!(ServerMessage::parse(text.as_bytes()).is_ok(), "{}", message);
        }
    }
}
