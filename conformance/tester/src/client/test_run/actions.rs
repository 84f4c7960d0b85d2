//! The actions of the server and the user, step by step, and their expectations.

use super::{ClientStart, ClientTest};
use crate::client::fake_game::quit_message;
use crate::client::screen;
use crate::{CheckFailure, Verdict, ensure, fail};

impl ClientTest {
    /// Starts a client as a player and waits until it shows the game.
    pub(crate) fn play(&mut self) -> Verdict {
        self.join(&ClientStart::PLAYER)
    }

    /// Starts a client as the spectator and waits until it shows the game.
    pub(crate) fn spectate(&mut self) -> Verdict {
        self.join(&ClientStart::SPECTATOR)
    }

    /// Starts the client, welcomes it and waits until it shows the game.
    pub(crate) fn join(&mut self, start: &ClientStart) -> Verdict {
        self.start(start)?;
        self.first_message()?;
        self.send_welcome();
        self.wait_until("the map that the server sent is on the screen", Self::shows_map)
    }

    /// Sends everything that a new client is sent.
    pub(crate) fn send_welcome(&mut self) {
        self.has_welcomed = true;
        for message in self.game.welcome() {
            self.send(&message);
        }
    }

    /// Sends the map.
    pub(crate) fn send_display(&mut self) {
        self.send(&self.game.display());
    }

    /// Sends a new map and waits until the client shows it: then it has handled everything sent before.
    pub(crate) fn fence(&mut self) -> Verdict {
        self.game.change();
        self.send_display();
        self.wait_until("the next map that the server sent is on the screen", Self::shows_map)
    }

    /// Sends `GOLD` and a new map, and waits until the map is shown.
    pub(crate) fn send_gold(&mut self, found: u32, purse: u32, left: u32) -> Verdict {
        self.game.set_gold(found, purse, left);
        self.send(&self.game.gold());
        self.fence()
    }

    /// Expects every word or number of `wanted` on the first line.
    pub(crate) fn expect_words(&mut self, wanted: &[&str]) -> Verdict {
        let expected = format!("a first line with {}", wanted.join(", "));
        self.expect_line(&expected, |line| {
            let words = screen::words(line);
            wanted.iter().all(|word| words.contains(word))
        })
    }

    /// Expects that the first line begins with the text of the specification.
    pub(crate) fn expect_status(&mut self) -> Verdict {
        let status = self.game.status();
        let expected = format!("a first line that begins with `{status}`");
        self.expect_line(&expected, |line| line.starts_with(&status))
    }

    /// Waits until the first line fits.
    pub(crate) fn expect_line(&mut self, expected: &str, fits: impl Fn(&str) -> bool) -> Verdict {
        let fits = |test: &Self| fits(&test.first_line());
        self.wait_until(expected, fits).map_err(|failure| {
            // The line as the drawing shows it: the map of `confirm` may change it.
            let actual = format!("{}; the line is `{}`", failure.actual, self.first_line());
            self.confirm(CheckFailure { actual, ..failure }, fits)
        })
    }

    /// Sends a last message, after which the client must exit and leave these lines on its terminal.
    pub(crate) fn expect_exit_with(&mut self, message: &str, lines: &[&str]) -> Verdict {
        self.send(message.as_bytes());
        let word = message.split(['\n', ' ']).next().unwrap_or_default();
        self.wait_for_exit(&format!("the client exits after {word}"))?;
        // Each line comes after the one before; other text may surround them.
        let shown = self.lines();
        let mut rest = shown.iter();
        match lines.iter().find(|line| !rest.any(|shown| shown.contains(**line))) {
            None => Ok(()),
            Some(missing) => {
                let expected =
                    format!("`{}` on the terminal after the exit", lines.join("` and `"));
                let actual = format!("`{missing}` is not there");
                Err(CheckFailure::new(expected, actual).with_drawing(self.drawing()))
            }
        }
    }

    /// Joins, sends `QUIT` with this explanation and waits for the exit.
    pub(crate) fn play_and_quit(&mut self, why: &str) -> Verdict<nuggets_subprocess::Exit> {
        self.play()?;
        self.quit(why)
    }

    /// Sends `QUIT` with this explanation and waits for the exit.
    pub(crate) fn quit(&mut self, why: &str) -> Verdict<nuggets_subprocess::Exit> {
        self.drain();
        self.send(&quit_message(self.settings.dialect, why));
        self.wait_for_exit("the client exits after QUIT")
    }

    /// Waits until the map is shown where it belongs.
    pub(crate) fn expect_map(&mut self) -> Verdict {
        let expected = "the map is shown from the second line on, exactly as it was sent";
        self.wait_until(expected, Self::shows_exact_map).map_err(|failure| {
            let Some(screen) = self.screen() else { return failure };
            let shown = screen::map_area(screen, &self.game);
            let difference = screen::difference(&self.game.rows, &shown);
            failure.with_drawing(format!("{difference}the screen:\n{}", self.drawing()))
        })
    }

    /// Presses a key and waits for exactly one message about it.
    pub(crate) fn press(&mut self, key: u8) -> Verdict {
        self.expect_no_message()?;
        self.type_keys(&[key]);
        let message = [b"KEY ", &[key][..]].concat();
        self.expect_message(&message, |test| test.type_keys(&[key]))
    }

    /// Expects that the client's next message is this one. If datagrams are dropped, `retry` is
    /// called meanwhile.
    pub(crate) fn expect_message(&mut self, message: &[u8], retry: impl Fn(&mut Self)) -> Verdict {
        let expected = format!("the message {}", quoted(message));
        let has_message = |test: &Self| !test.received.is_empty();
        self.wait_until_with(&expected, self.timeout(), has_message, retry)
            .map_err(|failure| self.confirm(failure, has_message))?;
        let actual = self.received.pop_front().unwrap_or_default();
        ensure(actual == message, expected, quoted(&actual))
    }

    /// Expects that the client has sent nothing more. If datagrams are dropped, keys were perhaps
    /// pressed again, so that more messages are allowed.
    pub(crate) fn expect_no_message(&mut self) -> Verdict {
        self.drain();
        match self.received.pop_front() {
            Some(_) if self.is_lossy() => {
                self.received.clear();
                Ok(())
            }
            Some(more) => fail("no further message", quoted(&more)),
            None => Ok(()),
        }
    }
}

/// Quotes a message for a failure.
pub(crate) fn quoted(message: &[u8]) -> String {
    if message.is_empty() {
        return "an empty datagram".to_owned();
    }
    let start = &message[..message.len().min(200)];
    let more = if message.len() > 200 { "…" } else { "" };
    format!("`{}`{more}", start.escape_ascii())
}
