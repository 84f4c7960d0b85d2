//! A server that sends what a test dictates and receives what a client sends.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::{SocketAddr, UdpSocket};

use crate::host::{LIMIT, unless_interrupted};
use crate::terminal::{Terminal, cursor};

/// Its map: 3 rows of 24 columns.
pub(crate) const ROOM: &str = "\
+--------------------+  
|....*...@......B....###
+--------------------+  
";

/// The status line that goes with it.
pub(crate) const STATUS: &str = "Player A has 0 nuggets (250 nuggets unclaimed).";

pub(crate) struct FakeServer {
    socket: UdpSocket,
    pub(crate) port: u16,
    client: Cell<Option<SocketAddr>>,
    /// The PLAY or SPECTATE message of the client.
    join: RefCell<Option<String>>,
}

impl FakeServer {
    pub(crate) fn new() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(LIMIT)).unwrap();
        let port = socket.local_addr().unwrap().port();
        Self { socket, port, client: Cell::default(), join: RefCell::default() }
    }

    /// The next message of the client.
    pub(crate) fn receive_any(&self) -> String {
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

    /// The next message of the client that is not a retry of its join.
    pub(crate) fn receive(&self) -> String {
        loop {
            let message = self.receive_any();
            if self.join.borrow().as_ref() != Some(&message) {
                return message;
            }
        }
    }

    pub(crate) fn send(&self, message: impl AsRef<[u8]>) {
        self.socket.send_to(message.as_ref(), self.address()).unwrap();
    }

    /// True if no message is waiting. To be called when the client has ended.
    pub(crate) fn has_no_message(&self) -> bool {
        self.socket.set_nonblocking(true).unwrap();
        self.try_receive().is_err()
    }

    /// Closes the port, also to others who look for a free one while the socket exists.
    pub(crate) fn close(self) -> UdpSocket {
        self.socket.connect(self.socket.local_addr().unwrap()).unwrap();
        self.socket
    }

    /// The address of the client.
    pub(crate) fn address(&self) -> SocketAddr {
        self.client.get().expect("a client has joined")
    }

    /// Accepts the client and sends it the map.
    pub(crate) fn accept(&self) {
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
    pub(crate) fn reply_to_quit(&self, words: &str) {
        assert_eq!(self.receive(), "KEY Q");
        self.send(format!("QUIT {words}"));
    }

    /// A player in an ordinary terminal that shows the map.
    pub(crate) fn with_player() -> (Self, Terminal) {
        Self::with_player_given(&[], &[])
    }

    /// The same with options and variables in its environment.
    pub(crate) fn with_player_given(
        options: &[&str],
        variables: &[(&str, &str)],
    ) -> (Self, Terminal) {
        let server = Self::new();
        let terminal = Terminal::start_player(server.port, options, variables);
        server.accept();
        wait_for_room(&terminal);
        (server, terminal)
    }
}

/// Waits until the player sees the whole room with nothing beside the status line.
pub(crate) fn wait_for_room(terminal: &Terminal) {
    terminal.wait_for_lines(&shown(STATUS));
    // The cursor comes last.
    terminal.wait_for(|screen| cursor(screen) == Some((2, 9)));
}

/// A whole screen: this line above the room.
pub(crate) fn shown(status: &str) -> Vec<String> {
    std::iter::once(status).chain(ROOM.lines()).map(|line| line.trim_end().to_owned()).collect()
}
