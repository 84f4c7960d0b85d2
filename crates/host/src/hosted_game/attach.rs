//! Connections of people: joining, coming back, watching, leaving.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nuggets_game::{Letter, Name};
use nuggets_protocol::QuitKind;
use nuggets_server::{QuitReason, Storage};
use nuggets_time::Timestamp;
use thiserror::Error;

use super::identities::{Identity, ViewKey};
use super::recipients::RoomReply;
use super::{GameOutput, HostedGame, KEEP_VIEW_MS};
use crate::view_stream::Audience;
use crate::wire::{Hello, JoinClient};
use crate::{ConnectionId, PlayerId, StreamHandle};

/// A connection that wants to play or watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attach {
    /// The connection. If it is already attached, this role replaces the old one.
    pub connection: ConnectionId,
    /// The account of the person.
    pub person: PlayerId,
    /// The name to play under.
    pub name: String,
    /// The requested role.
    pub role: AttachRole,
    /// The client that opened the connection and the number of its attempt, if the client sent them.
    pub client: Option<JoinClient>,
    /// True if this person created the game; only used for `hello`.
    pub is_creator: bool,
}

impl Attach {
    /// Creates the request of a client that sent no id, and did not create the game.
    pub fn new(
        connection: ConnectionId,
        person: PlayerId,
        name: impl Into<String>,
        role: AttachRole,
    ) -> Self {
        Self { connection, person, name: name.into(), role, client: None, is_creator: false }
    }
}

/// The role that a connection asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachRole {
    /// Take a seat, or return to the person's existing seat.
    Play,
    /// Watch the view of the player with this letter, or the whole map.
    Watch(Option<char>),
}

/// The answer to a connection that may play or watch.
#[derive(Clone, Debug)]
pub struct Attached {
    /// The first line for the client.
    pub hello: Hello,
    /// The stream to read.
    pub stream: Arc<StreamHandle>,
    /// The kind of reader: only watchers read with the delay of the game.
    pub audience: Audience,
    /// The last notice of the host, for a connection that does not continue a stream that contains it.
    pub notice: Option<String>,
}

/// Why a connection can't play or watch.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AttachError {
    /// The host has no such game in memory.
    #[error("This game is not running any more.")]
    NoSuchGame,
    /// The game has failed.
    #[error("This game had to stop because of a fault of the server. We are sorry.")]
    Failed,
    /// The database does not answer, or the game is moving to another node.
    #[error("This game can't be reached at the moment. Try again.")]
    Unavailable,
    /// The game is over.
    #[error("This game is over.")]
    Over,
    /// The player left.
    #[error("You have left this game and can't come back. You can still watch it.")]
    HasLeft,
    /// The room rejected the player.
    #[error(transparent)]
    Refused(QuitReason),
    /// The name is blank.
    #[error("A player needs a name.")]
    NoName,
    /// Players may not watch their game: they would see more than their player knows.
    #[error("You play in this game: leave it before you watch it.")]
    Plays,
    /// The same client has joined over a later connection.
    #[error("You have joined over a later connection.")]
    Superseded,
    /// No player has that letter.
    #[error("No player has that letter.")]
    NoSuchPlayer,
}

#[derive(Debug, Default)]
pub(super) struct Attachments {
    /// The person and the client of each connection; no person if it watches.
    connections: BTreeMap<ConnectionId, (Option<PlayerId>, Option<JoinClient>)>,
    /// The connections of each person that plays.
    players: BTreeMap<PlayerId, BTreeSet<ConnectionId>>,
    /// The number of connections of all of them.
    playing: usize,
    /// The last attempt of each client of a person; the client that joined last is at the end.
    latest: BTreeMap<PlayerId, Vec<JoinClient>>,
}

/// The maximum number of clients of one person, such as tabs, whose last attempt is remembered.
const MAX_CLIENTS: usize = 8;

impl Attachments {
    /// Returns the person who plays over this connection.
    pub(super) fn player(&self, connection: ConnectionId) -> Option<PlayerId> {
        self.connections.get(&connection).and_then(|(player, _)| *player)
    }

