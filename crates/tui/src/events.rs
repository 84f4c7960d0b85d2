//! Events at a terminal, sent by several threads into one channel. The channel may carry other events of the program as
//! well.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError};
use std::thread;
use std::time::Duration;

use crossterm::event;
use ratatui::layout::Position;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;

use crate::Key;
use crate::key_mapping::map_event;

/// The recommended capacity of an event channel; its senders block when it is full.
pub const CHANNEL_CAPACITY: usize = 256;

const SIGNALS: [i32; 7] = [SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH];

/// Something that happened at the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalEvent {
    /// A key was pressed, or a signal asks the program to end ([`Key::Interrupt`]).
    Key(Key),
    /// The left mouse button was pressed at this cell of the window.
    MouseDown(Position),
    /// The mouse was moved to this cell while its left button was held.
    MouseDrag(Position),
    /// The left mouse button was released at this cell.
    MouseUp(Position),
    /// Ctrl-Z was pressed: the whole job should stop.
    SuspendKey,
    /// This process was asked to stop (SIGTSTP).
    Stop,
    /// This process was continued (SIGCONT).
    Continue,
    /// The size of the window has changed.
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

/// The interval at which the key reader checks if it should end.
const KEY_POLL: Duration = Duration::from_millis(50);

/// The thread that reads the keys and the mouse at the terminal. Dropping it ends the thread, so that another
/// screen of the same program can read the next key.
#[derive(Debug)]
#[must_use]
pub struct KeyReader {
    ends: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Drop for KeyReader {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic of that thread was already reported as an event.
            let _ = thread.join();
        }
    }
}

/// Starts a thread that reads the keys and the mouse at the terminal.
pub fn read_keys<E: From<TerminalEvent> + Send + 'static>(
    events: SyncSender<E>,
) -> io::Result<KeyReader> {
    let ends = Arc::new(AtomicBool::new(false));
    let told_to_end = Arc::clone(&ends);
    let thread = spawn("keys", events, move |events| {
        while !told_to_end.load(Ordering::Relaxed) {
            let event = match event::poll(KEY_POLL) {
                Ok(false) => continue,
                Ok(true) => event::read(),
                Err(error) => Err(error),
            };
            let event = match event {
                Ok(event) => map_event(&event),
                Err(_) => Some(TerminalEvent::Hangup),
            };
            let Some(event) = event else { continue };
            if !send_until(events, event, &told_to_end) || event == TerminalEvent::Hangup {
                return;
            }
        }
    })?;
    Ok(KeyReader { ends, thread: Some(thread) })
}

/// Sends an event, waiting while the channel is full. Returns false if the receiver is gone or the thread has to end.
fn send_until<E: From<TerminalEvent>>(
    events: &SyncSender<E>,
    event: TerminalEvent,
    ends: &AtomicBool,
) -> bool {
    loop {
        match events.try_send(event.into()) {
            Ok(()) => return true,
            Err(TrySendError::Disconnected(_)) => return false,
            Err(TrySendError::Full(_)) if ends.load(Ordering::Relaxed) => return false,
            Err(TrySendError::Full(_)) => thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Starts a thread that waits for the terminal to vanish. A thread that reads keys may not notice
/// it, and SIGHUP only goes to processes whose controlling terminal it was.
pub(crate) fn watch_terminal<E: From<TerminalEvent> + Send + 'static>(
    events: SyncSender<E>,
) -> io::Result<()> {
    start_thread("terminal", events, |events| {
        let stdin = rustix::stdio::stdin();
        let gone = PollFlags::HUP | PollFlags::ERR;
        loop {
            // Hangups and errors are reported even if not requested.
            let mut terminal = [PollFd::new(&stdin, PollFlags::empty())];
            match poll(&mut terminal, None) {
                Err(Errno::INTR) => {}
                Ok(_) if terminal[0].revents().intersects(gone) => {
                    let _ = events.send(TerminalEvent::Hangup.into());
                    return;
                }
                // This system can't wait for hangups.
                _ => return,
            }
        }
    })
}

/// Starts a thread that receives signals. From now on none of them has its default effect.
pub(crate) fn read_signals<E: From<TerminalEvent> + Send + 'static>(
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
    spawn(name, events, body).map(drop)
}

fn spawn<E: From<TerminalEvent> + Send + 'static>(
    name: &'static str,
    events: SyncSender<E>,
    body: impl FnOnce(&SyncSender<E>) + Send + 'static,
) -> io::Result<thread::JoinHandle<()>> {
    let run = move || {
        let alarm = PanicAlarm { name, events };
        body(&alarm.events);
    };
    thread::Builder::new().name(name.to_owned()).spawn(run)
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

    use super::*;

    #[test]
    fn a_thread_that_panics_is_reported() {
        let (sender, events) = sync_channel::<TerminalEvent>(CHANNEL_CAPACITY);
        start_thread("unlucky", sender, |_| panic!("on purpose")).unwrap();
        let event = events.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(event, TerminalEvent::ThreadPanicked("unlucky"));
    }
}
