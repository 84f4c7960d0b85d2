//! The terminal of a program: drawing, and one channel for keys, the mouse, signals, job control and the events of the
//! program itself.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use anyhow::{Context, bail};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::events::{CHANNEL_CAPACITY, read_keys, read_signals, watch_terminal};
use crate::terminal::JobChange;
use crate::{Key, KeyReader, Terminal, TerminalEvent, TerminalModes};

/// The maximum wait without a timeout.
const LONG_WAIT: Duration = Duration::from_secs(3_600);

/// A terminal and the channel of its events, which the program may send its own events into. Dropping it restores the
/// terminal.
pub struct FullScreen<E = TerminalEvent> {
    /// Ends before the terminal is restored.
    _keys: Option<KeyReader>,
    /// The terminal itself.
    pub terminal: Terminal,
    /// A sender for the program's own events.
    pub sender: SyncSender<E>,
    events: Receiver<E>,
    mouse: Option<PressedMouse>,
}

/// A mouse button that is held.
#[derive(Clone, Copy)]
struct PressedMouse {
    at: Position,
    has_moved: bool,
}

/// The event that ended a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wakeup {
    /// A key was pressed.
    Key(Key),
    /// The mouse was moved from one cell to another while its button was held.
    Drag(Position, Position),
    /// The mouse button was pressed and released at this cell.
    Click(Position),
    /// The timeout passed, or the window has changed.
    Draw,
    /// The process was stopped and runs again.
    Continued,
    /// The terminal is gone.
    Hangup,
}

impl<E: From<TerminalEvent> + Send + 'static> FullScreen<E> {
    /// Changes these modes of the terminal, and starts the threads that report its events.
    pub fn open(modes: TerminalModes) -> anyhow::Result<Self> {
        let (sender, events) = sync_channel(CHANNEL_CAPACITY);
        read_signals(sender.clone()).context("waiting for signals")?;
        let terminal = Terminal::enter(modes).context("preparing the terminal")?;
        let mut keys = None;
        if modes.keys {
            keys = Some(read_keys(sender.clone()).context("reading keys")?);
            watch_terminal(sender.clone()).context("watching the terminal")?;
        }
        Ok(Self { _keys: keys, terminal, sender, events, mouse: None })
    }

    /// Returns the next event if one comes within this time.
    pub fn receive(&self, within: Option<Duration>) -> anyhow::Result<Option<E>> {
        match self.events.recv_timeout(within.unwrap_or(LONG_WAIT)) {
            Ok(event) => Ok(Some(event)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => bail!("all threads have ended"),
        }
    }

    /// Executes what an event of the terminal means for the terminal; returns what it means for the program.
    pub fn handle(&mut self, event: TerminalEvent) -> anyhow::Result<Wakeup> {
        Ok(match event {
            TerminalEvent::Key(key) => {
                if key == Key::Redraw {
                    self.terminal.forget();
                }
                Wakeup::Key(key)
            }
            TerminalEvent::MouseDown(at) => {
                self.mouse = Some(PressedMouse { at, has_moved: false });
                Wakeup::Draw
            }
            TerminalEvent::MouseDrag(to) => match &mut self.mouse {
                Some(mouse) if mouse.at != to => {
                    let from =
                        std::mem::replace(mouse, PressedMouse { at: to, has_moved: true }).at;
                    Wakeup::Drag(from, to)
                }
                _ => Wakeup::Draw,
            },
            TerminalEvent::MouseUp(at) => {
                let pressed = self.mouse.take().filter(|mouse| !mouse.has_moved && mouse.at == at);
                pressed.map_or(Wakeup::Draw, |_| Wakeup::Click(at))
            }
            TerminalEvent::Hangup => Wakeup::Hangup,
            TerminalEvent::ThreadPanicked(thread) => bail!("the thread \"{thread}\" has panicked"),
            event => match self.terminal.handle_job_control(event) {
                Ok(JobChange::Stopped | JobChange::Entered) => Wakeup::Continued,
                Ok(JobChange::Gone) => Wakeup::Hangup,
                // No shell could continue us.
                Ok(JobChange::None) if event == TerminalEvent::SuspendKey => {
                    Wakeup::Key(Key::Other)
                }
                Ok(JobChange::Asked | JobChange::None) => Wakeup::Draw,
                Err(error) => return Err(error).context("suspending the program"),
            },
        })
    }
}

impl FullScreen {
    /// Takes the whole terminal, with reports of the mouse if `mouse` is true.
    pub fn open_all(mouse: bool) -> anyhow::Result<Self> {
        Self::open(TerminalModes { keys: true, screen: true, mouse })
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
        self.receive(timeout)?.map_or(Ok(Wakeup::Draw), |event| self.handle(event))
    }
}
