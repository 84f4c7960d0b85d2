//! Waiting for something to happen: never longer than told, and never for nothing once the program
//! has ended.

use std::time::Duration;

use nuggets_stranger::Ending;

use super::ClientStage;
use crate::client::drawing;
use crate::client::patience::START;
use crate::client::view;
use crate::client::window::Window;
use crate::{Failure, Verdict};

/// The time between two looks at what doesn't tell by itself.
const GLANCE: Duration = Duration::from_millis(10);
/// What may have been lost is said again after so long.
const REPEAT: Duration = Duration::from_millis(200);
/// What was written last is waited for so long once the program has ended.
const LAST_WORDS: Duration = Duration::from_secs(3);

impl ClientStage {
    /// Waits until it is so. Where datagrams are lost, `again` is said again and again meanwhile.
    pub(crate) fn until(
        &mut self,
        wish: &str,
        again: &[Vec<u8>],
        is_so: impl Fn(&Self) -> bool,
    ) -> Verdict {
        let limit = self.patience.wait();
        self.until_with(wish, limit, is_so, |stage| {
            for message in again {
                stage.say(message);
            }
        })
    }

    /// The same; what is to be done again where something may have been lost is told.
    pub(crate) fn until_with(
        &mut self,
        wish: &str,
        limit: Duration,
        is_so: impl Fn(&Self) -> bool,
        again: impl Fn(&mut Self),
    ) -> Verdict {
        let begun = self.clock.elapsed();
        let mut done = begun;
        loop {
            if is_so(self) {
                return Ok(());
            }
            if self.ending().is_some() {
                self.hear_last_words();
                return if is_so(self) { Ok(()) } else { Err(self.missing(wish)) };
            }
            if self.since(begun) >= limit {
                return Err(self.missing(wish));
            }
            if self.is_lossy() && self.since(done) >= REPEAT {
                again(self);
                done = self.clock.elapsed();
            }
            self.pump(GLANCE);
        }
    }

    /// Waits until it is so, and does something again and again meanwhile, loss or not.
    pub(crate) fn until_again(
        &mut self,
        wish: &str,
        is_so: impl Fn(&Self) -> bool,
        again: impl Fn(&mut Self),
    ) -> Verdict {
        let begun = self.clock.elapsed();
        loop {
            match self.until_with(wish, REPEAT, &is_so, |_| {}) {
                Err(failure)
                    if self.ending().is_some() || self.since(begun) >= self.patience.wait() =>
                {
                    return Err(failure);
                }
                Err(_) => again(self),
                Ok(()) => return Ok(()),
            }
        }
    }

    /// The time since then.
    fn since(&self, then: Duration) -> Duration {
        self.clock.elapsed().saturating_sub(then)
    }

    /// How long one thing may take.
    pub(crate) fn usual_wait(&self) -> Duration {
        self.patience.wait()
    }

    /// Looks whether it comes to be so, for a limited time; nothing is held against it if not.
    pub(crate) fn comes_to(&mut self, limit: Duration, is_so: impl Fn(&Self) -> bool) -> bool {
        self.until_with("", limit, is_so, |_| {}).is_ok()
    }

    /// The first thing that the client says.
    pub(crate) fn first(&mut self) -> Result<Vec<u8>, Failure> {
        self.until_with("a first message to the server", START, |it| it.client.is_some(), |_| {})?;
        Ok(self.client.as_ref().map(|(_, first)| first.clone()).unwrap_or_default())
    }

    /// A silence may be slowness. But a client that has had time twice and shows the next map, and
    /// still nothing of this, is not slow: it need not be tried again.
    pub(crate) fn settle(&mut self, failure: Failure, is_so: impl Fn(&Self) -> bool) -> Failure {
        let is_first = self.patience.is_first();
        if !failure.is_silence || is_first || self.is_lossy() || self.fence().is_err() {
            return failure;
        }
        if self.comes_to(REPEAT, is_so) {
            return failure;
        }
        let came = format!("{}, although the next map was shown", failure.came);
        Failure { came, is_silence: false, ..failure }
    }

    /// Waits until the program ends, or says something to us: then there is no ending. So long a
    /// wait counts at once.
    pub(crate) fn end_unless_heard(&mut self, wish: &str) -> Result<Option<Ending>, Failure> {
        self.until_with(wish, START, |it| it.client.is_some(), |_| {})
            .or_else(|failure| if self.ending().is_some() { Ok(()) } else { Err(failure) })
            .map_err(|failure| Failure { is_silence: false, ..failure })?;
        Ok(if self.client.is_some() { None } else { self.ending() })
    }

    /// Waits until the program ends, and sees its last words.
    pub(crate) fn end(&mut self, wish: &str, again: &[Vec<u8>]) -> Result<Ending, Failure> {
        self.let_end();
        self.until(wish, again, |it| it.window.as_ref().is_some_and(Window::has_ended))?;
        self.hear_last_words();
        self.ending().ok_or_else(|| self.missing(wish))
    }

    /// Takes in everything that was written and sent before the end.
    fn hear_last_words(&mut self) {
        let begun = self.clock.elapsed();
        let is_closed = |it: &Self| it.window.as_ref().is_none_or(Window::is_closed);
        while !is_closed(self) && self.since(begun) < LAST_WORDS {
            self.pump(GLANCE);
        }
        self.empty();
    }

    /// Takes in everything that was sent to us before now.
    pub(crate) fn empty(&mut self) {
        let Some(door) = &self.door else { return };
        self.is_emptied = false;
        door.ask_whether_empty();
        let begun = self.clock.elapsed();
        while !self.is_emptied && self.since(begun) < LAST_WORDS {
            self.pump(GLANCE);
        }
    }

    /// What was wished for is not there.
    pub(crate) fn missing(&mut self, wish: &str) -> Failure {
        let said = self.window.as_ref().map_or_else(String::new, Window::said);
        let said = match said.trim() {
            "" => String::new(),
            said => format!("; it said on stderr: {}", last_part(said)),
        };
        let failure = if let Some(ending) = self.ending() {
            Failure::new(wish, format!("{ending}{said}"))
        } else {
            let seconds = self.patience.wait().as_secs_f32();
            Failure::silence(wish, format!("nothing of it within {seconds} s{said}"))
        };
        failure.drawn(self.drawn())
    }

    /// The screen in a frame.
    pub(crate) fn drawn(&self) -> String {
        let Some(screen) = self.screen() else { return String::new() };
        drawing::framed(&view::lines(screen), usize::from(screen.size().1.get()))
    }
}

fn last_part(text: &str) -> String {
    let skipped = text.chars().count().saturating_sub(400);
    text.chars().skip(skipped).collect()
}
