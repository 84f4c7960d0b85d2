//! What a server and a user do, one step at a time.

use super::{ClientStage, Start};
use crate::client::{drawing, view};
use crate::{Failure, Verdict};

impl ClientStage {
    /// Lets a player in and waits until it sees the game.
    pub(crate) fn play(&mut self) -> Verdict {
        self.join(&Start::PLAYER)
    }

    /// Lets the spectator in.
    pub(crate) fn watch(&mut self) -> Verdict {
        self.join(&Start::SPECTATOR)
    }

    /// Starts the client, lets it in and waits until the game is seen.
    pub(crate) fn join(&mut self, start: &Start) -> Verdict {
        self.start(start)?;
        self.first()?;
        self.welcome();
        let again = self.room.welcome();
        self.until("the map that the server sent is on the screen", &again, Self::shows_room)
    }

    /// Tells the client everything that a newcomer is told.
    pub(crate) fn welcome(&mut self) {
        self.is_welcome = true;
        for message in self.room.welcome() {
            self.say(&message);
        }
    }

    /// Sends a new picture and waits until it is seen: then everything said before was heard.
    pub(crate) fn fence(&mut self) -> Verdict {
        self.room.stir();
        let display = self.room.display();
        self.say(&display);
        self.until(
            "the next map that the server sent is on the screen",
            &[display],
            Self::shows_room,
        )
    }

    /// Tells of gold, together with a picture, and waits until the picture is seen.
    pub(crate) fn tell_gold(&mut self, found: u32, purse: u32, left: u32) -> Verdict {
        self.room.set_gold(found, purse, left);
        let gold = self.room.gold();
        self.say(&gold);
        self.fence()
    }

    /// Sends a new picture and waits until it is seen; where this was lost, it is said again.
    pub(crate) fn fence_with(&mut self, message: &[u8]) -> Verdict {
        self.room.stir();
        let display = self.room.display();
        self.say(&display);
        let wish = "the next map that the server sent is on the screen";
        self.until(wish, &[message.to_vec(), display], Self::shows_room)
    }

    /// The first line has these words and numbers in it. Where something may have been lost, gold
    /// and picture are told again.
    pub(crate) fn expect_words(&mut self, wanted: &[&str]) -> Verdict {
        let again = [self.room.gold(), self.room.display()];
        let wish = format!("a first line that tells {}", wanted.join(", "));
        self.expect_line(&wish, &again, |line| {
            let words = view::words(line);
            wanted.iter().all(|word| words.contains(word))
        })
    }

    /// The first line begins with the words of the documents.
    pub(crate) fn expect_status(&mut self) -> Verdict {
        let status = self.room.status();
        let again = [self.room.gold(), self.room.display()];
        let wish = format!("a first line that begins with `{status}`");
        self.expect_line(&wish, &again, |line| line.starts_with(&status))
    }

    /// The first line comes to be so.
    pub(crate) fn expect_line(
        &mut self,
        wish: &str,
        again: &[Vec<u8>],
        is_so: impl Fn(&str) -> bool,
    ) -> Verdict {
        let is_so = |it: &Self| is_so(&it.first_line());
        self.until(wish, again, is_so).map_err(|failure| {
            let failure = self.settle(failure, is_so);
            let came = format!("{}; the line is `{}`", failure.came, self.first_line());
            Failure { came, ..failure }
        })
    }

    /// Sends the client away, and expects these lines on its terminal afterwards.
    pub(crate) fn send_away(&mut self, message: &str, lines: &[&str]) -> Verdict {
        self.send_away_again(message, &[], lines)
    }

    /// The same; what may have been lost before it is said again too.
    pub(crate) fn send_away_again(
        &mut self,
        message: &str,
        before: &[Vec<u8>],
        lines: &[&str],
    ) -> Verdict {
        self.let_end();
        self.say(message.as_bytes());
        let again = [before, &[message.as_bytes().to_vec()]].concat();
        let word = message.split(['\n', ' ']).next().unwrap_or_default();
        self.end(&format!("the client ends after {word}"), &again)?;
        self.expect_last_lines(lines)
    }

    /// The last one of them begins where the one before it ends; in front of the first and behind
    /// each there may be more.
    fn expect_last_lines(&mut self, lines: &[&str]) -> Verdict {
        let shown = self.lines();
        let mut rest = shown.iter();
        match lines.iter().find(|line| !rest.any(|shown| shown.contains(**line))) {
            None => Ok(()),
            Some(missing) => {
                let wish = format!("`{}` on the terminal after the end", lines.join("` and `"));
                let came = format!("`{missing}` is not there");
                Err(Failure::new(wish, came).drawn(self.drawn()))
            }
        }
    }

    /// Waits until the picture is seen where it belongs.
    pub(crate) fn expect_grid(&mut self) -> Verdict {
        let display = self.room.display();
        let wish = "the map stands from the second line on, exactly as it was sent";
        self.until(wish, &[display], Self::shows_grid).map_err(|failure| self.misdrawn(failure))
    }

    /// Something was shown, but not what was sent.
    fn misdrawn(&self, failure: Failure) -> Failure {
        let Some(screen) = self.screen() else { return failure };
        let shown = view::grid(screen, &self.room);
        let drawing = drawing::difference(&self.room.rows, &shown);
        let whole = format!("{drawing}the screen:\n{}", self.drawn());
        Failure { drawing: Some(whole), ..failure }
    }

    /// Presses a key and waits for exactly one message about it.
    pub(crate) fn stroke(&mut self, key: u8) -> Verdict {
        self.expect_silence()?;
        self.type_keys(&[key]);
        let message = [b"KEY ", &[key][..]].concat();
        self.expect_message(&message, |it| it.type_keys(&[key]))
    }

    /// The next message of the client is this one. Where something may have been lost, `again` is
    /// done meanwhile.
    pub(crate) fn expect_message(&mut self, message: &[u8], again: impl Fn(&mut Self)) -> Verdict {
        let wish = format!("the message {}", shown(message));
        let limit = self.patience.wait();
        let is_heard = |it: &Self| !it.heard().is_empty();
        self.until_with(&wish, limit, is_heard, again)
            .map_err(|failure| self.settle(failure, is_heard))?;
        match self.heard.pop_front() {
            Some(came) if came == message => Ok(()),
            came => Err(Failure::new(wish, shown(&came.unwrap_or_default()))),
        }
    }

    /// Nothing more has come from the client. What was pressed again because it may have been lost
    /// doesn't count.
    pub(crate) fn expect_silence(&mut self) -> Verdict {
        self.empty();
        match self.heard.pop_front() {
            Some(_) if self.is_lossy() => {
                self.heard.clear();
                Ok(())
            }
            Some(more) => Err(Failure::new("no further message", shown(&more))),
            None => Ok(()),
        }
    }
}

/// A message as it may be printed.
pub(crate) fn shown(message: &[u8]) -> String {
    if message.is_empty() {
        return "an empty datagram".to_owned();
    }
    let most = &message[..message.len().min(200)];
    let more = if message.len() > 200 { "…" } else { "" };
    format!("`{}`{more}", most.escape_ascii())
}
