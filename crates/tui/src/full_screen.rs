//! The terminal of a program that fills it: drawing, and one wait for keys, the mouse, signals and job control.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use anyhow::{Context, bail};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::events::{CHANNEL_CAPACITY, read_keys, read_signals, watch_terminal};
use crate::{JobChange, Key, KeyReader, Terminal, TerminalEvent, TerminalModes};

/// The maximum wait without a timeout.
const LONG_WAIT: Duration = Duration::from_secs(3_600);

/// A terminal whose whole screen is drawn. Dropping it restores the terminal.
pub struct FullScreen {
    /// Ends before the terminal is restored.
    _keys: KeyReader,
    terminal: Terminal,
    events: Receiver<TerminalEvent>,
    /// The position of the mouse while its button is held.
    mouse: Option<Position>,
}

/// The event that ended a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wakeup {
    /// A key was pressed.
    Key(Key),
    /// The mouse was moved from one cell to another while its button was held.
    Drag(Position, Position),
    /// The timeout passed, or the window has changed.
    Draw,
    /// The process was stopped and runs again.
    Continued,
    /// The terminal is gone.
    Hangup,
}

impl FullScreen {
    /// Prepares the terminal, with reports of the mouse if `mouse` is true.
    pub fn open(mouse: bool) -> anyhow::Result<Self> {
        let (sender, events) = sync_channel(CHANNEL_CAPACITY);
        read_signals(sender.clone()).context("waiting for signals")?;
        let modes = TerminalModes { keys: true, screen: true, mouse };
        let terminal = Terminal::enter(modes).context("preparing the terminal")?;
        let keys = read_keys(sender.clone()).context("reading keys")?;
        watch_terminal(sender).context("watching the terminal")?;
        Ok(Self { _keys: keys, terminal, events, mouse: None })
    }

    /// Shows the frame that `paint` draws. It fails if the terminal is gone.
    pub fn draw(&mut self, paint: impl FnOnce(Rect, &mut Buffer)) -> io::Result<()> {
        self.terminal.draw(|area, cells| {
            paint(area, cells);
            None
        })
    }

    /// Waits until something happens, at most for this time.
    pub fn wait(&mut self, timeout: Option<Duration>) -> anyhow::Result<Wakeup> {
        match self.events.recv_timeout(timeout.unwrap_or(LONG_WAIT)) {
            Ok(event) => self.handle(event),
            Err(RecvTimeoutError::Timeout) => Ok(Wakeup::Draw),
            Err(RecvTimeoutError::Disconnected) => bail!("all threads have ended"),
        }
    }

    fn handle(&mut self, event: TerminalEvent) -> anyhow::Result<Wakeup> {
        Ok(match event {
            TerminalEvent::Key(key) => {
                if key == Key::Redraw {
                    self.terminal.forget();
                }
                Wakeup::Key(key)
            }
            TerminalEvent::MouseDown(at) => {
                self.mouse = Some(at);
                Wakeup::Draw
            }
            TerminalEvent::MouseDrag(to) if self.mouse.is_some() => {
                let from = self.mouse.replace(to).unwrap_or(to);
                Wakeup::Drag(from, to)
            }
            TerminalEvent::Hangup => Wakeup::Hangup,
            TerminalEvent::ThreadPanicked(thread) => bail!("the thread \"{thread}\" has panicked"),
            event => match self.terminal.handle_job_control(event) {
                Ok(JobChange::Stopped | JobChange::Entered) => Wakeup::Continued,
                Ok(JobChange::Gone(_)) => Wakeup::Hangup,
                Ok(JobChange::Asked | JobChange::None) => Wakeup::Draw,
                Err(error) => return Err(error).context("suspending the program"),
            },
        })
    }
}
