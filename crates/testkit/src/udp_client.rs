//! A client of the classic protocol, at the level of datagrams.

use std::io::{self, ErrorKind};
use std::net::UdpSocket;

use crate::waiting::LIMIT;

/// A client of one server.
#[derive(Debug)]
pub struct UdpClient {
    /// The socket, connected to the server, with a read timeout of [`LIMIT`].
    pub socket: UdpSocket,
}

impl UdpClient {
    /// Creates a client of the server at this port of this machine.
    pub fn new(port: u16) -> Self {
        Self::to(("127.0.0.1", port))
    }

    /// Creates a client of the server at this address and port.
    pub fn to(server: (&str, u16)) -> Self {
        let any = if server.0.contains(':') { "[::]:0" } else { "0.0.0.0:0" };
        let socket = UdpSocket::bind(any).expect("there is a free port");
        socket.connect(server).expect("an address of this machine");
        socket.set_read_timeout(Some(LIMIT)).expect("a limit of some seconds");
        let client = Self { socket };
        client.discard_received();
        client
    }

    /// Discards the messages that have arrived: for a new client, those for the previous owner of its port.
    pub fn discard_received(&self) {
        self.socket.set_nonblocking(true).expect("a socket can be non-blocking");
        while self.socket.recv(&mut [0; 16]).is_ok() {}
        self.socket.set_nonblocking(false).expect("a socket can be blocking");
    }

    /// Sends a message. Sends it again after an ICMP error: that is about an earlier datagram, which a server that has
    /// ended did not receive, and is reported instead of sending this one.
    pub fn send(&self, message: impl AsRef<[u8]>) {
        let bytes = message.as_ref();
        let sent = self.socket.send(bytes).or_else(|why| match why.kind() {
            ErrorKind::ConnectionRefused => self.socket.send(bytes),
            _ => Err(why),
        });
        assert_eq!(sent.expect("a datagram can be sent"), bytes.len());
    }

    /// Returns the next message.
    pub fn receive(&self) -> Vec<u8> {
        let mut buffer = vec![0; 1 << 16];
        let mut receive = || unless_interrupted(|| self.socket.recv(&mut buffer));
        // An ICMP error is reported before the datagrams that have arrived.
        let received = receive().or_else(|why| match why.kind() {
            ErrorKind::ConnectionRefused => receive(),
            _ => Err(why),
        });
        let length = received.expect("a message");
        buffer.truncate(length);
        buffer
    }

    /// Returns the next message, which must be text.
    pub fn receive_text(&self) -> String {
        String::from_utf8(self.receive()).expect("a text")
    }

    /// Skips messages until one begins like this, and returns it.
    pub fn wait_for(&self, start: &str) -> String {
        self.find(|text| text.starts_with(start))
    }

    /// Skips messages until one meets the condition, and returns it.
    pub fn find(&self, is_wanted: impl Fn(&str) -> bool) -> String {
        loop {
            let text = self.receive_text();
            if is_wanted(&text) {
                return text;
            }
        }
    }

    /// Joins and returns the four messages of the reply.
    pub fn play(&self, name: &str) -> Vec<String> {
        self.send(format!("PLAY {name}"));
        (0..4).map(|_| self.receive_text()).collect()
    }

    /// True if no message is waiting. To be called when the server sends nothing more.
    pub fn has_no_message(&self) -> bool {
        self.socket.set_nonblocking(true).expect("a socket can be non-blocking");
        self.socket.recv(&mut [0; 16]).is_err()
    }
}

/// Receives again after an interruption, such as a stopped test process that continues.
pub fn unless_interrupted<T>(mut receive: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match receive() {
            Err(why) if why.kind() == ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}
