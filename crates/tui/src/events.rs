//! What can happen at a terminal, sent by several threads into one channel. The channel may carry
//! other events of the program as well.

use std::io;
use std::sync::mpsc::SyncSender;
use std::thread;

use crossterm::event;
use ratatui::layout::Position;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;

use crate::Key;
use crate::key_mapping::map_event;

/// How many events a channel should hold before its senders block.
pub const CHANNEL_CAPACITY: usize = 256;

const SIGNALS: [i32; 7] = [SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH];

/// Something that happened at the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalEvent {
    /// A key was pressed, or a signal asks the program to end ([`Key::Interrupt`]).
    Key(Key),
    /// The left mouse button was pressed at this cell of the window.
    Click(Position),
    /// Ctrl-Z was pressed: the whole job should stop.
    SuspendKey,
    /// This process was asked to stop (SIGTSTP).
    Stop,
    /// This process was continued (SIGCONT).
    Continue,
    /// The window has another size.
    Resize,
    /// The terminal is gone.
    Hangup,
    /// The thread of this name has panicked.
    ThreadPanicked(&'static str),
}

impl TerminalEvent {
    fn from_signal(signal: i32) -> Self {
        match signal {
            SIGTSTP => Self::Stop,
            SIGCONT => Self::Continue,
            SIGWINCH => Self::Resize,
            SIGHUP => Self::Hangup,
            _ => Self::Key(Key::Interrupt),
        }
    }
}

/// Starts a thread that reads the keys and clicks at the terminal.
pub fn read_keys<E: From<TerminalEvent> + Send + 'static>(events: SyncSender<E>) -> io::Result<()> {
    start_thread("keys", events, |events| {
        while let Ok(event) = event::read() {
            if let Some(event) = map_event(&event)
                && events.send(event.into()).is_err()
            {
                return;
            }
        }
        let _ = events.send(TerminalEvent::Hangup.into());
    })
}

/// Starts a thread that waits for the terminal to vanish. A thread that reads keys may not notice
/// it, and SIGHUP only goes to processes whose controlling terminal it was.
pub fn watch_terminal<E: From<TerminalEvent> + Send + 'static>(
    events: SyncSender<E>,
) -> io::Result<()> {
    start_thread("terminal", events, |events| {
        let stdin = rustix::stdio::stdin();
        let gone = PollFlags::HUP | PollFlags::ERR;
        loop {
            // Hangups and errors are reported unasked.
            let mut terminal = [PollFd::new(&stdin, PollFlags::empty())];
            match poll(&mut terminal, None) {
                Err(Errno::INTR) => {}
                Ok(_) if terminal[0].revents().intersects(gone) => {
                    let _ = events.send(TerminalEvent::Hangup.into());
                    return;
                }
                // This system can't wait for that.
                _ => return,
            }
        }
    })
}

/// Starts a thread that receives signals. From now on none of them has its default effect.
pub fn read_signals<E: From<TerminalEvent> + Send + 'static>(
    events: SyncSender<E>,
) -> io::Result<()> {
    let mut signals = Signals::new(SIGNALS)?;
    start_thread("signals", events, move |events| {
        for signal in signals.forever() {
            if events.send(TerminalEvent::from_signal(signal).into()).is_err() {
                return;
            }
        }
    })
}

/// Starts a thread that sends events. If it panics it sends [`TerminalEvent::ThreadPanicked`]: a
/// program that no longer receives anything must not continue silently.
pub fn start_thread<E: From<TerminalEvent> + Send + 'static>(
    name: &'static str,
    events: SyncSender<E>,
    body: impl FnOnce(&SyncSender<E>) + Send + 'static,
) -> io::Result<()> {
    let run = move || {
        let alarm = PanicAlarm { name, events };
        body(&alarm.events);
    };
    thread::Builder::new().name(name.to_owned()).spawn(run)?;
    Ok(())
}

struct PanicAlarm<E: From<TerminalEvent>> {
    name: &'static str,
    events: SyncSender<E>,
}

impl<E: From<TerminalEvent>> Drop for PanicAlarm<E> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.events.send(TerminalEvent::ThreadPanicked(self.name).into());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_thread_that_panics_is_reported() {
        let (sender, events) = sync_channel::<TerminalEvent>(CHANNEL_CAPACITY);
        start_thread("unlucky", sender, |_| panic!("on purpose")).unwrap();
        let event = events.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(event, TerminalEvent::ThreadPanicked("unlucky"));
    }
}
