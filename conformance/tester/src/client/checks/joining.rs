//! Joining, and the client's reaction to the answer.

use nuggets_protocol::Dialect;

use crate::client::test_run::{ClientStart, quoted};
use crate::client::{ClientTest, screen};
use crate::suite::TestRun;
use crate::{CheckFailure, CheckTable, Verdict, ensure};

pub(super) const CHECKS: CheckTable<ClientTest> = &[
    ("join.play", |test| first_message_is(test, &ClientStart::PLAYER, "PLAY Ann")),
    ("join.blanks", |test| {
        let start = ClientStart { name: Some("Ann van der Berg"), ..ClientStart::PLAYER };
        first_message_is(test, &start, "PLAY Ann van der Berg")
    }),
    ("join.spectate", |test| first_message_is(test, &ClientStart::SPECTATOR, "SPECTATE")),
    ("join.hostname", |test| {
        first_message_is(
            test,
            &ClientStart { host: Some("localhost"), ..ClientStart::PLAYER },
            "PLAY Ann",
        )
    }),
    ("join.shown", ClientTest::play),
    ("join.watched", ClientTest::spectate),
    ("join.once", |test| {
        // The check is retried before a failure counts: if our own answer was late, a second request is right.
        test.play()?;
        test.fence()?;
        test.drain();
        match test.join_requests {
            1 => Ok(()),
            _ if test.has_lost() => Ok(()),
            more => Err(CheckFailure::retryable("one request to join", format!("{more} of them"))),
        }
    }),
    ("join.full", |test| {
        const WHY: &str = "Game is full: no more players can join.";
        test.start(&ClientStart::PLAYER)?;
        test.first_message()?;
        test.expect_exit_with(&format!("QUIT {WHY}"), &[WHY])
    }),
    ("join.no-name", |test| {
        const WHY: &str = "Sorry - you must provide player's name.";
        const EXPECTED: &str = "the client exits, and says that a name is missing";
        test.allow_exit();
        test.start(&ClientStart { name: Some(" "), ..ClientStart::PLAYER })?;
        if test.exit_or_first_message(EXPECTED)?.is_some() {
            return ensure(!test.printed().is_empty(), EXPECTED, "it exited without a message");
        }
        test.expect_exit_with(&format!("QUIT {WHY}"), &[WHY])
    }),
    ("join.no", |test| {
        test.start(&ClientStart::PLAYER)?;
        test.first_message()?;
        // Some clients exit here, others keep running with a status line about the refusal.
        test.allow_exit();
        test.send(b"NO");
        let expected = "the client tells its user that the server has refused";
        test.wait_until(expected, |it| sounds_like_a_refusal(&it.printed()))
    }),
    ("join.cut-name", |test| long_name_is_sent(test, |length| (49..=50).contains(&length))),
    ("join.long-name", |test| long_name_is_sent(test, |length| length >= 49)),
];

fn first_message_is(test: &mut ClientTest, start: &ClientStart, message: &str) -> Verdict {
    test.start(start)?;
    let first = test.first_message()?;
    let expected = format!("the first message is `{message}`");
    ensure(first == message.as_bytes(), expected, quoted(&first))
}

fn sounds_like_a_refusal(text: &str) -> bool {
    const WORDS: [&str; 12] = [
        "no", "not", "full", "many", "unable", "cannot", "can", "couldn", "denied", "refused",
        "rejected", "sorry",
    ];
    let text = text.to_lowercase();
    screen::words(&text).iter().any(|word| WORDS.contains(word))
}

fn long_name_is_sent(test: &mut ClientTest, fits: fn(usize) -> bool) -> Verdict {
    // Letters and digits in turn show where it was truncated.
    let name: String = "Abcdefghi0".chars().cycle().take(80).collect();
    test.start(&ClientStart { name: Some(&name), ..ClientStart::PLAYER })?;
    let first = test.first_message()?;
    let sent = first.strip_prefix(b"PLAY ").unwrap_or_default();
    let expected = match test.settings.dialect {
        Dialect::V2021 => "PLAY and the name, whole or truncated to 50 characters",
        Dialect::V2019 => "PLAY and the first 50 characters of the name",
    };
    ensure(name.as_bytes().starts_with(sent) && fits(sent.len()), expected, quoted(&first))
}
