//! How other threads and signal handlers reach a server that sleeps until something arrives.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;

use super::Request;

/// Stops a running server or acts on its players, from any thread; a signal handler can use `handle`.
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
        self.send(Request::Stop);
    }

    /// Asks the server for something.
    pub fn send(&self, request: Request) {
        // It fails only if it is full of requests that the server has not handled yet.
        let _ = self.sending.send(request.to_string().as_bytes());
    }

    /// A descriptor to which a signal handler writes any byte to stop the server.
    pub fn handle(&self) -> io::Result<UnixDatagram> {
        self.sending.try_clone()
    }

    /// The next request; `None` if there is none.
    pub(super) fn take_request(&self) -> Option<Request> {
        let mut bytes = [0; MAX_REQUEST_BYTES];
        while let Ok(length) = self.receiving.recv(&mut bytes) {
            // Whoever installs a signal handler may send an empty message first, to try the descriptor.
            if length > 0 {
                return Some(Request::from_bytes(&bytes[..length]));
            }
        }
        None
    }
}

impl AsFd for Control {
    /// Readable while there is a request.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.receiving.as_fd()
    }
}

/// No request is longer: the name of one, and an IPv6 address.
const MAX_REQUEST_BYTES: usize = 64;
