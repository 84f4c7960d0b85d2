//! The UDP link to a server: a socket that receives from one address only, and falls back to the server's next
//! address until one has answered. It must not know what messages mean.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use std::vec;

use nuggets_protocol::{MAX_MESSAGE_BYTES, UdpError};
use socket2::SockRef;
use tracing::debug;

use crate::{Link, LinkId, Listener};

/// Space for several of the largest messages; the default of some systems is too small for one.
const SOCKET_BUFFER_BYTES: usize = 16 * MAX_MESSAGE_BYTES;
/// The shortest receive timeout that every system supports.
const MIN_TIMEOUT: Duration = Duration::from_millis(1);
/// Pause after an error, so that a persistent error doesn't keep the processor busy.
const ERROR_PAUSE: Duration = Duration::from_millis(10);

/// The current connection, and the addresses left to try.
#[derive(Debug)]
pub(crate) struct UdpLink {
    current: ConnectedSocket,
    id: LinkId,
    untried: vec::IntoIter<SocketAddr>,
    /// True if the port of any address was closed.
    was_refused: bool,
    buffer: Vec<u8>,
}

/// A socket that is connected to one address. Dropping it ends its listener.
#[derive(Debug)]
struct ConnectedSocket {
    socket: Arc<UdpSocket>,
    is_closed: Arc<AtomicBool>,
}

impl UdpLink {
    /// Opens a link to the first of these addresses for which a socket can be opened.
    pub(crate) fn open(addresses: Vec<SocketAddr>) -> io::Result<Self> {
        let mut untried = addresses.into_iter();
        let current = open_next(&mut untried, ErrorKind::AddrNotAvailable.into())?;
        Ok(Self {
            current,
            id: LinkId::default(),
            untried,
            was_refused: false,
            buffer: vec![0; 1 << 16],
        })
    }
}

impl Link for UdpLink {
    fn fall_back(&mut self, why: io::Error) -> io::Result<()> {
        self.was_refused |= why.kind() == ErrorKind::ConnectionRefused;
        match open_next(&mut self.untried, why) {
            Ok(connection) => {
                self.current = connection;
                self.id.0 += 1;
                Ok(())
            }
            Err(_) if self.was_refused => Err(ErrorKind::ConnectionRefused.into()),
            Err(why) => Err(why),
        }
    }

    /// Retries once, because an error may belong to the previous datagram, and then this one was not sent.
    fn send(&self, bytes: &[u8]) -> io::Result<()> {
        let socket = &self.current.socket;
        socket.send(bytes).or_else(|_| socket.send(bytes)).map(drop)
    }

    fn receive(&mut self, within: Duration) -> io::Result<Option<&[u8]>> {
        let socket = &self.current.socket;
        let received = if within.is_zero() {
            socket.set_nonblocking(true)?;
            let received = socket.recv(&mut self.buffer);
            socket.set_nonblocking(false)?;
            received
        } else {
            socket.set_read_timeout(Some(within.max(MIN_TIMEOUT)))?;
            socket.recv(&mut self.buffer)
        };
        match received {
            Ok(length) => Ok(Some(&self.buffer[..length])),
            Err(why) if is_transient(why.kind()) => Ok(None),
            Err(why) => Err(why),
        }
    }

    fn listener(&self) -> Listener {
        let ConnectedSocket { socket, is_closed } = &self.current;
        let (socket, is_closed) = (Arc::clone(socket), Arc::clone(is_closed));
        Box::new(move |pass_on| {
            let mut buffer = vec![0; 1 << 16];
            loop {
                let received = socket.recv(&mut buffer).map(|length| buffer[..length].to_vec());
                if is_closed.load(Ordering::SeqCst) {
                    return;
                }
                match &received {
                    Err(why) if is_transient(why.kind()) => continue,
                    Err(_) => thread::sleep(ERROR_PAUSE),
                    Ok(_) => {}
                }
                if !pass_on(received) {
                    return;
                }
            }
        })
    }

    fn id(&self) -> LinkId {
        self.id
    }
}

