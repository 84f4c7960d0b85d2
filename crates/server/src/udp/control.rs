//! Wakes a sleeping server with requests from other threads and signal handlers.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use super::OperatorRequest;

/// The reply to the operator: the result, or the reason for doing nothing.
pub type OperatorReply = Result<String, String>;

/// Stops a running server or acts on its players, from any thread; a signal handler can use `handle`.
///
/// Each write wakes the server immediately, so the server needs no timer to poll for requests.
#[derive(Debug)]
pub struct Control {
    sending: UnixDatagram,
    receiving: UnixDatagram,
    /// One entry for every `WAKE` that was written.
    asked: Mutex<VecDeque<PendingRequest>>,
}

/// A request, and the channel for its reply.
#[derive(Debug)]
pub(super) struct PendingRequest {
    pub(super) request: OperatorRequest,
    pub(super) reply: Option<Sender<OperatorReply>>,
}

/// Announces a request. Any other message comes from a signal handler, which can only stop the server.
const WAKE: &[u8] = b"request";

impl Control {
    /// Creates a control without requests.
    pub fn new() -> io::Result<Self> {
        let (sending, receiving) = UnixDatagram::pair()?;
        sending.set_nonblocking(true)?;
        receiving.set_nonblocking(true)?;
        Ok(Self { sending, receiving, asked: Mutex::default() })
    }

    /// Asks the server to stop. A second call changes nothing.
    pub fn stop(&self) {
        self.send(OperatorRequest::Stop);
    }

    /// Sends a request without waiting for a reply.
    pub fn send(&self, request: OperatorRequest) {
        // Fails only if the socket is full of requests that the server has not handled yet.
        let _ = self.push(PendingRequest { request, reply: None });
    }

    /// Sends a request and returns the receiver of its reply. The sender is dropped without a reply if the server has
    /// too many pending requests.
    pub fn ask(&self, request: OperatorRequest) -> Receiver<OperatorReply> {
        let (sender, receiver) = channel();
        let _ = self.push(PendingRequest { request, reply: Some(sender) });
        receiver
    }

    fn push(&self, asked: PendingRequest) -> io::Result<()> {
        let mut queue = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        self.sending.send(WAKE)?;
        queue.push_back(asked);
        Ok(())
    }

    /// A descriptor to which a signal handler writes any byte to stop the server.
    pub fn handle(&self) -> io::Result<UnixDatagram> {
        self.sending.try_clone()
    }

    /// Returns the next request, if any.
    pub(super) fn take_request(&self) -> Option<PendingRequest> {
        let mut bytes = [0; WAKE.len()];
        while let Ok(length) = self.receiving.recv(&mut bytes) {
            match &bytes[..length] {
                // The code that installs a signal handler may send an empty message first, to test the descriptor.
                [] => {}
                WAKE => {
                    let mut queue = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
                    return queue.pop_front();
                }
                _ => return Some(PendingRequest { request: OperatorRequest::Stop, reply: None }),
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
