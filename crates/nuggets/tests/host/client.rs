//! A client of the WebSocket protocol without a browser.

use nuggets_host::wire::{ClientLine, Join, Watch};
use nuggets_sim::host::Screen;
use nuggets_testkit::{HttpClient, SocketRead, WebSocketPeer};

/// One person or watcher.
pub(crate) struct Client {
    pub(crate) game: usize,
    /// The name of a player; none for a watcher.
    name: Option<String>,
    token: Option<String>,
    socket: Option<WebSocketPeer>,
    pub(crate) screen: Screen,
    /// True if a message has come since it last sent one.
    pub(crate) has_news: bool,
}

impl Client {
    pub(crate) fn new(game: usize, name: Option<String>) -> Self {
        let screen = Screen::default();
        Self { game, name, token: None, socket: None, screen, has_news: false }
    }

    pub(crate) fn is_player(&self) -> bool {
        self.name.is_some()
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.socket.is_some()
    }

    /// Connects and says who it is and what it has.
    pub(crate) fn connect(&mut self, host: &HttpClient, game: &str) {
        let socket = host.join_socket(game);
        socket.stream().set_nonblocking(true).unwrap();
        self.socket = Some(socket);
        let since = self.screen.since();
        self.send(&match &self.name {
            Some(name) => {
                let name = self.token.is_none().then(|| name.clone());
                ClientLine::Join(Join { name, token: self.token.clone(), since, client: None })
            }
            None => ClientLine::Watch(Watch { view: None, since }),
        });
    }

    /// Sends a line, if the connection is still there.
    pub(crate) fn send(&mut self, line: &ClientLine) {
        let text = serde_json::to_string(line).unwrap();
        let sent = self.socket.as_mut().map(|socket| socket.try_send(&text));
        if matches!(sent, Some(Err(_))) {
            self.socket = None;
        }
    }

    /// Takes all messages that have come; forgets a connection that is closed.
    pub(crate) fn receive(&mut self) {
        while let Some(socket) = &mut self.socket {
            match socket.read() {
                SocketRead::Text(text) => {
                    self.screen.handle_text(&text).unwrap();
                    self.has_news = true;
                }
                SocketRead::Nothing => break,
                SocketRead::Closed(_) => self.socket = None,
            }
        }
        let hello = self.screen.hello.as_ref();
        self.token = hello.and_then(|hello| hello.token.clone()).or_else(|| self.token.take());
    }
}