    /// Returns the connections over which this person plays.
    pub(super) fn of_player(&self, person: PlayerId) -> impl Iterator<Item = ConnectionId> {
        self.players.get(&person).into_iter().flatten().copied()
    }

    /// True if this person plays over any connection.
    fn is_connected(&self, person: PlayerId) -> bool {
        self.players.contains_key(&person)
    }

    fn contains(&self, connection: ConnectionId) -> bool {
        self.connections.contains_key(&connection)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.connections.is_empty()
    }

    /// Counts the people who play, each once, and the connections that watch. Cheap, because it runs after every key.
    pub(super) fn count(&self) -> (usize, usize) {
        (self.players.len(), self.connections.len() - self.playing)
    }

    fn insert(&mut self, attach: &Attach, player: Option<PlayerId>) {
        self.connections.insert(attach.connection, (player, attach.client));
        let Some(person) = player else { return };
        let is_new = self.players.entry(person).or_default().insert(attach.connection);
        self.playing += usize::from(is_new);
        if let Some(client) = attach.client {
            let latest = self.latest.entry(person).or_default();
            latest.retain(|known| known.id != client.id);
            if latest.len() >= MAX_CLIENTS {
                latest.remove(0);
            }
            latest.push(client);
        }
    }

    /// True if the client of this connection has joined over a later one: a key that was delayed in the old one must not act.
    pub(super) fn is_superseded(&self, connection: ConnectionId) -> bool {
        let attached = self.connections.get(&connection).copied();
        attached.is_some_and(|(player, client)| {
            player.is_some_and(|person| self.has_later(person, client))
        })
    }

    fn has_later(&self, person: PlayerId, client: Option<JoinClient>) -> bool {
        let latest = self.latest.get(&person).into_iter().flatten();
        client.is_some_and(|client| {
            latest.clone().any(|known| known.id == client.id && known.attempt > client.attempt)
        })
    }

    /// Removes a connection and returns the person who played over it.
    fn remove(&mut self, connection: ConnectionId) -> Option<PlayerId> {
        let (player, _) = self.connections.remove(&connection)?;
        let person = player?;
        let connections = self.players.get_mut(&person)?;
        self.playing -= usize::from(connections.remove(&connection));
        if connections.is_empty() {
            self.players.remove(&person);
        }
        Some(person)
    }
}

impl<S: Storage> HostedGame<S> {
    /// Answers a connection that wants to play or watch. The answer waits for a proof that this host still owns the game.
    pub(super) fn answer(&mut self, now: Timestamp, attach: &Attach) {
        let attached = match attach.role {
            _ if self.has_failed => Err(AttachError::Failed),
            AttachRole::Play => self.attach_player(now, attach),
            AttachRole::Watch(view) => self.attach_watcher(now, attach, view),
        };
        self.start_bots();
        self.prove();
        let answer = GameOutput::Answer(attach.connection, Box::new(attached));
        self.recipients.output.push_back(answer);
    }

    /// Forgets a connection. Its view is kept for a while.
    pub(super) fn detach(&mut self, now: Timestamp, connection: ConnectionId) {
        if self.attachments.contains(connection) {
            self.remove_attachment(now, connection);
            self.close_views_at = Some(now.after(KEEP_VIEW_MS));
        }
    }

    fn attach_player(&mut self, now: Timestamp, attach: &Attach) -> Result<Attached, AttachError> {
        if self.attachments.has_later(attach.person, attach.client) {
            return Err(AttachError::Superseded);
        }
        let identity = Identity::Person(attach.person);
        let letter = match self.letter(identity) {
            Some(letter) if self.has_left(letter) => return Err(AttachError::HasLeft),
            Some(letter) => letter,
            None => self.join(now, attach)?,
        };
        let was_away = !self.attachments.is_connected(attach.person);
        self.replace_attachment(now, attach, Some(attach.person));
        if was_away {
            self.handle_return(now, identity);
        }
        let stream = self.open_view(now, Some(letter));
        let name = self.host.room().game().player(letter).name().to_string();
        let hello = Hello {
            letter: Some(letter.as_byte().into()),
            name: Some(name),
            ..self.hello(&stream, Some(letter), attach)
        };
        let notice = self.current_notice(now);
        Ok(Attached { hello, stream, audience: Audience::Player, notice })
    }

