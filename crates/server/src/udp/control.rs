//! How other threads and signal handlers reach a server that sleeps until something arrives.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use super::Request;

/// What the operator is answered: what was done, or why not.
pub type Reply = Result<String, String>;

/// Stops a running server or acts on its players, from any thread; a signal handler can use `handle`.
///
/// Whatever is written to it wakes the server at once, so the server needs no timer to look for requests.
#[derive(Debug)]
pub struct Control {
    sending: UnixDatagram,
    receiving: UnixDatagram,
    /// One for every `WAKE` that was written.
    asked: Mutex<VecDeque<Asked>>,
}

/// A request, and where its reply goes.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) request: Request,
    pub(super) reply: Option<Sender<Reply>>,
}

/// Announces a request. Any other message comes from a signal handler, which can only stop the server.
const WAKE: &[u8] = b"request";

impl Control {
    /// A control without requests.
    pub fn new() -> io::Result<Self> {
        let (sending, receiving) = UnixDatagram::pair()?;
        sending.set_nonblocking(true)?;
        receiving.set_nonblocking(true)?;
        Ok(Self { sending, receiving, asked: Mutex::default() })
    }

    /// Asks the server to stop. A second request changes nothing.
    pub fn stop(&self) {
        self.send(Request::Stop);
    }

    /// Asks the server for something.
    pub fn send(&self, request: Request) {
        // It fails only if it is full of requests that the server has not handled yet.
        let _ = self.push(Asked { request, reply: None });
    }

    /// Asks the server for something and gets its reply, when it has one. The sender is dropped without one if
    /// the server has too many requests to handle.
    pub fn ask(&self, request: Request) -> Receiver<Reply> {
        let (sender, receiver) = channel();
        let _ = self.push(Asked { request, reply: Some(sender) });
        receiver
    }

    fn push(&self, asked: Asked) -> io::Result<()> {
        let mut queue = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        self.sending.send(WAKE)?;
        queue.push_back(asked);
        Ok(())
    }

    /// A descriptor to which a signal handler writes any byte to stop the server.
    pub fn handle(&self) -> io::Result<UnixDatagram> {
        self.sending.try_clone()
    }

    /// The next request; `None` if there is none.
    pub(super) fn take_request(&self) -> Option<Asked> {
        let mut bytes = [0; WAKE.len()];
        while let Ok(length) = self.receiving.recv(&mut bytes) {
            match &bytes[..length] {
                // Whoever installs a signal handler may send an empty message first, to try the descriptor.
                [] => {}
                WAKE => {
                    let mut queue = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
                    return queue.pop_front();
                }
                _ => return Some(Asked { request: Request::Stop, reply: None }),
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
