//! A server of the classic protocol that a test controls, with one client.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};

use crate::udp_client::unless_interrupted;
use crate::waiting::LIMIT;

/// The map of a [`FakeServer`]: 3 rows of 24 columns.
pub const ROOM: &str = "\
+--------------------+  
|....*...@......B....###
+--------------------+  
";

/// A server with one client.
#[derive(Debug)]
pub struct FakeServer {
    socket: UdpSocket,
    /// Its port on this machine.
    pub port: u16,
    client: Cell<Option<SocketAddr>>,
    /// The PLAY or SPECTATE message of the client.
    join: RefCell<Option<String>>,
}

impl FakeServer {
    /// Opens a server on any port. No client has connected yet.
    #[expect(clippy::new_without_default, reason = "it opens a socket")]
    pub fn new() -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("there is a free port");
        socket.set_read_timeout(Some(LIMIT)).expect("a limit of some seconds");
        let port = socket.local_addr().expect("a bound socket has an address").port();
        Self { socket, port, client: Cell::default(), join: RefCell::default() }
    }

    /// Returns the next message of the client.
    pub fn receive_any(&self) -> String {
        self.try_receive().expect("a message")
    }

    /// Skips messages for the previous owner of this port: the servers of other tests may not have
    /// noticed yet that their clients are gone.
    fn try_receive(&self) -> io::Result<String> {
        let mut buffer = [0; 1024];
        loop {
            let (length, from) = unless_interrupted(|| self.socket.recv_from(&mut buffer))?;
            let text = String::from_utf8_lossy(&buffer[..length]);
            let joins = text.starts_with("PLAY ") || text == "SPECTATE";
            if self.client.get().map_or(joins, |client| client == from) {
                self.client.set(Some(from));
                return Ok(text.into_owned());
            }
        }
    }

    /// Returns the next message of the client that is not a retry of its join.
    pub fn receive(&self) -> String {
        loop {
            let message = self.receive_any();
            if self.join.borrow().as_ref() != Some(&message) {
                return message;
            }
        }
    }

    /// Sends the client a message.
    pub fn send(&self, message: impl AsRef<[u8]>) {
        self.socket.send_to(message.as_ref(), self.address()).expect("a datagram can be sent");
    }

    /// True if no message is waiting. To be called when the client has ended.
    pub fn has_no_message(&self) -> bool {
        self.socket.set_nonblocking(true).expect("a socket can be non-blocking");
        self.try_receive().is_err()
    }

    /// Closes the port without freeing it: no other process gets it while the socket exists. Once connected to the client,
    /// the socket is open again.
    pub fn close(self) -> UdpSocket {
        let address = self.socket.local_addr().expect("a bound socket has an address");
        self.socket.connect(address).expect("a socket can be connected to itself");
        self.socket
    }

    /// Returns the address of the client.
    pub fn address(&self) -> SocketAddr {
        self.client.get().expect("a client has joined")
    }

    /// Accepts the client and sends it the map.
    pub fn accept(&self) {
        let join = self.receive_any();
        if join.starts_with("PLAY ") {
            self.send("OK A");
        }
        self.join.replace(Some(join));
        self.send("GRID 3 24");
        self.send("GOLD 0 0 250");
        self.send(format!("DISPLAY\n{ROOM}"));
    }

    /// Receives the key that quits, and replies with this text.
    pub fn reply_to_quit(&self, words: &str) {
        assert_eq!(self.receive(), "KEY Q");
        self.send(format!("QUIT {words}"));
    }
}
