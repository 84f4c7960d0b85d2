//! A person of a simulation, with a connection that may be slow, drop and come back. Lines sent over an old
//! connection can arrive after the first line of the new one.

use std::collections::VecDeque;
use std::sync::Arc;

use nuggets_host::{
    Attach, AttachRole, Attached, Audience, ConnectionId, GameCommand, GameId, Person, Position,
    StreamHandle,
};
use nuggets_protocol::web::{ClientLine, Join, JoinClient, Since, Watch};
use nuggets_time::Timestamp;

use super::Screen;

#[derive(Debug)]
pub(super) struct SimClient {
    pub(super) who: Person,
    pub(super) game: GameId,
    pub(super) role: SimRole,
    pub(super) screen: Screen,
    pub(super) link: Option<SimLink>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SimRole {
    Play,
    /// Watches the view of this letter, or the whole map.
    Watch(Option<char>),
}

/// Both ends of a connection.
#[derive(Debug)]
pub(super) struct SimLink {
    pub(super) id: ConnectionId,
    pub(super) game: GameId,
    /// Lines on their way to the server.
    pub(super) up: VecDeque<ClientLine>,
    /// Messages on their way to the client, each with the latest time that it may show.
    pub(super) down: VecDeque<(Timestamp, String)>,
    /// What the server reads for it, once it has a place in the game.
    pub(super) source: Option<StreamSource>,
}

/// The stream that the server reads for a connection.
#[derive(Debug)]
pub(crate) struct StreamSource {
    pub(super) stream: Arc<StreamHandle>,
    pub(super) audience: Audience,
    pub(super) position: Position,
    /// The delay of the stream behind the game.
    pub(super) delay_ms: u64,
}

impl StreamSource {
    /// A connection reads from now on, behind what it has.
    pub(crate) fn new(attached: &Attached, since: Option<&Since>) -> Self {
        let position = attached.stream.lock().position(since);
        let delay_ms = match attached.audience {
            Audience::Player => 0,
            Audience::Watcher => u64::from(attached.hello.delay_s) * 1000,
        };
        let Attached { stream, audience, .. } = attached;
        Self { stream: Arc::clone(stream), audience: *audience, position, delay_ms }
    }

    /// Reads all new lines of the stream.
    pub(crate) fn read(&mut self, now: Timestamp) -> Option<String> {
        let read = self.stream.read(self.position, now, self.audience)?;
        self.position = read.position;
        Some(read.text)
    }
}

impl SimClient {
    pub(super) fn new(who: Person, game: GameId, role: SimRole) -> Self {
        Self { who, game, role, screen: Screen::default(), link: None }
    }

    /// Changes to another game, or to another role in this one.
    pub(super) fn go_to(&mut self, game: GameId, role: SimRole) {
        (self.game, self.role) = (game, role);
        self.screen = Screen::default();
    }

    /// Connects and sends `join` or `watch`.
    pub(super) fn connect(&mut self, id: ConnectionId) {
        let since = self.screen.since();
        let first = match self.role {
            SimRole::Play => ClientLine::Join(Join { since, ..Join::default() }),
            SimRole::Watch(view) => ClientLine::Watch(Watch { view, since }),
        };
        let up = VecDeque::from([first]);
        self.link = Some(SimLink { id, game: self.game, up, down: VecDeque::new(), source: None });
    }

    /// Returns its letter, once it has a seat.
    pub(super) fn letter(&self) -> Option<char> {
        self.screen.hello.as_ref()?.letter
    }
}

/// The command with which a connection asks for a place in a game.
pub(crate) fn attach(
    connection: ConnectionId,
    who: &Person,
    role: SimRole,
    client: Option<JoinClient>,
) -> GameCommand {
    let role = match role {
        SimRole::Play => AttachRole::Play,
        SimRole::Watch(view) => AttachRole::Watch(view),
    };
    let (person, name) = (who.id, who.name.clone());
    let attach = Attach { connection, person, name, role, client, is_creator: false };
    GameCommand::Attach(Box::new(attach))
}

impl SimLink {
    /// The server reads what is new and sends it.
    pub(super) fn read(&mut self, now: Timestamp) {
        let Some(source) = &mut self.source else { return };
        if let Some(text) = source.read(now) {
            let by = Timestamp(now.0.saturating_sub(source.delay_ms));
            self.down.push_back((by, text));
        }
    }
}
