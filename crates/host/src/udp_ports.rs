//! The classic ports of games: one socket each, over which clients of the specification play the same game as browsers.
//! Datagrams are passed to the game, which replies through the same socket.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use nuggets_protocol::UdpError;
use nuggets_server::{Guard, Limits, udp};
use tokio::io::Interest;
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;
use tracing::{debug, warn};

use crate::locks::lock;
use crate::{ClaimedNames, GameCommand, GameId, SharedGuard, UdpPort, UdpSender, Workers};

/// Size of the receive buffer. No valid message of a client is as long, so a truncated datagram is malformed anyway.
const MAX_DATAGRAM_BYTES: usize = 4096;
/// Pause after a socket error, so that a persistent error does not cause a busy loop.
const ERROR_PAUSE: Duration = Duration::from_millis(10);

/// All open ports and their common guard.
#[derive(Debug)]
pub struct UdpPorts {
    bind: Option<IpAddr>,
    guard: SharedGuard,
    claimed_names: Arc<ClaimedNames>,
    open: Mutex<BTreeMap<GameId, OpenPort>>,
}

/// An open port; dropping it closes the port.
#[derive(Debug)]
struct OpenPort {
    /// The socket for sending. The game has a weak reference to it.
    _sending: Arc<std::net::UdpSocket>,
    task: JoinHandle<()>,
    is_closed: Arc<Mutex<bool>>,
}

impl Drop for OpenPort {
    fn drop(&mut self) {
        // The task may be reading right now. If the game is opened again, it must not get datagrams of the closed port.
        *lock(&self.is_closed) = true;
        self.task.abort();
    }
}

impl UdpPorts {
    /// Prepares ports on this address, or on all addresses of the machine; at most `max_ports` are open at the same time.
    /// Clients must not use claimed names.
    pub fn new(
        bind: Option<IpAddr>,
        max_ports: usize,
        claimed_names: Arc<ClaimedNames>,
    ) -> io::Result<Self> {
        let mut key = [0; 16];
        getrandom::fill(&mut key).map_err(io::Error::other)?;
        let guard = Guard::new(Limits::default(), key).with_rooms(max_ports);
        let guard = Arc::new(Mutex::new(guard));
        Ok(Self { bind, guard, claimed_names, open: Mutex::default() })
    }

    /// Opens the port of a game. Must be called within a tokio runtime.
    pub fn open(&self, game: GameId, port: u16, workers: &Arc<Workers>) -> io::Result<UdpPort> {
        let socket = udp::bind(self.bind, port)?;
        socket.set_nonblocking(true)?;
        if let Err(why) = udp::report_unreachable(&socket) {
            debug!("the system doesn't report unreachable addresses: {why}");
        }
        let is_v6 = socket.local_addr()?.is_ipv6();
        let sending = Arc::new(socket.try_clone()?);
        let send = sender(Arc::downgrade(&sending), is_v6);
        let socket = UdpSocket::from_std(socket)?;
        let is_closed = Arc::default();
        let (workers, closed) = (Arc::clone(workers), Arc::clone(&is_closed));
        let task = tokio::spawn(PortListener { game, socket, workers, is_closed: closed }.run());
        lock(&self.open).insert(game, OpenPort { _sending: sending, task, is_closed });
        let claimed_names = Arc::clone(&self.claimed_names);
        Ok(UdpPort { send, guard: Some(Arc::clone(&self.guard)), claimed_names })
    }

    /// Closes the port of a finished game, so that another game can use it.
    pub fn close(&self, game: GameId) {
        lock(&self.open).remove(&game);
    }

    /// Closes all ports and waits until they can be opened again.
    pub async fn close_all(&self) {
        let ports = std::mem::take(&mut *lock(&self.open));
        for mut port in ports.into_values() {
            port.task.abort();
            // The task holds the socket until it ends. Its cancellation is reported as an error, but expected.
            let _ = (&mut port.task).await;
        }
    }
}

/// Returns the send function of a port, for any thread. If the socket buffer is full, the datagram is dropped, as the
/// network may do.
fn sender(socket: Weak<std::net::UdpSocket>, is_v6: bool) -> UdpSender {
    Arc::new(move |to, bytes| {
        let Some(socket) = socket.upgrade() else { return };
        let to = match to {
            SocketAddr::V4(to) if is_v6 => (to.ip().to_ipv6_mapped(), to.port()).into(),
            to => to,
        };
        // The error may be about an earlier datagram that came back (ICMP); then this one was not sent, and is sent again.
        let sent = socket.send_to(bytes, to).or_else(|_| socket.send_to(bytes, to));
        if let Err(why) = sent {
            debug!("can't send to {to}: {why}");
        }
    })
}

/// The receiving task of a port.
struct PortListener {
    game: GameId,
    socket: UdpSocket,
    workers: Arc<Workers>,
    /// True if the port was closed: datagrams are no longer passed on.
    is_closed: Arc<Mutex<bool>>,
}

impl PortListener {
    async fn run(self) {
        let mut buffer = vec![0; MAX_DATAGRAM_BYTES];
        loop {
            let wanted = Interest::READABLE | Interest::ERROR;
            let failed = match self.socket.ready(wanted).await {
                Ok(_) => self.receive_all(&mut buffer),
                Err(why) => Err(why),
            };
            if let Err(why) = failed {
                warn!(game = %self.game, "can't read from the UDP socket: {why}");
                tokio::time::sleep(ERROR_PAUSE).await;
            }
        }
    }

    /// Receives all pending datagrams, and pending errors about earlier datagrams that came back.
    fn receive_all(&self, buffer: &mut [u8]) -> io::Result<()> {
        self.note_unreachable();
        loop {
            match self.socket.try_recv_from(buffer) {
                Ok((length, from)) => {
                    let is_closed = lock(&self.is_closed);
                    if !*is_closed {
                        let datagram = GameCommand::Datagram(from, buffer[..length].into());
                        self.workers.send(self.game, datagram);
                    }
                }
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(why) if UdpError::of(why.kind()) == UdpError::Failure => return Err(why),
                Err(_) => self.note_unreachable(),
            }
        }
    }

    fn note_unreachable(&self) {
        while let Ok(came_back) = self.socket.try_io(Interest::ERROR, || {
            udp::next_unreachable(&self.socket).ok_or(io::ErrorKind::WouldBlock.into())
        }) {
            if came_back.is_gone {
                self.workers.send(self.game, GameCommand::Unreachable(came_back.to));
            }
        }
    }
}

#[cfg(test)]
mod tests;
