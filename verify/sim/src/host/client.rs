//! A person of a simulation, with a connection that may be slow, drop and come back. What was sent over an old
//! connection can arrive after the first line of the new one.

use std::collections::VecDeque;
use std::sync::Arc;

use nuggets_time::Timestamp;

use super::Screen;
use nuggets_host::{Audience, Position};
use nuggets_host::{ConnectionId, GameId, Person, StreamHandle};
use nuggets_protocol::web::{ClientLine, Join, Watch};

/// A person.
#[derive(Debug)]
pub(super) struct SimClient {
    pub(super) who: Person,
    pub(super) game: GameId,
    pub(super) role: SimRole,
    pub(super) screen: Screen,
    pub(super) link: Option<Link>,
}

/// What a person does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SimRole {
    /// Plays.
    Play,
    /// Watches through these eyes, or the whole map.
    Watch(Option<char>),
}

/// A connection, both ends of it.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) id: ConnectionId,
    pub(super) game: GameId,
    /// Lines on their way to the server.
    pub(super) up: VecDeque<ClientLine>,
    /// Messages on their way to the client, and how recent they may be.
    pub(super) down: VecDeque<(Timestamp, String)>,
    /// What the server reads for it, once it has a place in the game.
    pub(super) source: Option<Source>,
}

/// What the server reads for a connection.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) stream: Arc<StreamHandle>,
    pub(crate) audience: Audience,
    pub(crate) position: Position,
    /// How far it must be behind.
    pub(crate) delay_ms: u64,
}

impl SimClient {
    pub(super) fn new(who: Person, game: GameId, role: SimRole) -> Self {
        Self { who, game, role, screen: Screen::default(), link: None }
    }

    /// Goes to another game, or does something else in this one.
    pub(super) fn go_to(&mut self, game: GameId, role: SimRole) {
        (self.game, self.role) = (game, role);
        self.screen = Screen::default();
    }

    /// Connects and sends what it wants.
    pub(super) fn connect(&mut self, id: ConnectionId) {
        let since = self.screen.since();
        let first = match self.role {
            SimRole::Play => ClientLine::Join(Join { since, ..Join::default() }),
            SimRole::Watch(view) => ClientLine::Watch(Watch { view, since }),
        };
        let up = VecDeque::from([first]);
        self.link = Some(Link { id, game: self.game, up, down: VecDeque::new(), source: None });
    }

    /// Its letter, once it has a seat.
    pub(super) fn letter(&self) -> Option<char> {
        self.screen.hello.as_ref()?.letter
    }
}

impl Link {
    /// The server reads what is new and sends it.
    pub(super) fn read(&mut self, now: Timestamp) {
        let Some(source) = &mut self.source else { return };
        if let Some(read) = source.stream.read(source.position, now, source.audience) {
            source.position = read.position;
            let by = Timestamp(now.0.saturating_sub(source.delay_ms));
            self.down.push_back((by, read.text));
        }
    }
}
