//! The classic ports of games: a socket each, over which clients of the specification play the same game as browsers.
//! What comes goes to the thread of the game, which answers through the same socket.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use nuggets_protocol::UdpError;
use nuggets_server::{Guard, Limits, udp};
use tokio::io::Interest;
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;
use tracing::{debug, warn};

use crate::{ClaimedNames, GameCommand, GameId, SharedGuard, UdpPort, UdpSender, Workers};

/// More than any message of a client: what is longer is malformed, however it continues.
const MAX_DATAGRAM_BYTES: usize = 4096;
/// Pause after an error of the socket, so that one that persists does not take all of the processor.
const ERROR_PAUSE: Duration = Duration::from_millis(10);

/// All open ports, and the guard that they share.
#[derive(Debug)]
pub struct UdpPorts {
    bind: Option<IpAddr>,
    guard: SharedGuard,
    claimed_names: Arc<ClaimedNames>,
    open: Mutex<BTreeMap<GameId, OpenPort>>,
}

/// Dropping it closes the port.
#[derive(Debug)]
struct OpenPort {
    /// The sending end. The game has a weak reference.
    _sending: Arc<std::net::UdpSocket>,
    task: JoinHandle<()>,
    is_closed: Arc<Mutex<bool>>,
}

impl Drop for OpenPort {
    fn drop(&mut self) {
        // The task may be reading at this moment. The game may be opened again, and what was sent to the closed port is
        // not for it.
        *self.is_closed.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.task.abort();
    }
}

impl UdpPorts {
    /// Ports on this address, or on all addresses of the machine; at most this many at a time. Clients must
    /// not use the claimed names.
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

    /// Opens the port of a game. Call it within a tokio runtime.
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
        let task = tokio::spawn(Listener { game, socket, workers, is_closed: closed }.run());
        self.ports().insert(game, OpenPort { _sending: sending, task, is_closed });
        let claimed_names = Arc::clone(&self.claimed_names);
        Ok(UdpPort { send, guard: Some(Arc::clone(&self.guard)), claimed_names })
    }

    /// Closes the port of a game that is over, so that another game can have it.
    pub fn close(&self, game: GameId) {
        self.ports().remove(&game);
    }

    /// Closes all ports, and waits until others can open them.
    pub async fn close_all(&self) {
        let ports = std::mem::take(&mut *self.ports());
        for mut port in ports.into_values() {
            port.task.abort();
            // The task has the socket. That it was ended is no failure.
            let _ = (&mut port.task).await;
        }
    }

    fn ports(&self) -> MutexGuard<'_, BTreeMap<GameId, OpenPort>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends from the thread of a game. A full buffer drops the datagram, as the network may.
fn sender(socket: Weak<std::net::UdpSocket>, is_v6: bool) -> UdpSender {
    Arc::new(move |to, bytes| {
        let Some(socket) = socket.upgrade() else { return };
        let to = match to {
            SocketAddr::V4(to) if is_v6 => (to.ip().to_ipv6_mapped(), to.port()).into(),
            to => to,
        };
        // An error may report that an earlier datagram came back: then this one was not sent.
        let sent = socket.send_to(bytes, to).or_else(|_| socket.send_to(bytes, to));
        if let Err(why) = sent {
            debug!("can't send to {to}: {why}");
        }
    })
}

/// The task of a port.
struct Listener {
    game: GameId,
    socket: UdpSocket,
    workers: Arc<Workers>,
    /// Nothing is passed on any more.
    is_closed: Arc<Mutex<bool>>,
}

impl Listener {
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

    /// Takes all that has come: datagrams, and reports about those that came back.
    fn receive_all(&self, buffer: &mut [u8]) -> io::Result<()> {
        self.note_unreachable();
        loop {
            match self.socket.try_recv_from(buffer) {
                Ok((length, from)) => {
                    let is_closed = self.is_closed.lock().unwrap_or_else(PoisonError::into_inner);
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
