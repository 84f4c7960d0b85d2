//! The UDP shell of a room: one socket and one thread. It owns addresses and the guard, and knows nothing of the
//! game; the driver does the rest.
//!
//! An unknown source gets a peer number for one datagram, and keeps it only if the room gave it a seat, so that spoofed
//! sources can't fill the table. Datagrams go out one system call each: all 27 in one call (`sendmmsg`) measured 0.97 to 0.99
//! of that on loopback, which is not worth a code path of its own on Linux.

use std::io::{self, ErrorKind, IoSliceMut};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6, UdpSocket};
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, SockaddrStorage, recvmsg};
use nuggets_protocol::UdpError;
use nuggets_record::PeerToken;
use socket2::{Domain, Protocol, Socket, Type};
use tracing::{debug, warn};

use crate::room::MAX_UNSENT;
use crate::{Guard, Host, Peer, Room, Storage, Timestamp, Transmit, Transport};

mod control;
mod operator;
mod peers;
mod request;
mod token;
mod unreachable;

pub use control::{Control, OperatorReply};
pub use peers::{Peers, canonical};
pub use request::{OperatorRequest, REQUESTS, RequestError};
pub use token::{address, token};
pub use unreachable::{ReturnedDatagram, next_unreachable, report_unreachable};

/// More datagrams than the receive buffer can hold. After reading this many, a loop has read everything that was
/// waiting at its start.
const MAX_WAITING: usize = 4 * BUFFER_BYTES / MIN_BUFFERED_BYTES;
/// The system accounts at least this many bytes of buffer to a datagram, even to an empty one.
const MIN_BUFFERED_BYTES: usize = 512;
/// Space for a burst of the largest pictures. Also lifts the limit that macOS sets on a datagram.
const BUFFER_BYTES: usize = 1 << 20;
/// An error that occurs this often without a message in between is not transient.
const MAX_ERRORS_IN_A_ROW: u32 = 100;

/// Opens the server's socket on this address, or on all interfaces, IPv6 and IPv4 together where the system has both.
/// With port 0 the system chooses one.
pub fn bind(address: Option<IpAddr>, port: u16) -> io::Result<UdpSocket> {
    match address {
        Some(address) => open(SocketAddr::new(address, port)),
        None => open((Ipv6Addr::UNSPECIFIED, port).into()).or_else(|why| {
            if why.kind() == ErrorKind::AddrInUse {
                return Err(why);
            }
            debug!("no IPv6 here ({why}), IPv4 only");
            open((Ipv4Addr::UNSPECIFIED, port).into())
        }),
    }
}

fn open(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    if address.ip() == IpAddr::V6(Ipv6Addr::UNSPECIFIED) {
        socket.set_only_v6(false)?;
    }
    for enlarged in
        [socket.set_recv_buffer_size(BUFFER_BYTES), socket.set_send_buffer_size(BUFFER_BYTES)]
    {
        if let Err(why) = enlarged {
            debug!("the socket keeps its own buffer size: {why}");
        }
    }
    socket.bind(&address.into())?;
    Ok(socket.into())
}

/// Hosts the room on this socket until nothing more happens there, or until `control` asks to stop; in that case
/// every peer still in the room is sent the table and the reason. Calls `over` once, when the game has ended. Fails
/// only if the socket can't be read or the journal can't be written any more.
///
/// Sleeps until a datagram, a request or a deadline. Always reads the socket before checking deadlines: after the
/// whole process was stopped, the messages that waited meanwhile show who is not idle.
pub fn serve<S: Storage>(
    socket: &UdpSocket,
    host: &mut Host<S>,
    peers: &mut Peers,
    control: &Control,
    over: impl FnOnce(&Room),
) -> io::Result<Served> {
    if let Err(why) = report_unreachable(socket) {
        debug!("the system doesn't report unreachable addresses: {why}");
    }
    let is_v6 = socket.local_addr()?.is_ipv6();
    let transport = UdpTransport { socket, is_v6, peers, has_failed: false };
    let mut shell = Shell { host, transport, errors: 0, has_stopped: false };
    let served = shell.serve(control, over);
    shell.host.finish_log();
    served.map(|()| if shell.has_stopped { Served::Stopped } else { Served::Over })
}

