//! The way to the server: its addresses, and a UDP socket that listens to it alone.
//! It must not know what the messages mean.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use dns_lookup::{AddrInfoHints, LookupError, LookupErrorKind, SockType, getaddrinfo};
use nuggets_protocol::MAX_MESSAGE_BYTES;
use socket2::SockRef;
use thiserror::Error;

/// Room for several of the largest messages; some systems have less than one by default.
const BUFFER_BYTES: usize = 16 * MAX_MESSAGE_BYTES;
/// How long to let a socket rest after an error.
const REST: Duration = Duration::from_millis(10);

/// Why a host's addresses are not known.
#[derive(Debug, Error)]
pub enum ResolveError {
    /// There is no such host.
    #[error("there is no host named '{host}'")]
    UnknownHost {
        /// The name in question.
        host: String,
    },
    /// It is not known whether there is such a host.
    #[error("the name '{host}' can't be looked up just now")]
    LookupFailed {
        /// The name in question.
        host: String,
        /// What the system says.
        #[source]
        source: LookupError,
    },
}

/// All addresses of a host, those of IPv4 first.
///
/// ```
/// let addresses = nuggets_client::resolve("127.0.0.1", 1234).unwrap();
/// assert_eq!(addresses, ["127.0.0.1:1234".parse().unwrap()]);
/// ```
pub fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, ResolveError> {
    let mut addresses = lookup(host).map_err(|source| failure(host, source))?;
    for address in &mut addresses {
        address.set_port(port);
    }
    addresses.sort_by_key(SocketAddr::is_ipv6);
    addresses.dedup();
    Ok(addresses)
}

fn lookup(host: &str) -> Result<Vec<SocketAddr>, LookupError> {
    let hints = AddrInfoHints { socktype: SockType::DGram.into(), ..AddrInfoHints::default() };
    let found = getaddrinfo(Some(host), None, Some(hints))?;
    Ok(found.map(|info| info.map(|info| info.sockaddr)).collect::<io::Result<_>>()?)
}

fn failure(host: &str, source: LookupError) -> ResolveError {
    let host = host.to_owned();
    match source.kind() {
        // `IO` stands for the codes that only some systems have, all of them about the name.
        LookupErrorKind::NoName | LookupErrorKind::NoData | LookupErrorKind::IO => {
            ResolveError::UnknownHost { host }
        }
        _ => ResolveError::LookupFailed { host, source },
    }
}

/// A socket that sends to one address and hears only that one. Dropping it ends its listener.
#[derive(Debug)]
pub(crate) struct Link {
    socket: Arc<UdpSocket>,
    closed: Arc<AtomicBool>,
}

impl Link {
    /// A new socket for this address.
    pub(crate) fn open(address: SocketAddr) -> io::Result<Self> {
        let any: SocketAddr = match address {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let socket = UdpSocket::bind(any)?;
        socket.connect(address)?;
        enlarge_buffers(&socket);
        Ok(Self { socket: Arc::new(socket), closed: Arc::default() })
    }

    /// Sends one message.
    pub(crate) fn send(&self, bytes: &[u8]) -> io::Result<()> {
        self.socket.send(bytes).map(|_| ())
    }

    /// A loop for a thread of its own: hands on every datagram and every error, until the link is
    /// dropped or `hand_on` returns false.
    pub(crate) fn listener(
        &self,
        mut hand_on: impl FnMut(io::Result<Vec<u8>>) -> bool + Send + 'static,
    ) -> impl FnOnce() + Send + 'static {
        let (socket, closed) = (Arc::clone(&self.socket), Arc::clone(&self.closed));
        move || {
            let mut buffer = vec![0; 1 << 16];
            loop {
                let received = socket.recv(&mut buffer).map(|n| buffer[..n].to_vec());
                if closed.load(Ordering::SeqCst) || !pass(received, &mut hand_on) {
                    return;
                }
            }
        }
    }
}

/// Whether to go on listening.
fn pass(
    received: io::Result<Vec<u8>>,
    hand_on: &mut impl FnMut(io::Result<Vec<u8>>) -> bool,
) -> bool {
    match received {
        Err(error) if is_passing(&error) => true,
        Err(error) => {
            thread::sleep(REST);
            hand_on(Err(error))
        }
        message => hand_on(message),
    }
}

fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
}

impl Drop for Link {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::SeqCst);
        // This wakes the listener; where it does not, the listener ends with the program.
        let _ = SockRef::from(&*self.socket).shutdown(Shutdown::Both);
    }
}

/// As large as the system lets us; what it refuses we do without.
fn enlarge_buffers(socket: &UdpSocket) {
    let socket = SockRef::from(socket);
    let _ = socket.set_recv_buffer_size(BUFFER_BYTES);
    let _ = socket.set_send_buffer_size(BUFFER_BYTES);
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::mpsc;

    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    fn server() -> (UdpSocket, SocketAddr) {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        socket.set_read_timeout(Some(LONG)).unwrap();
        let address = socket.local_addr().unwrap();
        (socket, address)
    }

    /// A port where nobody listens, and nobody else will for as long as the socket is kept: it
    /// hears only itself.
    pub(crate) fn closed_port() -> (UdpSocket, SocketAddr) {
        let (socket, address) = server();
        socket.connect(address).expect("a socket can talk to itself");
        (socket, address)
    }

    /// Who sent this. What else comes in was meant for whoever had the port before.
    fn await_from(server: &UdpSocket, message: &[u8]) -> SocketAddr {
        let mut buffer = [0; 100];
        loop {
            let (n, sender) = server.recv_from(&mut buffer).expect("somebody sends something");
            if &buffer[..n] == message {
                return sender;
            }
        }
    }

    fn listen(link: &Link) -> mpsc::Receiver<io::Result<Vec<u8>>> {
        let (tx, rx) = mpsc::channel();
        thread::spawn(link.listener(move |received| tx.send(received).is_ok()));
        rx
    }

    #[test]
    fn a_host_is_known_or_unknown() {
        let addresses = resolve("localhost", 7).unwrap();
        assert!(addresses.is_sorted_by_key(SocketAddr::is_ipv6));
        assert!(addresses.iter().all(|a| a.ip().is_loopback() && a.port() == 7));
        for host in ["", "nul\0byte"] {
            let error = resolve(host, 7).unwrap_err();
            assert!(matches!(error, ResolveError::UnknownHost { .. }), "{error:?}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_name_that_is_unknown_differs_from_one_that_could_not_be_looked_up() {
        const EAI_NONAME: i32 = -2;
        const EAI_AGAIN: i32 = -3;
        let words = |code| failure("example.org", LookupError::new(code)).to_string();
        assert_eq!(words(EAI_NONAME), "there is no host named 'example.org'");
        assert_eq!(words(EAI_AGAIN), "the name 'example.org' can't be looked up just now");
    }

    #[test]
    fn the_largest_message_gets_through() {
        let (server, address) = server();
        let link = Link::open(address).unwrap();
        let inbox = listen(&link);
        link.send(b"PLAY Ann").unwrap();
        let client = await_from(&server, b"PLAY Ann");
        enlarge_buffers(&server);
        let message = vec![b'.'; MAX_MESSAGE_BYTES];
        server.send_to(&message, client).unwrap();
        assert_eq!(inbox.recv_timeout(LONG).unwrap().unwrap(), message);
    }

    #[test]
    fn nobody_but_the_server_is_heard() {
        let (server, address) = server();
        let link = Link::open(address).unwrap();
        let inbox = listen(&link);
        let client = link.socket.local_addr().unwrap();
        let (stranger, _) = self::server();
        stranger.send_to(b"QUIT now", client).unwrap();
        server.send_to(b"OK A", client).unwrap();
        assert_eq!(inbox.recv_timeout(LONG).unwrap().unwrap(), b"OK A");
    }

    #[test]
    fn a_closed_port_is_reported() {
        let (_held, address) = closed_port();
        let link = Link::open(address).unwrap();
        let inbox = listen(&link);
        link.send(b"SPECTATE").unwrap();
        let error = inbox.recv_timeout(LONG).unwrap().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    }

    #[test]
    fn a_dropped_link_ends_its_listener() {
        let (_server, address) = server();
        let link = Link::open(address).unwrap();
        let listener = thread::spawn(link.listener(|_| true));
        drop(link);
        listener.join().unwrap();
    }
}
