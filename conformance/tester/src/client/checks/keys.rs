//! Keystrokes are sent to the server.

use super::{CLIENT, PLAYER_TO_SERVER, SPECTATOR_KEYS};
use crate::client::ClientTest;
use crate::client::test_run::{ClientStart, quoted};
use crate::client::window::KeySource;
use crate::suite::TestRun;
use crate::{Check, Section, Verdict, fail};

const SECTION: Section = Section::new("Keys", PLAYER_TO_SERVER);
const SPECTATOR: Section = SECTION.source(SPECTATOR_KEYS);
const END_OF_INPUT: Section = SECTION.source(CLIENT);

pub(super) const CHECKS: &[Check<ClientTest>] = &[
    SECTION.must(
        "keys.steps",
        "Each of h j k l y u b n is sent when it is pressed, as one message KEY and the key.",
        |test| are_sent(test, b"hjklyubn"),
    ),
    SECTION.must(
        "keys.sprints",
        "Each of H J K L Y U B N is sent when it is pressed, as one message KEY and the key.",
        |test| are_sent(test, b"HJKLYUBN"),
    ),
    SECTION.must("keys.quit", "Q is sent as KEY Q.", |test| {
        test.play()?;
        test.allow_exit();
        test.press(b'Q')
    }),
    SPECTATOR.must("keys.spectator-quit", "The spectator's Q is sent as KEY Q.", |test| {
        test.spectate()?;
        test.allow_exit();
        test.press(b'Q')
    }),
    SECTION.must("keys.silent", "Keys are sent even while the server sends nothing.", |test| {
        test.play()?;
        b"hJkL".iter().try_for_each(|&key| test.press(key))
    }),
    SECTION.should(
        "keys.burst",
        "Keys that are pressed quickly are all sent, in their order.",
        burst_is_sent,
    ),
    SPECTATOR.should("keys.spectator-other", "Other keys of the spectator do no harm.", |test| {
        test.spectate()?;
        test.type_keys(b"hL%");
        test.fence()?;
        // Whatever their effect, the client must still handle Q.
        test.allow_exit();
        test.type_keys(b"Q");
        test.wait_until_retrying("the message `KEY Q`", has_quit, |it| it.type_keys(b"Q"))
    }),
    END_OF_INPUT.should("keys.eof", "At the end of its input the client sends KEY Q.", |test| {
        test.join(&ClientStart { input: KeySource::Pipe, ..ClientStart::PLAYER })?;
        test.allow_exit();
        test.end_input();
        let quit = test.wait_until("the message `KEY Q` at the end of the input", &[], has_quit);
        quit.map_err(|failure| test.confirm(failure, has_quit))
    }),
    END_OF_INPUT.may(
        "keys.ctrl-d",
        "Ctrl-D at the terminal is an end of input: KEY Q is sent.",
        |test| {
            const EXPECTED: &str = "the message `KEY Q`";
            test.play()?;
            test.allow_exit();
            test.type_keys(b"\x04");
            let has_message = |it: &ClientTest| !it.received().is_empty();
            test.wait_until_with(EXPECTED, test.timeout(), has_message, |_| {})?;
            match test.received().front() {
                Some(message) if message != b"KEY Q" => fail(EXPECTED, quoted(message)),
                _ => Ok(()),
            }
        },
    ),
    END_OF_INPUT.may(
        "keys.no-input",
        "A client that never has anything to read sends KEY Q or exits.",
        |test| {
            const EXPECTED: &str = "the message `KEY Q`, or the exit of the client";
            test.allow_exit();
            test.start(&ClientStart { input: KeySource::Empty, ..ClientStart::PLAYER })?;
            if test.exit_or_first_message(EXPECTED)?.is_some() {
                return Ok(());
            }
            test.send_welcome();
            match test.wait_until(EXPECTED, &test.game.welcome(), has_quit) {
                Err(_) if test.try_exit().is_some() => Ok(()),
                verdict => verdict.map_err(|failure| test.confirm(failure, has_quit)),
            }
        },
    ),
];

/// Checks that each key is sent; the map changes after each, as in a game.
fn are_sent(test: &mut ClientTest, keys: &[u8]) -> Verdict {
    test.play()?;
    for &key in keys {
        test.press(key)?;
        test.fence()?;
    }
    test.expect_no_message()
}

fn burst_is_sent(test: &mut ClientTest) -> Verdict {
    const KEYS: &[u8] = b"hjklHJKLyubn";
    test.play()?;
    test.type_keys(KEYS);
    for &key in KEYS {
        let message = [b"KEY ", &[key][..]].concat();
        match test.expect_message(&message, |_| {}) {
            // One of them may have been dropped on purpose.
            Err(_) if test.has_lost() => return Ok(()),
            verdict => verdict?,
        }
    }
    Ok(())
}

fn has_quit(test: &ClientTest) -> bool {
    test.has_received(b"KEY Q")
}
