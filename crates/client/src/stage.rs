//! A terminal with its keys, signals and a clock, for something that is watched without a server.
//!
//! It knows neither what is shown nor what a key means. Putting the program aside and coming back
//! is done here.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use anyhow::{Context, bail};
use nuggets_time::Clock;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGTSTP, SIGWINCH};

use crate::inbox::{self, Event};
use crate::keys::Pressed;
use crate::terminal::{Terminal, Wants};
use crate::{Key, Millis, job};

/// How long to wait when nothing is to be done at any time.
const LONG: Duration = Duration::from_secs(3_600);

/// A terminal that was taken over. Dropping it gives it back.
pub struct Stage {
    clock: Clock,
    terminal: Terminal,
    events: Receiver<Event>,
}

/// What ended the waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cue {
    /// A key was pressed.
    Key(Key),
    /// The time has come, or the window has changed.
    Draw,
    /// We were put aside, and are back now.
    Back,
    /// The terminal is gone.
    HungUp,
}

impl Stage {
    /// Takes the terminal over.
    pub fn open() -> anyhow::Result<Self> {
        let (inbox, events) = sync_channel(inbox::CAPACITY);
        inbox::read_signals(inbox.clone()).context("waiting for signals")?;
        let wants = Wants { keys: true, screen: true, clicks: false };
        let terminal = Terminal::enter(wants).context("preparing the terminal")?;
        inbox::read_keys(inbox.clone()).context("reading keys")?;
        inbox::watch_terminal(inbox).context("watching the terminal")?;
        Ok(Self { clock: Clock::start(), terminal, events })
    }

    /// The time since it was opened.
    pub fn now(&self) -> Millis {
        self.clock.now()
    }

    /// Shows what `paint` paints. An error means that the terminal is gone.
    pub fn draw(&mut self, paint: impl FnOnce(Rect, &mut Buffer)) -> io::Result<()> {
        self.terminal.draw(|area, cells| {
            paint(area, cells);
            None
        })
    }

    /// Waits until something happens, at most until this time.
    pub fn wait(&mut self, until: Option<Millis>) -> anyhow::Result<Cue> {
        let patience = until.map_or(LONG, |then| Duration::from_millis(then.since(self.now())));
        match self.events.recv_timeout(patience) {
            Ok(event) => self.take(&event),
            Err(RecvTimeoutError::Timeout) => Ok(Cue::Draw),
            Err(RecvTimeoutError::Disconnected) => bail!("all threads have ended"),
        }
    }

    fn take(&mut self, event: &Event) -> anyhow::Result<Cue> {
        Ok(match event {
            Event::Pressed(Pressed::Key(key)) => Cue::Key(*key),
            Event::Pressed(Pressed::Suspend) if job::can_be_continued() => {
                self.terminal.leave();
                job::ask_to_stop().context("putting the program aside")?;
                Cue::Draw
            }
            Event::Hangup | Event::Signal(SIGHUP) => Cue::HungUp,
            Event::Signal(SIGTSTP) if job::can_be_continued() => {
                self.terminal.leave();
                job::stop().context("putting the program aside")?;
                Cue::Back
            }
            // In the background we go on without it; whoever brings us to the front says so again.
            Event::Signal(SIGCONT) if job::is_in_front() => {
                if self.terminal.reenter().is_ok() {
                    Cue::Back
                } else {
                    Cue::HungUp
                }
            }
            // The window is another, or it is not for us; and there is neither mouse, script nor
            // server here.
            Event::Signal(SIGCONT | SIGTSTP | SIGWINCH)
            | Event::Pressed(_)
            | Event::Script(_)
            | Event::ScriptEnd
            | Event::Message(..)
            | Event::Lost(..) => Cue::Draw,
            Event::Signal(_) => Cue::Key(Key::Interrupt),
            Event::Broken(thread) => bail!("the thread \"{thread}\" has panicked"),
        })
    }
}
