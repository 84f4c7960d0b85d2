//! The socket of a client, and the datagrams that were read from it ahead of the client: the map of all players is
//! combined from the last map that each of them was sent, while the checks hold the clients.

use std::collections::VecDeque;
use std::net::UdpSocket;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::Clock;

/// The maximum number of datagrams read at once, so that a server that never stops sending can't block us.
const MAX_READ: usize = 10_000;
const MAX_BYTES: usize = 1 << 16;

/// A datagram and the time at which it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Datagram {
    pub(crate) at: Duration,
    pub(crate) bytes: Vec<u8>,
}

/// The socket and its received datagrams.
#[derive(Debug)]
pub(crate) struct Inbox {
    socket: UdpSocket,
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
    pub(super) fn new(socket: UdpSocket) -> Self {
        Self { socket, state: Mutex::default() }
    }

    pub(super) fn socket(&self) -> &UdpSocket {
        &self.socket
    }

    /// Returns the oldest datagram that was read ahead of the client.
    pub(super) fn take_waiting(&self) -> Option<Datagram> {
        self.state().waiting.pop_front()
    }

    /// Remembers a map that was just read from the socket.
    pub(super) fn note(&self, datagram: &Datagram) {
        if datagram.bytes.starts_with(b"DISPLAY") {
            self.state().last_display = Some(datagram.clone());
        }
    }

    /// Excludes the player's view from the map of all players: it has sent the key `Q`.
    pub(super) fn note_quit(&self) {
        self.state().has_quit = true;
    }

    pub(crate) fn has_quit(&self) -> bool {
        self.state().has_quit
    }

    /// Returns the last map that has arrived, even if the client has not read it.
    pub(crate) fn last_display(&self, clock: Clock) -> Option<Datagram> {
        self.read_ahead(clock);
        self.state().last_display.clone()
    }

    fn read_ahead(&self, clock: Clock) {
        if self.socket.set_nonblocking(true).is_err() {
            return;
        }
        let mut buffer = vec![0; MAX_BYTES];
        for _ in 0..MAX_READ {
            let Ok(length) = self.socket.recv(&mut buffer) else { break };
            let datagram = Datagram { at: clock.elapsed(), bytes: buffer[..length].to_vec() };
            self.note(&datagram);
            self.state().waiting.push_back(datagram);
        }
        let _ = self.socket.set_nonblocking(false);
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
        let inbox = Inbox::new(socket);
        for message in [b"OK A".as_slice(), b"DISPLAY\n@\n", b"GOLD 0 0 250"] {
            server.send_to(message, to).unwrap();
        }
        assert_eq!(inbox.last_display(Clock::start()).unwrap().bytes, b"DISPLAY\n@\n");
        let waiting: Vec<_> = std::iter::from_fn(|| inbox.take_waiting()).collect();
        assert_eq!(waiting.len(), 3);
        assert_eq!(waiting[0].bytes, b"OK A");
        assert_eq!(inbox.last_display(Clock::start()).unwrap().bytes, b"DISPLAY\n@\n");
    }
}
