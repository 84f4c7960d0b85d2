//! The server's socket on loopback, which may drop datagrams on purpose, and the queue of all events of a test run. It
//! doesn't know what the messages mean.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use crate::loss::Loss;

/// The maximum number of events in the queue. The program waits for the rest.
pub(crate) const EVENT_CAPACITY: usize = 256;
/// The interval at which the listening thread checks if the socket was dropped.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// An event caused by the program under test.
#[derive(Debug)]
pub(crate) enum SubjectEvent {
    /// It wrote this to its terminal.
    Output(Vec<u8>),
    /// No process can write to the terminal any more.
    TerminalClosed,
    /// A datagram from this address.
    Received(Vec<u8>, SocketAddr),
    /// All datagrams that had arrived before the request were queued.
    Drained,
}

/// The server's end of the connection.
#[derive(Debug)]
pub(crate) struct ServerSocket {
    socket: Arc<UdpSocket>,
    address: SocketAddr,
    is_closed: Arc<AtomicBool>,
    loss: Loss,
    has_lost: bool,
}

impl ServerSocket {
    /// Binds a port and queues arriving datagrams.
    pub(crate) fn bind(loss: Loss, events: SyncSender<SubjectEvent>) -> io::Result<Self> {
        let socket = Arc::new(UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?);
        socket.set_read_timeout(Some(POLL_INTERVAL))?;
        let address = socket.local_addr()?;
        let is_closed = Arc::new(AtomicBool::new(false));
        let listener = (Arc::clone(&socket), Arc::clone(&is_closed));
        std::thread::spawn(move || listen(&listener.0, address, &listener.1, &events));
        Ok(Self { socket, address, is_closed, loss, has_lost: false })
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Sends a datagram, unless it is dropped on purpose; true if it was sent.
    pub(crate) fn send(&mut self, bytes: &[u8], to: SocketAddr) -> bool {
        !self.drops_next() && self.socket.send_to(bytes, to).is_ok()
    }

    /// True if the next datagram is to be dropped on purpose.
    pub(crate) fn drops_next(&mut self) -> bool {
        let is_dropped = self.loss.drops_next();
        self.has_lost |= is_dropped;
        is_dropped
    }

    pub(crate) fn has_lost(&self) -> bool {
        self.has_lost
    }

    /// Requests [`SubjectEvent::Drained`] by a datagram to ourselves: on loopback, datagrams arrive in the
    /// order in which they were sent.
    pub(crate) fn request_drained(&self) {
        let _ = self.socket.send_to(b"", self.address);
    }
}

impl Drop for ServerSocket {
    fn drop(&mut self) {
        self.is_closed.store(true, Ordering::SeqCst);
        // Wakes the listening thread.
        self.request_drained();
    }
}

fn listen(
    socket: &UdpSocket,
    own: SocketAddr,
    is_closed: &AtomicBool,
    events: &SyncSender<SubjectEvent>,
) {
    let mut buffer = vec![0; 1 << 16];
    while !is_closed.load(Ordering::SeqCst) {
        let event = match socket.recv_from(&mut buffer) {
            Ok((_, from)) if from == own => SubjectEvent::Drained,
            Ok((length, from)) => SubjectEvent::Received(buffer[..length].to_vec(), from),
            Err(error) => {
                use ErrorKind::{Interrupted, TimedOut, WouldBlock};
                if !matches!(error.kind(), Interrupted | TimedOut | WouldBlock) {
                    // A client that has exited may be reported in this way.
                    std::thread::sleep(Duration::from_millis(5));
                }
                continue;
            }
        };
        if events.send(event).is_err() {
            return;
        }
    }
}