/// The reason why a room is not hosted any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    /// Nothing more happens there.
    Over,
    /// The server was asked to stop.
    Stopped,
}

/// A driver and its socket.
struct Shell<'a, S> {
    host: &'a mut Host<S>,
    transport: UdpTransport<'a>,
    /// Errors since the last message.
    errors: u32,
    /// True if the server was asked to stop.
    has_stopped: bool,
}

/// The socket as the driver sees it.
struct UdpTransport<'a> {
    socket: &'a UdpSocket,
    is_v6: bool,
    peers: &'a mut Peers,
    /// True if a datagram could not be sent, perhaps because an earlier one came back.
    has_failed: bool,
}

impl<S: Storage> Shell<'_, S> {
    fn serve(&mut self, control: &Control, over: impl FnOnce(&Room)) -> io::Result<()> {
        let mut buffer = vec![0; 1 << 16];
        self.host.admit_resumed(&mut self.transport);
        self.flush()?;
        self.serve_while(control, &mut buffer, |room| !room.is_over())?;
        over(self.host.room());
        self.serve_while(control, &mut buffer, |room| room.is_over() && !room.is_closed())?;
        if self.has_stopped {
            return self.host.stop(&mut self.transport);
        }
        self.host.close(&mut self.transport)
    }

    fn serve_while(
        &mut self,
        control: &Control,
        buffer: &mut [u8],
        serves: impl Fn(&Room) -> bool,
    ) -> io::Result<()> {
        while serves(self.host.room()) && !self.has_stopped {
            self.wait(control)?;
            // The time before the socket is read: only messages that arrived before it are certain to be handled
            // below.
            let heard_until = self.host.now();
            self.receive_waiting(buffer, &serves)?;
            if self.host.handle_timeouts_until(&mut self.transport, heard_until) {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Sleeps until there is input or a deadline.
    fn wait(&mut self, control: &Control) -> io::Result<()> {
        let timeout = self.host.poll_timeout().map_or(PollTimeout::NONE, |due| {
            PollTimeout::try_from(due.since(self.host.now())).unwrap_or(PollTimeout::MAX)
        });
        let mut sources = [
            PollFd::new(self.transport.socket.as_fd(), PollFlags::POLLIN),
            PollFd::new(control.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut sources, timeout) {
            // A signal without a handler of ours: the loop comes back here.
            Ok(_) | Err(Errno::EINTR) => {}
            Err(why) => return Err(why.into()),
        }
        // Pending reports would keep the socket readable.
        let has_error = sources[0].revents().is_some_and(|got| got.contains(PollFlags::POLLERR));
        while let Some(asked) = control.take_request() {
            self.handle_asked(asked);
            self.flush()?;
        }
        if has_error {
            self.disconnect_unreachable()?;
        }
        Ok(())
    }

    /// Handles all datagrams that were waiting in the socket at the time of the call. Returns even during a flood.
    fn receive_waiting(
        &mut self,
        buffer: &mut [u8],
        serves: impl Fn(&Room) -> bool,
    ) -> io::Result<()> {
        let mut read = 0;
        while read < MAX_WAITING && serves(self.host.room()) {
            let count = self.receive_batch(buffer)?;
            if count == 0 {
                break;
            }
            read += count;
            self.flush()?;
        }
        Ok(())
    }

    /// Handles as many messages as may share one write to the disk. Returns their number; 0 if none is waiting.
    fn receive_batch(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let limit = if self.host.storage().is_slow() { MAX_UNSENT } else { 1 };
        for count in 0..limit {
            match receive(self.transport.socket, buffer) {
                Ok((length, from)) => {
                    self.errors = 0;
                    self.handle_datagram(from, &buffer[..length]);
                }
                Err(why) if why.kind() == ErrorKind::WouldBlock => return Ok(count),
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                // This error may have reported an ICMP message, which is gone now.
                Err(why) => self.handle_receive_error(why)?,
            }
        }
        Ok(limit)
    }

    fn handle_datagram(&mut self, from: SocketAddr, bytes: &[u8]) {
        let peer = self.transport.peers.enter(from);
        self.host.handle_message(&mut self.transport, peer, bytes);
    }

    /// Handles a failed read. ICMP messages about our datagrams are not a failure of the socket, however many arrive.
    fn handle_receive_error(&mut self, why: io::Error) -> io::Result<()> {
        let has_come_back = self.disconnect_unreachable()?;
        if has_come_back || UdpError::of(why.kind()) != UdpError::Failure {
            return Ok(());
        }
        if self.errors == MAX_ERRORS_IN_A_ROW {
            return Err(why);
        }
        self.errors += 1;
        warn!("can't read from the socket: {why}");
        std::thread::sleep(Duration::from_millis(10));
        Ok(())
    }

    /// Disconnects peers whose datagrams came back. Returns true if any datagram came back.
    fn disconnect_unreachable(&mut self) -> io::Result<bool> {
        let mut any = false;
        let mut any_disconnected = false;
        while let Some(ReturnedDatagram { to, is_gone }) = next_unreachable(self.transport.socket) {
            any = true;
            if let Some(peer) = self.transport.peers.find(to).filter(|_| is_gone) {
                self.host.handle_disconnect(&mut self.transport, peer);
                any_disconnected = true;
            }
        }
        if any_disconnected {
            self.flush()?;
        }
        Ok(any)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.host.flush(&mut self.transport)?;
        self.transport.peers.forget_unseated(self.host.room());
        if std::mem::take(&mut self.transport.has_failed) {
            self.disconnect_unreachable()?;
        }
        Ok(())
    }
}

impl Transport for UdpTransport<'_> {
    fn name(&self, peer: Peer) -> String {
        let address = self.peers.address(peer).map(|at| SocketAddr::new(at.ip(), at.port()));
        address.map_or_else(|| format!("{peer:?}"), |address| address.to_string())
    }

    fn token(&self, peer: Peer) -> PeerToken {
        token(self.peers.address(peer).expect("every peer of the room has an address"))
    }

    fn source(&self, peer: Peer) -> Option<SocketAddr> {
        self.peers.address(peer)
    }

    fn guard(&mut self) -> Option<&mut Guard> {
        self.peers.guard.as_mut()
    }

    fn send(&mut self, now: Timestamp, transmit: Transmit<'_>) {
        let Transmit { to, payload, .. } = transmit;
        let Some(address) = self.peers.address(to) else { return };
        let guard = self.peers.guard.as_mut();
        if guard.is_some_and(|guard| !guard.may_send(now, address, payload.len())) {
            return;
        }
        let target = match address {
            SocketAddr::V4(to) if self.is_v6 => (to.ip().to_ipv6_mapped(), to.port()).into(),
            to => to,
        };
        if let Err(why) = send(self.socket, payload, target) {
            debug!("can't send to {address}: {why}");
            self.has_failed = true;
        }
    }
}

/// Returns the next waiting datagram, or `WouldBlock` if there is none. The socket itself blocks, because sending
/// must.
fn receive(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
    let mut buffers = [IoSliceMut::new(buffer)];
    let flags = MsgFlags::MSG_DONTWAIT;
    let received = recvmsg::<SockaddrStorage>(socket.as_raw_fd(), &mut buffers, None, flags)?;
    let from = received.address.and_then(|from| socket_address(&from));
    Ok((received.bytes, from.ok_or(ErrorKind::InvalidData)?))
}

fn socket_address(address: &SockaddrStorage) -> Option<SocketAddr> {
    let v4 = address.as_sockaddr_in().map(|address| SocketAddrV4::from(*address).into());
    v4.or_else(|| address.as_sockaddr_in6().map(|address| SocketAddrV6::from(*address).into()))
}

/// Sends a datagram. Retries after an error, which may report that an earlier datagram came back: then this one was
/// not sent.
fn send(socket: &UdpSocket, payload: &[u8], to: SocketAddr) -> io::Result<()> {
    let Err(why) = socket.send_to(payload, to) else { return Ok(()) };
    socket.send_to(payload, to)?;
    Err(why)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
