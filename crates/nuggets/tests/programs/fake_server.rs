//! A server that says exactly what a test wants, and keeps what a client tells it.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::{SocketAddr, UdpSocket};

use crate::host::{LIMIT, unless_interrupted};
use crate::terminal::{Terminal, cursor};

/// What it shows: 3 rows of 24 columns.
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
    /// How the client asked to join.
    asked: RefCell<Option<String>>,
}

impl FakeServer {
    pub(crate) fn new() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(LIMIT)).unwrap();
        let port = socket.local_addr().unwrap().port();
        Self { socket, port, client: Cell::default(), asked: RefCell::default() }
    }

    /// The next message of the client.
    pub(crate) fn hear_any(&self) -> String {
        self.receive().expect("a message")
    }

    /// Leaves out what was meant for whoever had this port before us: the servers of other tests
    /// may not have noticed yet that their clients are gone.
    fn receive(&self) -> io::Result<String> {
        let mut buffer = [0; 1024];
        loop {
            let (length, from) = unless_interrupted(|| self.socket.recv_from(&mut buffer))?;
            let text = String::from_utf8_lossy(&buffer[..length]);
            let asks = text.starts_with("PLAY ") || text == "SPECTATE";
            if self.client.get().map_or(asks, |client| client == from) {
                self.client.set(Some(from));
                return Ok(text.into_owned());
            }
        }
    }

    /// The next message of the client that is not the same question to join once more: it asks
    /// again when we are slow to answer.
    pub(crate) fn hear(&self) -> String {
        loop {
            let heard = self.hear_any();
            if self.asked.borrow().as_ref() != Some(&heard) {
                return heard;
            }
        }
    }

    pub(crate) fn say(&self, message: impl AsRef<[u8]>) {
        self.socket.send_to(message.as_ref(), self.address()).unwrap();
    }

    /// Is no message waiting? Only asked when the client has ended.
    pub(crate) fn has_heard_all(&self) -> bool {
        self.socket.set_nonblocking(true).unwrap();
        self.receive().is_err()
    }

    /// Where the client is.
    pub(crate) fn address(&self) -> SocketAddr {
        self.client.get().expect("a client that has said something")
    }

    /// Lets the client in and shows it the room.
    pub(crate) fn welcome(&self) {
        let asked = self.hear_any();
        if asked.starts_with("PLAY ") {
            self.say("OK A");
        }
        self.asked.replace(Some(asked));
        self.say("GRID 3 24");
        self.say("GOLD 0 0 250");
        self.say(format!("DISPLAY\n{ROOM}"));
    }

    /// Hears that the client leaves, and says goodbye in these words.
    pub(crate) fn part(&self, words: &str) {
        assert_eq!(self.hear(), "KEY Q");
        self.say(format!("QUIT {words}"));
    }

    /// A player in an ordinary terminal who sees the room.
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
        server.welcome();
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
