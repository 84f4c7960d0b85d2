//! The server's socket on loopback, which may drop datagrams on purpose. It doesn't know what the messages mean.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};

use crate::loss::Loss;

/// The server's end of the connection.
#[derive(Debug)]
pub(crate) struct ServerSocket {
    socket: UdpSocket,
    pub(crate) address: SocketAddr,
    loss: Loss,
    pub(crate) has_lost: bool,
}

impl ServerSocket {
    /// Binds a port.
    pub(crate) fn bind(loss: Loss) -> io::Result<Self> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = socket.local_addr()?;
        Ok(Self { socket, address, loss, has_lost: false })
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

    /// Returns the next datagram that has arrived, with its sender.
    pub(crate) fn receive(&self) -> Option<(Vec<u8>, SocketAddr)> {
        let mut buffer = vec![0; 1 << 16];
        self.socket.set_nonblocking(true).ok()?;
        let received = self.socket.recv_from(&mut buffer);
        self.socket.set_nonblocking(false).ok()?;
        let (length, from) = received.ok()?;
        Some((buffer[..length].to_vec(), from))
    }

    /// Sends a datagram to this socket itself, and returns its address. On loopback, datagrams arrive in the order in
    /// which they were sent: whatever was sent to it earlier arrives before this.
    pub(crate) fn send_fence(&self) -> SocketAddr {
        let _ = self.socket.send_to(b"", self.address);
        self.address
    }
}
