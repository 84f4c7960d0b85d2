//! A bot's way to the server: a UDP socket that hears one address alone, the first that answers.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use nuggets_protocol::MAX_MESSAGE_BYTES;
use socket2::SockRef;

/// Room for several of the largest messages; some systems have less than one by default.
const BUFFER_BYTES: usize = 16 * MAX_MESSAGE_BYTES;
/// The shortest wait that every system keeps.
const SHORTEST: Duration = Duration::from_millis(1);

/// The socket in use, and the addresses that are left to try.
#[derive(Debug)]
pub(crate) struct Link<'a> {
    socket: UdpSocket,
    untried: &'a [SocketAddr],
    buffer: Vec<u8>,
}

impl<'a> Link<'a> {
    /// A way to the first of these addresses that there is a way to.
    pub(crate) fn open(addresses: &'a [SocketAddr]) -> io::Result<Self> {
        let (socket, untried) = open_first(addresses)?;
        Ok(Self { socket, untried, buffer: vec![0; 1 << 16] })
    }

    /// Goes on to the next address; false if there is none.
    pub(crate) fn advance(&mut self) -> bool {
        let next = open_first(self.untried);
        next.map(|(socket, untried)| (self.socket, self.untried) = (socket, untried)).is_ok()
    }

    /// Sends a message. An error may be about the message before and this one not sent: so twice.
    pub(crate) fn send(&self, bytes: &[u8]) -> io::Result<()> {
        self.socket.send(bytes).or_else(|_| self.socket.send(bytes)).map(drop)
    }

    /// The next message, if one comes within this time.
    pub(crate) fn receive(&mut self, within: Duration) -> io::Result<Option<&[u8]>> {
        self.socket.set_read_timeout(Some(within.max(SHORTEST)))?;
        self.read()
    }

    /// The next message, if there is one already.
    pub(crate) fn receive_now(&mut self) -> io::Result<Option<&[u8]>> {
        self.socket.set_nonblocking(true)?;
        let length = self.socket.recv(&mut self.buffer);
        self.socket.set_nonblocking(false)?;
        Ok(pass(length)?.map(|length| &self.buffer[..length]))
    }

    fn read(&mut self) -> io::Result<Option<&[u8]>> {
        let length = self.socket.recv(&mut self.buffer);
        Ok(pass(length)?.map(|length| &self.buffer[..length]))
    }
}

fn pass(received: io::Result<usize>) -> io::Result<Option<usize>> {
    use ErrorKind::{Interrupted, TimedOut, WouldBlock};
    match received {
        Ok(length) => Ok(Some(length)),
        Err(why) if matches!(why.kind(), Interrupted | TimedOut | WouldBlock) => Ok(None),
        Err(why) => Err(why),
    }
}

fn open_first(addresses: &[SocketAddr]) -> io::Result<(UdpSocket, &[SocketAddr])> {
    let mut failure = ErrorKind::AddrNotAvailable.into();
    for (tried, &address) in addresses.iter().enumerate() {
        match open(address) {
            Ok(socket) => return Ok((socket, &addresses[tried + 1..])),
            Err(why) => failure = why,
        }
    }
    Err(failure)
}

fn open(address: SocketAddr) -> io::Result<UdpSocket> {
    let any: SocketAddr = match address {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(any)?;
    socket.connect(address)?;
    // As large as the system lets us; what it refuses we do without.
    let _ = SockRef::from(&socket).set_recv_buffer_size(BUFFER_BYTES);
    Ok(socket)
}
