//! A client of the WebSocket protocol, who plays or watches. When its node is gone or silent, it goes to the next one.

use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use nuggets_host::wire::{ClientLine, Join, JoinClient, Watch};
use nuggets_testkit::{HttpClient, SocketRead, WebSocketPeer, now};

use super::{Pace, Seen};

/// The longest wait for a connection and the answer to its request.
const CONNECTING: Duration = Duration::from_secs(2);
/// The time that a read waits.
const TURN: Duration = Duration::from_millis(5);
/// The time between two questions whether the connection lives.
const PING: Duration = Duration::from_millis(500);
/// The longest stay at a node that answers and can't serve it.
const BUSY: Duration = Duration::from_secs(5);
/// The close code of a rejection.
const POLICY: u16 = 1008;
/// Between two attempts, as a page waits.
const RETRY: Duration = Duration::from_millis(100);

/// The wishes and patience of a client.
pub(crate) struct Manner {
    /// The name to play under; none to watch.
    pub(crate) name: Option<String>,
    /// The longest stay at a node that is silent.
    pub(crate) patience: Duration,
    pub(crate) seed: i64,
}

/// The end of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// The node lives and may be tried again.
    Closed,
    /// The node is gone or silent.
    Gone,
}

/// A person at one node.
struct WebClient<'a> {
    seen: &'a Mutex<Seen>,
    game: String,
    manner: Manner,
    token: Option<String>,
    client: JoinClient,
    pinged: Instant,
    heard: Instant,
    /// Since when the node can't serve it.
    busy_since: Option<Instant>,
}

/// Plays or watches a game, at the first of these nodes as long as it can.
pub(super) fn play(seen: &Mutex<Seen>, nodes: &[SocketAddr], game: &str, manner: Manner) {
    let started = now();
    let mut pace = Pace::new(manner.seed, started);
    let mut client = WebClient {
        seen,
        game: game.to_owned(),
        token: None,
        client: JoinClient { id: u64::try_from(manner.seed).unwrap(), attempt: 0 },
        manner,
        pinged: started,
        heard: started,
        busy_since: None,
    };
    let mut turn = 0;
    while !client.seen().ends {
        if std::mem::take(&mut client.seen().goes_home) {
            turn = 0;
        }
        let begun = now();
        let socket = client.connect(nodes[turn % nodes.len()]);
        let ending = socket.map_or(Ending::Gone, |socket| client.stay(socket, &mut pace));
        client.seen().node = None;
        // A node that answers is tried again for a while, as a page does.
        let is_new = client.busy_since.is_none_or(|since| begun.duration_since(since) < BUSY);
        if ending == Ending::Gone || !is_new {
            (turn, client.busy_since) = (turn + 1, None);
        }
        thread::sleep(RETRY);
    }
}

impl<'a> WebClient<'a> {
    fn seen(&self) -> MutexGuard<'a, Seen> {
        self.seen.lock().unwrap()
    }

    fn connect(&mut self, node: SocketAddr) -> Option<WebSocketPeer> {
        let watch = if self.manner.name.is_none() { "?watch" } else { "" };
        let path = format!("/g/{}/ws{watch}", self.game);
        let visitor = HttpClient { patience: CONNECTING, ..HttpClient::new(node) };
        let answered = visitor.open_socket(&path, None);
        let failed = |why: &_| self.seen().notices.push(format!("{node}: {why:?}"));
        let mut socket = answered.inspect_err(failed).ok()?;
        socket.stream().set_read_timeout(Some(TURN)).ok()?;
        let line = self.first_line();
        send(&mut socket, &line)?;
        self.heard = now();
        let mut seen = self.seen();
        seen.connections += 1;
        seen.node = Some(node);
        Some(socket)
    }

    fn first_line(&mut self) -> ClientLine {
        let mut seen = self.seen();
        seen.screen.errors.clear();
        let since = seen.screen.since();
        let Some(name) = &self.manner.name else {
            return ClientLine::Watch(Watch { view: None, since });
        };
        let name = self.token.is_none().then(|| name.clone());
        self.client.attempt += 1;
        let (token, client) = (self.token.clone(), Some(self.client));
        ClientLine::Join(Join { name, token, since, client })
    }

    /// Plays until the connection is lost.
    fn stay(&mut self, mut socket: WebSocketPeer, pace: &mut Pace) -> Ending {
        while !self.seen().ends {
            let at = now();
            match socket.read() {
                SocketRead::Text(text) => self.take(&text, at),
                SocketRead::Nothing => {}
                // A node that passed it on lives; one that was killed does not answer the next time.
                SocketRead::Closed(None) => return Ending::Closed,
                SocketRead::Closed(Some(frame)) => {
                    self.handle_close(frame.code.into(), &frame.reason, at);
                    return Ending::Closed;
                }
            }
            if at.duration_since(self.heard) > self.manner.patience {
                return Ending::Gone;
            }
            let is_called = self.seen().goes_home;
            if is_called || self.speak(&mut socket, pace, at).is_none() {
                return Ending::Closed;
            }
        }
        Ending::Closed
    }

    /// Presses the keys that are due, and pings. `None` if the connection is lost.
    fn speak(&mut self, socket: &mut WebSocketPeer, pace: &mut Pace, at: Instant) -> Option<()> {
        // Who presses keys at a node that hangs is too fast when it goes on.
        if self.token.is_some() && at.duration_since(self.heard) < CONNECTING {
            let keys = pace.keys(&mut self.seen(), at);
            for key in keys {
                send(socket, &ClientLine::Key(key))?;
            }
        }
        if at.duration_since(self.pinged) > PING {
            self.pinged = at;
            send(socket, &ClientLine::Ping(1))?;
        }
        Some(())
    }

    /// A rejection would cost a seat, and no client here does what it must not do.
    fn handle_close(&mut self, code: u16, reason: &str, at: Instant) {
        self.busy_since = self.busy_since.or(Some(at));
        let mut seen = self.seen();
        if code == POLICY {
            let failure = format!("rejected: {reason} {:?}", seen.screen.errors);
            seen.failure.get_or_insert(failure);
        }
        seen.notices.push(format!("{code} {reason}"));
    }

    fn take(&mut self, text: &str, at: Instant) {
        self.heard = at;
        let mut seen = self.seen();
        if seen.handle(at, |screen| screen.handle_text(text)) {
            self.busy_since = None;
        }
        if text.contains(r#""notice""#) {
            seen.notices.push(text.to_owned());
        }
        let errors = seen.screen.errors.clone();
        seen.notices.extend(errors);
        let token = seen.screen.hello.as_ref().and_then(|hello| hello.token.clone());
        self.token = token.or_else(|| self.token.take());
    }
}

fn send(socket: &mut WebSocketPeer, line: &ClientLine) -> Option<()> {
    socket.try_send(&serde_json::to_string(line).unwrap()).ok()
}
