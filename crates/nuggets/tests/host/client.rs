//! A client of the WebSocket protocol without a browser.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;

use nuggets_host::wire::{ClientLine, Join, Watch};
use nuggets_sim::host::Screen;
use tungstenite::{Message, WebSocket};

use crate::host::LIMIT;

/// One person or watcher.
pub(crate) struct Client {
    pub(crate) game: usize,
    /// The name of a player; none for a watcher.
    name: Option<String>,
    token: Option<String>,
    socket: Option<WebSocket<TcpStream>>,
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
    pub(crate) fn connect(&mut self, address: &str, game: &str) {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream.set_nodelay(true).unwrap();
        let url = format!("ws://{address}/g/{game}/ws");
        let (socket, _) = tungstenite::client(url, stream).unwrap();
        socket.get_ref().set_nonblocking(true).unwrap();
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
        let sent = self.socket.as_mut().map(|socket| socket.send(Message::text(text)));
        if matches!(sent, Some(Err(_))) {
            self.socket = None;
        }
    }

    /// Takes all messages that have come; forgets a connection that is closed.
    pub(crate) fn receive(&mut self) {
        while let Some(socket) = &mut self.socket {
            match socket.read() {
                Ok(Message::Text(text)) => {
                    self.screen.handle_text(&text).unwrap();
                    self.has_news = true;
                }
                Ok(Message::Close(_)) => self.socket = None,
                Ok(_) => {}
                Err(tungstenite::Error::Io(why)) if why.kind() == ErrorKind::WouldBlock => break,
                Err(_) => self.socket = None,
            }
        }
        let hello = self.screen.hello.as_ref();
        self.token = hello.and_then(|hello| hello.token.clone()).or_else(|| self.token.take());
    }
}

/// Creates a game by the API; returns its id.
pub(crate) fn create_game(address: &str, spec: &serde_json::Value) -> String {
    let body = spec.to_string();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    let request = format!(
        "POST /api/games HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let id = answer.split_once(r#""id":""#).and_then(|(_, rest)| rest.split_once('"'));
    id.unwrap_or_else(|| panic!("no game was created: {answer}")).0.to_owned()
}
