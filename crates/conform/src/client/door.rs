//! Where the client knocks: a socket on loopback, and a line that may lose datagrams on purpose.
//! It knows nothing of what the messages mean.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use nuggets_game::{Chance, Seed};

use super::inbox::Event;

/// So often the listener looks whether it is still wanted.
const GLANCE: Duration = Duration::from_millis(200);

/// The server's end.
#[derive(Debug)]
pub(crate) struct Door {
    socket: Arc<UdpSocket>,
    address: SocketAddr,
    closed: Arc<AtomicBool>,
    loss: Loss,
}

#[derive(Debug)]
struct Loss {
    percent: u32,
    chance: Chance,
    has_lost: bool,
}

impl Door {
    /// Opens a port and listens at it.
    pub(crate) fn open(loss_percent: u32, seed: i64, inbox: SyncSender<Event>) -> io::Result<Self> {
        let socket = Arc::new(UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?);
        socket.set_read_timeout(Some(GLANCE))?;
        let address = socket.local_addr()?;
        let closed = Arc::new(AtomicBool::new(false));
        let listener = (Arc::clone(&socket), Arc::clone(&closed));
        std::thread::spawn(move || listen(&listener.0, address, &listener.1, &inbox));
        let chance = Chance::new(Seed::new(seed));
        let loss = Loss { percent: loss_percent, chance, has_lost: false };
        Ok(Self { socket, address, closed, loss })
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Sends, unless the datagram is lost; whether it is on its way.
    pub(crate) fn send(&mut self, bytes: &[u8], to: SocketAddr) -> bool {
        !self.loss.takes_one() && self.socket.send_to(bytes, to).is_ok()
    }

    /// Is a datagram that has come lost all the same?
    pub(crate) fn loses_one(&mut self) -> bool {
        self.loss.takes_one()
    }

    pub(crate) fn has_lost(&self) -> bool {
        self.loss.has_lost
    }

    /// Asks to be told when everything that has come so far has been told: messages of one machine
    /// to itself arrive in the order in which they were sent.
    pub(crate) fn ask_whether_empty(&self) {
        let _ = self.socket.send_to(b"", self.address);
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::SeqCst);
        self.ask_whether_empty();
    }
}

impl Loss {
    fn takes_one(&mut self) -> bool {
        let taken = self.percent > 0 && self.chance.below(100) < self.percent;
        self.has_lost |= taken;
        taken
    }
}

fn listen(socket: &UdpSocket, own: SocketAddr, closed: &AtomicBool, inbox: &SyncSender<Event>) {
    let mut buffer = vec![0; 1 << 16];
    while !closed.load(Ordering::SeqCst) {
        let event = match socket.recv_from(&mut buffer) {
            Ok((_, from)) if from == own => Event::Emptied,
            Ok((length, from)) => Event::Heard(buffer[..length].to_vec(), from),
            Err(error) if is_passing(&error) => continue,
            // A client that has gone may be told to us in this way.
            Err(_) => {
                std::thread::sleep(Duration::from_millis(5));
                continue;
            }
        };
        if inbox.send(event).is_err() {
            return;
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::TimedOut | ErrorKind::WouldBlock)
}
