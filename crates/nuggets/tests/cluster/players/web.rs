//! A client of the WebSocket protocol. When its node is gone or silent, it goes to the next one.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use nuggets_host::sim::Screen;
use nuggets_host::wire::{ClientLine, Join, JoinClient};
use tungstenite::{Message, WebSocket};

use super::{Kept, Pace};
use crate::now;

/// How long it waits for anything while it looks for a node.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a read waits.
const TURN: Duration = Duration::from_millis(5);
/// How often it asks whether the connection lives.
const PING: Duration = Duration::from_millis(500);

/// A person at one node.
struct WebClient<'a> {
    kept: &'a Kept,
    url: String,
    name: String,
    token: Option<String>,
    client: JoinClient,
    screen: Screen,
    pinged: Instant,
    heard: Instant,
}

/// Plays a game by this name, at the first of these nodes as long as it can.
pub(crate) fn play_web(kept: &Kept, nodes: &[SocketAddr], game: &str, name: &str, seed: i64) {
    let (started, screen) = (now(), Screen::default());
    let mut client = WebClient {
        kept,
        url: game.to_owned(),
        name: name.to_owned(),
        token: None,
        client: JoinClient { id: u64::try_from(seed).unwrap(), attempt: 0 },
        screen,
        pinged: started,
        heard: started,
    };
    let mut pace = Pace::new(seed, started);
    for node in nodes.iter().cycle() {
        if kept.ends() {
            return;
        }
        match client.connect(*node) {
            Some(socket) => client.stay(socket, &mut pace),
            None => thread::sleep(TURN),
        }
    }
}

impl WebClient<'_> {
    fn connect(&mut self, node: SocketAddr) -> Option<WebSocket<TcpStream>> {
        let stream = TcpStream::connect_timeout(&node, PATIENCE).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        stream.set_nodelay(true).ok()?;
        let url = format!("ws://{node}/g/{}/ws", self.url);
        let (mut socket, _) = tungstenite::client(url, stream).ok()?;
        socket.get_ref().set_read_timeout(Some(TURN)).ok()?;
        self.screen.errors.clear();
        let name = self.token.is_none().then(|| self.name.clone());
        self.client.attempt += 1;
        let (token, client) = (self.token.clone(), Some(self.client));
        let join = Join { name, token, since: self.screen.since(), client };
        send(&mut socket, &ClientLine::Join(join))?;
        self.heard = now();
        let mut seen = self.kept.seen();
        seen.connections += 1;
        seen.node = Some(node);
        drop(seen);
        Some(socket)
    }

    /// Plays until the connection is lost.
    fn stay(&mut self, mut socket: WebSocket<TcpStream>, pace: &mut Pace) {
        while !self.kept.ends() {
            let at = now();
            match socket.read() {
                Ok(Message::Text(text)) => self.take(&text, at),
                Ok(Message::Close(_)) => return,
                Ok(_) => self.heard = at,
                Err(tungstenite::Error::Io(why)) if is_timeout(why.kind()) => {}
                Err(_) => return,
            }
            if !self.screen.errors.is_empty() || at.duration_since(self.heard) > PATIENCE {
                return;
            }
            let is_playing = self.token.is_some();
            let key = is_playing.then(|| pace.key(self.kept, at)).flatten();
            if key.is_some_and(|key| send(&mut socket, &ClientLine::Key(key)).is_none()) {
                return;
            }
            if at.duration_since(self.pinged) > PING {
                self.pinged = at;
                if send(&mut socket, &ClientLine::Ping(1)).is_none() {
                    return;
                }
            }
        }
    }

    fn take(&mut self, text: &str, at: Instant) {
        self.heard = at;
        let taken = self.screen.handle_text(text);
        let mut seen = self.kept.seen();
        if let Err(why) = taken {
            seen.failure.get_or_insert(why);
        }
        if text.contains(r#""notice""#) {
            seen.notices.push(text.to_owned());
        }
        for error in &self.screen.errors {
            seen.notices.push(error.clone());
        }
        if let Some(hello) = &self.screen.hello {
            seen.letter = hello.letter;
            self.token = hello.token.clone().or_else(|| self.token.take());
        }
        for picture in self.screen.shown.pictures.drain(..) {
            seen.show(picture, at);
        }
        seen.gold.extend(self.screen.shown.gold.drain(..));
    }
}

fn send(socket: &mut WebSocket<TcpStream>, line: &ClientLine) -> Option<()> {
    let text = serde_json::to_string(line).unwrap();
    socket.send(Message::text(text)).ok()
}

fn is_timeout(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
