//! The socket of a client, and the datagrams that were read from it ahead of the client: the map of all players is
//! combined from the last map that each of them was sent, while the checks hold the clients.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::net::UdpSocket;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::Clock;

/// The maximum number of datagrams read at once, so that a server that never stops sending can't block us.
pub(super) const MAX_READ: usize = 10_000;
const MAX_BYTES: usize = 1 << 16;
/// The shortest receive timeout; zero would mean none.
const MIN_TIMEOUT: Duration = Duration::from_millis(1);

/// A datagram and the time at which it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Datagram {
    pub(crate) at: Duration,
    pub(crate) bytes: Vec<u8>,
}

/// The socket and its received datagrams.
#[derive(Debug)]
pub(crate) struct Inbox {
    pub(super) socket: UdpSocket,
    clock: Clock,
    state: Mutex<InboxState>,
}

#[derive(Debug, Default)]
struct InboxState {
    /// Datagrams that were read, but not by the client.
    waiting: VecDeque<Datagram>,
    last_display: Option<Datagram>,
    has_quit: bool,
}

impl Inbox {
    pub(super) fn new(socket: UdpSocket, clock: Clock) -> Self {
        Self { socket, clock, state: Mutex::default() }
    }

    /// Returns the next datagram for the client: one that was read ahead, has arrived, or arrives within this time.
    pub(super) fn next_within(&self, wait: Duration) -> Option<Datagram> {
        let waiting = self.state().waiting.pop_front();
        waiting.or_else(|| self.read_within(wait))
    }

    /// Excludes the player's view from the map of all players: it has sent the key `Q`.
    pub(super) fn note_quit(&self) {
        self.state().has_quit = true;
    }

    /// Returns the last map that has arrived, even if the client has not read it; `None` once the player has quit.
    pub(crate) fn last_display(&self) -> Option<Datagram> {
        for _ in 0..MAX_READ {
            let Some(datagram) = self.read_within(Duration::ZERO) else { break };
            self.state().waiting.push_back(datagram);
        }
        let state = self.state();
        state.last_display.clone().filter(|_| !state.has_quit)
    }

    fn read_within(&self, wait: Duration) -> Option<Datagram> {
        let mut buffer = vec![0; MAX_BYTES];
        self.socket.set_nonblocking(wait.is_zero()).ok()?;
        self.socket.set_read_timeout(Some(wait.max(MIN_TIMEOUT))).ok()?;
        let received = self.socket.recv(&mut buffer);
        self.socket.set_nonblocking(false).ok()?;
        // An earlier datagram was rejected: the server is gone, or was not there yet.
        if received.as_ref().is_err_and(|why| why.kind() == ErrorKind::ConnectionRefused) {
            std::thread::sleep(MIN_TIMEOUT);
        }
        let datagram =
            Datagram { at: self.clock.elapsed(), bytes: buffer[..received.ok()?].into() };
        if datagram.bytes.starts_with(b"DISPLAY") {
            self.state().last_display = Some(datagram.clone());
        }
        Some(datagram)
    }

    fn state(&self) -> MutexGuard<'_, InboxState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_ahead_waits_for_the_client() {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let server = UdpSocket::bind("127.0.0.1:0").unwrap();
        let to = socket.local_addr().unwrap();
        let inbox = Inbox::new(socket, Clock::start());
        for message in [b"OK A".as_slice(), b"DISPLAY\n@\n", b"GOLD 0 0 250"] {
            server.send_to(message, to).unwrap();
        }
        assert_eq!(inbox.last_display().unwrap().bytes, b"DISPLAY\n@\n");
        let waiting: Vec<_> = std::iter::from_fn(|| inbox.next_within(Duration::ZERO)).collect();
        assert_eq!(waiting.len(), 3);
        assert_eq!(waiting[0].bytes, b"OK A");
        assert_eq!(inbox.last_display().unwrap().bytes, b"DISPLAY\n@\n");
    }
}
