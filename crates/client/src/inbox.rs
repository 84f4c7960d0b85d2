//! Everything that can happen to a client, gathered from several threads into one channel.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender};
use std::thread;

use crossterm::event;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;

use crate::keys::{Pressed, pressed};
use crate::link::Link;

/// How much may wait. A flood then waits in the socket, where the system drops it.
pub(crate) const CAPACITY: usize = 256;

/// How much of a script is read at once.
const SCRIPT_BLOCK: usize = 256;

const SIGNALS: [i32; 7] = [SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH];

/// Something happened.
#[derive(Debug)]
pub(crate) enum Event {
    /// A key was pressed.
    Pressed(Pressed),
    /// Keys came out of a pipe.
    Script(Vec<u8>),
    /// The pipe has come to its end.
    ScriptEnd,
    /// A datagram came in over this link.
    Message(LinkId, Vec<u8>),
    /// The other end of this link is not there.
    Lost(LinkId, io::Error),
    /// The terminal can't be read any more.
    Hangup,
    /// A signal.
    Signal(i32),
    /// One of our threads has panicked.
    Broken(&'static str),
}

/// Which of the links that we have tried one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkId(pub(crate) usize);

/// Reads the keys that are pressed at the terminal.
pub(crate) fn read_keys(inbox: SyncSender<Event>) -> io::Result<()> {
    start("keys", inbox, |inbox| {
        while let Ok(event) = event::read() {
            if let Some(pressed) = pressed(&event)
                && inbox.send(Event::Pressed(pressed)).is_err()
            {
                return;
            }
        }
        let _ = inbox.send(Event::Hangup);
    })
}

/// Waits for the terminal to vanish. Whoever reads keys from it may not notice, and a signal only
/// tells those whose controlling terminal it was.
pub(crate) fn watch_terminal(inbox: SyncSender<Event>) -> io::Result<()> {
    start("terminal", inbox, |inbox| {
        let stdin = rustix::stdio::stdin();
        let gone = PollFlags::HUP | PollFlags::ERR;
        loop {
            // Nothing is asked for: what is reported is reported unasked.
            let mut terminal = [PollFd::new(&stdin, PollFlags::empty())];
            match poll(&mut terminal, None) {
                Err(Errno::INTR) => {}
                Ok(_) if terminal[0].revents().intersects(gone) => {
                    let _ = inbox.send(Event::Hangup);
                    return;
                }
                // A system that can't wait for this.
                _ => return,
            }
        }
    })
}

/// Reads keys from a pipe: a block for each permit, so that an endless pipe waits for the game.
pub(crate) fn read_script(inbox: SyncSender<Event>, permits: Receiver<()>) -> io::Result<()> {
    start("script", inbox, move |inbox| {
        let mut block = [0; SCRIPT_BLOCK];
        while permits.recv().is_ok()
            && let Some(n) = read_block(&mut block)
        {
            let _ = inbox.send(Event::Script(block[..n].to_vec()));
        }
        let _ = inbox.send(Event::ScriptEnd);
    })
}

/// How many bytes came; nothing at the end. What can't be read has ended as well.
fn read_block(block: &mut [u8]) -> Option<usize> {
    loop {
        match io::stdin().read(block) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read.ok().filter(|&n| n > 0),
        }
    }
}

/// Listens to the server.
pub(crate) fn read_link(inbox: SyncSender<Event>, id: LinkId, link: &Link) -> io::Result<()> {
    let messages = inbox.clone();
    let listener = link.listener(move |received| {
        let event = match received {
            Ok(bytes) => Event::Message(id, bytes),
            Err(error) => Event::Lost(id, error),
        };
        messages.send(event).is_ok()
    });
    start("link", inbox, |_| listener())
}

/// Waits for signals. From now on none of them has its usual effect.
pub(crate) fn read_signals(inbox: SyncSender<Event>) -> io::Result<()> {
    let mut signals = Signals::new(SIGNALS)?;
    start("signals", inbox, move |inbox| {
        for signal in signals.forever() {
            if inbox.send(Event::Signal(signal)).is_err() {
                return;
            }
        }
    })
}

fn start(
    name: &'static str,
    inbox: SyncSender<Event>,
    body: impl FnOnce(&SyncSender<Event>) + Send + 'static,
) -> io::Result<()> {
    let run = move || {
        let alarm = Alarm { name, inbox };
        body(&alarm.inbox);
    };
    thread::Builder::new().name(name.to_owned()).spawn(run)?;
    Ok(())
}

/// Tells when its thread panics: a client that no longer hears anything must not go on as if.
struct Alarm {
    name: &'static str,
    inbox: SyncSender<Event>,
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.inbox.send(Event::Broken(self.name));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_thread_that_panics_is_noticed() {
        let (inbox, events) = sync_channel(CAPACITY);
        start("unlucky", inbox, |_| panic!("on purpose")).unwrap();
        let event = events.recv_timeout(Duration::from_secs(20)).unwrap();
        assert!(matches!(event, Event::Broken("unlucky")), "{event:?}");
    }
}