    /// Gives a person a seat.
    fn join(&mut self, now: Timestamp, attach: &Attach) -> Result<Letter, AttachError> {
        if self.over_at.is_some() {
            return Err(AttachError::Over);
        }
        let name = Name::new(attach.name.as_bytes());
        let name = name.ok_or(AttachError::NoName)?;
        let identity = Identity::Person(attach.person);
        let peer = self.recipients.identities.enter(identity);
        self.drive(|host, link| host.join(link, peer, Some(name)));
        self.flush(now);
        let replies = std::mem::take(&mut self.recipients.replies);
        self.process_output(now);
        if self.has_failed {
            return Err(AttachError::Failed);
        }
        self.letter(identity).ok_or_else(|| {
            self.recipients.identities.forget_unseated(identity, self.host.room());
            let why = replies.into_iter().find_map(|(person, reply)| match reply {
                RoomReply::Quit(why) if person == attach.person => Some(why),
                _ => None,
            });
            AttachError::Refused(why.unwrap_or(QuitKind::GameFull.into()))
        })
    }

    fn attach_watcher(
        &mut self,
        now: Timestamp,
        attach: &Attach,
        view: Option<char>,
    ) -> Result<Attached, AttachError> {
        let key = self.view_key(view)?;
        let own = self.letter(Identity::Person(attach.person));
        let plays = own.is_some_and(|letter| !self.has_left(letter)) && self.over_at.is_none();
        if plays && key != own {
            return Err(AttachError::Plays);
        }
        self.replace_attachment(now, attach, None);
        let stream = self.open_view(now, key);
        let hello = Hello { delay_s: self.meta.watch_delay_s, ..self.hello(&stream, key, attach) };
        let notice = self.current_notice(now);
        Ok(Attached { hello, stream, audience: Audience::Watcher, notice })
    }

    /// Returns the last notice of the host, unless it has expired.
    fn current_notice(&self, now: Timestamp) -> Option<String> {
        let current = self.notice.as_ref().filter(|(ends_at, _)| now < *ends_at);
        current.map(|(_, words)| words.clone())
    }

    fn view_key(&self, view: Option<char>) -> Result<ViewKey, AttachError> {
        let Some(view) = view else { return Ok(None) };
        let letter = u8::try_from(view).ok().and_then(Letter::from_byte);
        let count = self.host.room().game().players().len();
        let letter = letter.filter(|letter| letter.index() < count);
        letter.map(Some).ok_or(AttachError::NoSuchPlayer)
    }

    fn hello(&self, stream: &StreamHandle, key: ViewKey, attach: &Attach) -> Hello {
        let game = self.host.room().game();
        Hello {
            game: self.meta.id.to_string(),
            letter: None,
            view: key.map(|letter| letter.as_byte().into()),
            name: None,
            rows: game.map().rows().into(),
            cols: game.map().cols().into(),
            stream: stream.lock().id().to_owned(),
            token: None,
            rules: game.rules().sentences(),
            creator: attach.is_creator,
            delay_s: 0,
            vision: game.rules().vision,
        }
    }

    fn replace_attachment(&mut self, now: Timestamp, attach: &Attach, player: Option<PlayerId>) {
        if self.attachments.player(attach.connection) != player {
            self.remove_attachment(now, attach.connection);
        }
        self.attachments.insert(attach, player);
    }

    /// Removes a connection. A player whose last connection this was is away from now on.
    fn remove_attachment(&mut self, now: Timestamp, connection: ConnectionId) {
        if let Some(person) = self.attachments.remove(connection)
            && !self.attachments.is_connected(person)
        {
            self.handle_absence(now, Identity::Person(person));
        }
    }
}
