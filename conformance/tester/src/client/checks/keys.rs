//! Keystrokes are sent to the server.

use crate::client::ClientTest;
use crate::client::test_run::{ClientStart, quoted};
use crate::client::window::KeySource;
use crate::suite::TestRun;
use crate::{CheckTable, Verdict, fail};

pub(super) const CHECKS: CheckTable<ClientTest> = &[
    ("keys.steps", |test| are_sent(test, b"hjklyubn")),
    ("keys.sprints", |test| are_sent(test, b"HJKLYUBN")),
    ("keys.quit", |test| {
        test.play()?;
        test.allow_exit();
        test.press(b'Q')
    }),
    ("keys.spectator-quit", |test| {
        test.spectate()?;
        test.allow_exit();
        test.press(b'Q')
    }),
    ("keys.silent", |test| {
        test.play()?;
        b"hJkL".iter().try_for_each(|&key| test.press(key))
    }),
    ("keys.burst", |test| {
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
    }),
    ("keys.spectator-other", |test| {
        test.spectate()?;
        test.type_keys(b"hL%");
        test.fence()?;
        // Whatever their effect, the client must still handle Q.
        test.allow_exit();
        test.type_keys(b"Q");
        test.wait_until_retrying("the message `KEY Q`", has_quit, |it| it.type_keys(b"Q"))
    }),
    ("keys.eof", |test| {
        test.join(&ClientStart { input: KeySource::Pipe, ..ClientStart::PLAYER })?;
        test.allow_exit();
        test.end_input();
        let quit = test.wait_until("the message `KEY Q` at the end of the input", has_quit);
        quit.map_err(|failure| test.confirm(failure, has_quit))
    }),
    ("keys.ctrl-d", |test| {
        const EXPECTED: &str = "the message `KEY Q`";
        test.play()?;
        test.allow_exit();
        test.type_keys(b"\x04");
        let has_message = |it: &ClientTest| !it.received.is_empty();
        test.wait_until_with(EXPECTED, test.timeout(), has_message, |_| {})?;
        match test.received.front() {
            Some(message) if message != b"KEY Q" => fail(EXPECTED, quoted(message)),
            _ => Ok(()),
        }
    }),
    ("keys.no-input", |test| {
        const EXPECTED: &str = "the message `KEY Q`, or the exit of the client";
        test.allow_exit();
        test.start(&ClientStart { input: KeySource::Empty, ..ClientStart::PLAYER })?;
        if test.exit_or_first_message(EXPECTED)?.is_some() {
            return Ok(());
        }
        test.send_welcome();
        match test.wait_until(EXPECTED, has_quit) {
            Err(_) if test.try_exit().is_some() => Ok(()),
            verdict => verdict.map_err(|failure| test.confirm(failure, has_quit)),
        }
    }),
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

fn has_quit(test: &ClientTest) -> bool {
    test.has_received(b"KEY Q")
}
