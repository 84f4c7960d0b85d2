//! How other threads and signal handlers reach a server that sleeps until something arrives.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;

/// Stops a running server, from any thread; a signal handler can use `handle`.
///
/// Whatever is written to it wakes the server at once, so the server needs no timer to look for requests.
#[derive(Debug)]
pub struct Control {
    sending: UnixDatagram,
    receiving: UnixDatagram,
}

impl Control {
    /// A control without requests.
    pub fn new() -> io::Result<Self> {
        let (sending, receiving) = UnixDatagram::pair()?;
        sending.set_nonblocking(true)?;
        receiving.set_nonblocking(true)?;
        Ok(Self { sending, receiving })
    }

    /// Asks the server to stop. A second request changes nothing.
    pub fn stop(&self) {
        // It fails only if it is full of requests that the server has not handled yet.
        let _ = self.sending.send(STOP);
    }

    /// A descriptor to which a signal handler writes any byte to stop the server.
    pub fn handle(&self) -> io::Result<UnixDatagram> {
        self.sending.try_clone()
    }

    /// True if the server was asked to stop since this was called last.
    pub(super) fn take_stop(&self) -> bool {
        self.receiving.recv(&mut [0; 1]).is_ok()
    }
}

impl AsFd for Control {
    /// Readable while there is a request.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.receiving.as_fd()
    }
}

const STOP: &[u8] = b"X";