impl ConnectedSocket {
    fn open(address: SocketAddr) -> io::Result<Self> {
        let any: SocketAddr = match address {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let socket = UdpSocket::bind(any)?;
        socket.connect(address)?;
        enlarge_buffers(&socket);
        Ok(Self { socket: Arc::new(socket), is_closed: Arc::default() })
    }
}

impl Drop for ConnectedSocket {
    fn drop(&mut self) {
        self.is_closed.store(true, Ordering::SeqCst);
        // This wakes the listener; on systems where it does not, the listener ends with the program.
        let _ = SockRef::from(&*self.socket).shutdown(Shutdown::Both);
    }
}

fn open_next(
    untried: &mut vec::IntoIter<SocketAddr>,
    mut why: io::Error,
) -> io::Result<ConnectedSocket> {
    for address in untried {
        debug!(%address, "trying");
        match ConnectedSocket::open(address) {
            Ok(connection) => return Ok(connection),
            Err(error) => why = error,
        }
    }
    Err(why)
}

/// True if the receive failed only because there was no datagram.
fn is_transient(kind: ErrorKind) -> bool {
    UdpError::of(kind) == UdpError::NothingArrived
}

/// Enlarges the buffers as far as the system allows; a refusal is not fatal.
fn enlarge_buffers(socket: &UdpSocket) {
    let socket = SockRef::from(socket);
    let _ = socket.set_recv_buffer_size(SOCKET_BUFFER_BYTES);
    let _ = socket.set_send_buffer_size(SOCKET_BUFFER_BYTES);
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    fn server() -> (UdpSocket, SocketAddr) {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        socket.set_read_timeout(Some(LONG)).unwrap();
        let address = socket.local_addr().unwrap();
        (socket, address)
    }

    /// A closed port that no other process can take while the socket exists: it receives only from itself.
    fn closed_port() -> (UdpSocket, SocketAddr) {
        let (socket, address) = server();
        socket.connect(address).expect("a socket can connect to itself");
        (socket, address)
    }

    /// Returns the sender of this message. Skips others, which were meant for the previous owner of the port.
    fn wait_for(server: &UdpSocket, message: &[u8]) -> SocketAddr {
        let mut buffer = [0; 100];
        loop {
            let (n, sender) = server.recv_from(&mut buffer).expect("a message comes");
            if &buffer[..n] == message {
                return sender;
            }
        }
    }

    fn listen(link: &UdpLink) -> mpsc::Receiver<io::Result<Vec<u8>>> {
        let (tx, rx) = mpsc::channel();
        let listener = link.listener();
        thread::spawn(move || listener(&mut |received| tx.send(received).is_ok()));
        rx
    }

    #[test]
    fn the_largest_message_gets_through() {
        let (server, address) = server();
        let link = UdpLink::open(vec![address]).unwrap();
        let inbox = listen(&link);
        link.send(b"PLAY Ann").unwrap();
        let client = wait_for(&server, b"PLAY Ann");
        enlarge_buffers(&server);
        let message = vec![b'.'; MAX_MESSAGE_BYTES];
        server.send_to(&message, client).unwrap();
        assert_eq!(inbox.recv_timeout(LONG).unwrap().unwrap(), message);
    }

    #[test]
    fn datagrams_from_other_addresses_are_not_received() {
        let (server, address) = server();
        let mut link = UdpLink::open(vec![address]).unwrap();
        let client = link.current.socket.local_addr().unwrap();
        let (other, _) = self::server();
        other.send_to(b"QUIT now", client).unwrap();
        server.send_to(b"OK A", client).unwrap();
        assert_eq!(link.receive(LONG).unwrap(), Some(&b"OK A"[..]));
        assert_eq!(link.receive(Duration::ZERO).unwrap(), None);
    }

    #[test]
    fn a_closed_port_leads_to_the_next_address_and_at_last_to_an_error() {
        let (_held, first) = closed_port();
        let (_held_too, second) = closed_port();
        let mut link = UdpLink::open(vec![first, second]).unwrap();
        for is_another_left in [true, false] {
            let id = link.id();
            let inbox = listen(&link);
            link.send(b"SPECTATE").unwrap();
            let error = inbox.recv_timeout(LONG).unwrap().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
            assert_eq!(link.fall_back(error).is_ok(), is_another_left);
            assert_eq!(link.id() != id, is_another_left);
        }
    }

    #[test]
    fn a_closed_port_tells_more_than_a_later_missing_route() {
        let (_held, first) = closed_port();
        let (_held_too, second) = closed_port();
        let mut link = UdpLink::open(vec![first, second]).unwrap();
        link.fall_back(ErrorKind::ConnectionRefused.into()).unwrap();
        let error = link.fall_back(ErrorKind::HostUnreachable.into()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
    }

    #[test]
    fn without_addresses_there_is_no_link() {
        assert!(UdpLink::open(Vec::new()).is_err());
    }

    #[test]
    fn a_dropped_link_ends_its_listener() {
        let (_server, address) = server();
        let link = UdpLink::open(vec![address]).unwrap();
        let listener = link.listener();
        let thread = thread::spawn(|| listener(&mut |_| true));
        drop(link);
        thread.join().unwrap();
    }
}
