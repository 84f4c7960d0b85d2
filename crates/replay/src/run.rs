//! The shell: joins a terminal, its keys and signals and a clock to a [`ReplayApp`].

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use anyhow::{Context, bail};
use nuggets_record::Timestamp;
use nuggets_time::Clock;
use nuggets_tui::{
    CHANNEL_CAPACITY, Key, KeyReader, Palette, Terminal, TerminalEvent, TerminalModes, job_control,
    read_keys, read_signals, watch_terminal,
};
use ratatui::layout::Position;

use crate::{ReplayApp, screen};

/// The maximum wait when the replay asks for no timeout.
const LONG_WAIT: Duration = Duration::from_secs(3_600);

/// Shows a replay in the terminal until its viewer leaves or the terminal is gone.
pub fn run(mut app: ReplayApp, palette: &Palette) -> anyhow::Result<()> {
    let mut shell = Shell::open()?;
    while !app.is_closed() {
        app.handle_timeout(shell.clock.now());
        let drawn = shell.terminal.draw(|area, cells| {
            app.handle_resize(area.as_size());
            screen::draw(&app, palette, area, cells);
            None
        });
        if drawn.is_err() {
            // The terminal is gone.
            return Ok(());
        }
        match shell.wait(app.poll_timeout())? {
            Wakeup::Key(key) => {
                if key == Key::Redraw {
                    shell.terminal.forget();
                }
                app.handle_key(shell.clock.now(), key);
            }
            Wakeup::Drag(from, to) => app.handle_drag(from, to),
            Wakeup::Draw => {}
            Wakeup::Continued => app.handle_continued(shell.clock.now()),
            Wakeup::Hangup => return Ok(()),
        }
    }
    Ok(())
}

struct Shell {
    clock: Clock,
    /// Ends before the terminal is restored.
    _keys: KeyReader,
    terminal: Terminal,
    events: Receiver<TerminalEvent>,
    /// The position of the mouse while its button is held.
    mouse: Option<Position>,
}

/// The event that ended a wait.
enum Wakeup {
    Key(Key),
    /// The mouse was moved from one cell to another while its button was held.
    Drag(Position, Position),
    /// The timeout passed, or the window has changed.
    Draw,
    /// The process was stopped and runs again.
    Continued,
    Hangup,
}

impl Shell {
    fn open() -> anyhow::Result<Self> {
        let (sender, events) = sync_channel(CHANNEL_CAPACITY);
        read_signals(sender.clone()).context("waiting for signals")?;
        let modes = TerminalModes { keys: true, screen: true, mouse: true };
        let terminal = Terminal::enter(modes).context("preparing the terminal")?;
        let keys = read_keys(sender.clone()).context("reading keys")?;
        watch_terminal(sender).context("watching the terminal")?;
        Ok(Self { clock: Clock::start(), _keys: keys, terminal, events, mouse: None })
    }

    /// Waits until something happens, at most until this time.
    fn wait(&mut self, until: Option<Timestamp>) -> anyhow::Result<Wakeup> {
        let now = self.clock.now();
        let timeout = until.map_or(LONG_WAIT, |then| Duration::from_millis(then.since(now)));
        match self.events.recv_timeout(timeout) {
            Ok(event) => self.handle(event),
            Err(RecvTimeoutError::Timeout) => Ok(Wakeup::Draw),
            Err(RecvTimeoutError::Disconnected) => bail!("all threads have ended"),
        }
    }

    fn handle(&mut self, event: TerminalEvent) -> anyhow::Result<Wakeup> {
        Ok(match event {
            TerminalEvent::Key(key) => Wakeup::Key(key),
            TerminalEvent::SuspendKey if job_control::can_be_continued() => {
                self.terminal.leave();
                job_control::ask_to_stop().context("suspending the program")?;
                Wakeup::Draw
            }
            TerminalEvent::Stop if job_control::can_be_continued() => {
                self.terminal.leave();
                job_control::stop().context("suspending the program")?;
                Wakeup::Continued
            }
            TerminalEvent::Hangup => Wakeup::Hangup,
            TerminalEvent::MouseDown(at) => {
                self.mouse = Some(at);
                Wakeup::Draw
            }
            TerminalEvent::MouseDrag(to) if self.mouse.is_some() => {
                let from = self.mouse.replace(to).unwrap_or(to);
                Wakeup::Drag(from, to)
            }
            // In the background we continue without the terminal; the shell that brings us to the
            // front sends the signal again.
            TerminalEvent::Continue if job_control::is_in_front() => {
                if self.terminal.reenter().is_ok() { Wakeup::Continued } else { Wakeup::Hangup }
            }
            TerminalEvent::SuspendKey
            | TerminalEvent::Stop
            | TerminalEvent::Continue
            | TerminalEvent::Resize
            | TerminalEvent::MouseDrag(_)
            | TerminalEvent::MouseUp(_) => Wakeup::Draw,
            TerminalEvent::ThreadPanicked(thread) => bail!("the thread \"{thread}\" has panicked"),
        })
    }
}
