//! A game whose output must not be seen yet: what it does is collected after every order and handed over as a whole. A
//! cluster holds it until it is in the replicated log.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use nuggets_game::Letter;
use nuggets_server::{RecordKind, Storage, Stored};
use nuggets_time::{Clock, Timestamp};

use crate::hosted_game::{Attach, AttachError, AttachRole, Attached, HostedGame};
use crate::view_stream::Audience;
use crate::wire::DirectLine;
use crate::workers::GameStorage;
use crate::{ConnectionId, GameId, GameReport, PlayerId, StreamReader};

/// Whose eyes: a letter, or none for the whole map.
pub(crate) type View = Option<char>;

/// Takes what a game did.
pub(crate) type RelaySink = Arc<dyn Fn(GameOutput) + Send + Sync>;

/// Where the output of a game goes.
#[derive(Clone)]
pub(crate) struct Relay {
    /// Stands in every output, so that those of an earlier opening are recognised.
    pub(crate) epoch: u64,
    /// Takes every output.
    pub(crate) sink: RelaySink,
    /// What the game has written into its journal and was not handed over yet.
    pub(crate) journal: RelayStorage,
}

impl fmt::Debug for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relay").field("epoch", &self.epoch).finish_non_exhaustive()
    }
}

/// An order to a relayed game. Each is answered by one output with its tag.
#[derive(Clone, Debug)]
pub(crate) struct RelayOrder {
    pub(crate) tag: u64,
    pub(crate) what: RelayInput,
}

/// What a relayed game is asked to do.
#[derive(Clone, Debug)]
pub(crate) enum RelayInput {
    Attach(Attach),
    Detach(ConnectionId),
    Key(ConnectionId, char),
    /// The lines of this view are part of the output from now on, first a whole picture.
    Show(View),
    /// They are not any more.
    Hide(View),
    /// A frozen game does nothing by itself.
    SetFrozen(bool),
    Start,
    End,
    Kick(Letter),
    Notice(String),
    SetNext(GameId),
}

/// What a game did in one call.
#[derive(Debug, Default)]
pub(crate) struct GameOutput {
    pub(crate) game: Option<GameId>,
    pub(crate) epoch: u64,
    /// The order that it answers; none if the game did something by itself.
    pub(crate) tag: Option<u64>,
    /// What it wrote into its journal.
    pub(crate) journal: Vec<u8>,
    /// What it published in the views that are shown.
    pub(crate) lines: Vec<ViewLines>,
    pub(crate) direct: Vec<(ConnectionId, DirectLine)>,
    pub(crate) datagrams: Vec<(SocketAddr, Vec<u8>)>,
    pub(crate) reports: Vec<GameReport>,
    /// The answer to `Attach`.
    pub(crate) attached: Option<Result<Attached, AttachError>>,
}

/// New lines of one view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ViewLines {
    pub(crate) view: View,
    /// True if they begin with a whole picture.
    pub(crate) is_whole: bool,
    /// With newlines between them.
    pub(crate) text: String,
}

impl GameOutput {
    fn is_empty(&self) -> bool {
        let has_more = !self.datagrams.is_empty() || !self.reports.is_empty();
        self.journal.is_empty() && self.lines.is_empty() && self.direct.is_empty() && !has_more
    }
}

/// A journal that is kept until it is handed over.
#[derive(Clone, Debug, Default)]
pub(crate) struct RelayStorage(Arc<Mutex<Vec<u8>>>);

impl RelayStorage {
    pub(crate) fn storage(&self) -> GameStorage {
        Box::new(self.clone())
    }

    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Storage for RelayStorage {
    fn append(&mut self, _: RecordKind, bytes: &[u8]) -> io::Result<Stored> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(Stored::Yes)
    }
}

/// The views of a relayed game that are shown somewhere.
#[derive(Debug)]
pub(super) struct Relayed {
    relay: Relay,
    clock: Clock,
    shown: BTreeMap<View, Shown>,
    is_frozen: bool,
}

#[derive(Debug)]
struct Shown {
    reader: StreamReader,
    /// It stands for all who read this view.
    connection: ConnectionId,
}

/// A watcher that stands for others is nobody.
const NOBODY: PlayerId = PlayerId(0);

/// The connections of views; those of people count from 1.
fn connection_of(view: View) -> ConnectionId {
    ConnectionId(u64::MAX - u64::from(u32::from(view.unwrap_or('\0'))))
}

impl Relayed {
    pub(super) fn new(relay: Relay, clock: Clock) -> Self {
        Self { relay, clock, shown: BTreeMap::new(), is_frozen: false }
    }

    pub(super) fn is_frozen(&self) -> bool {
        self.is_frozen
    }

    /// Carries out an order.
    pub(super) fn handle(
        &mut self,
        game: &mut HostedGame<GameStorage>,
        now: Timestamp,
        order: RelayOrder,
    ) {
        let mut attached = None;
        match order.what {
            RelayInput::Attach(attach) => attached = Some(game.attach(now, &attach)),
            RelayInput::Detach(connection) => game.detach(now, connection),
            RelayInput::Key(connection, key) => game.key(now, connection, key),
            RelayInput::Show(view) => self.show(game, now, view),
            RelayInput::Hide(view) => {
                if let Some(shown) = self.shown.remove(&view) {
                    game.detach(now, shown.connection);
                }
            }
            RelayInput::SetFrozen(is_frozen) => {
                self.is_frozen = is_frozen;
                if !is_frozen {
                    game.handle_timeout(now);
                }
            }
            RelayInput::Start => game.start(now),
            RelayInput::End => game.end(now),
            RelayInput::Kick(letter) => game.kick(now, letter),
            RelayInput::Notice(words) => game.notice(now, &words),
            RelayInput::SetNext(next) => game.set_next(now, next),
        }
        self.hand_over(game, Some(order.tag), attached);
    }

    fn show(&mut self, game: &mut HostedGame<GameStorage>, now: Timestamp, view: View) {
        if let Some(shown) = self.shown.get_mut(&view) {
            return shown.reader.restart();
        }
        let connection = connection_of(view);
        let (name, role) = (String::new(), AttachRole::Watch(view));
        let attach = Attach { connection, person: NOBODY, name, role, is_creator: false };
        // A view that does not exist is not shown.
        if let Ok(Attached { stream, .. }) = game.attach(now, &attach) {
            let reader = stream.reader(self.clock, Audience::Player, None);
            self.shown.insert(view, Shown { reader, connection });
        }
    }

    /// Hands over everything that the game has done since the last time.
    pub(super) fn hand_over(
        &mut self,
        game: &mut HostedGame<GameStorage>,
        tag: Option<u64>,
        attached: Option<Result<Attached, AttachError>>,
    ) {
        let mut output = GameOutput {
            game: Some(game.id()),
            epoch: self.relay.epoch,
            tag,
            journal: self.relay.journal.take(),
            attached,
            ..GameOutput::default()
        };
        for (view, shown) in &mut self.shown {
            if let Some(read) = shown.reader.read_lines() {
                let (text, is_whole) = (read.text, read.is_whole);
                output.lines.push(ViewLines { view: *view, is_whole, text });
            }
        }
        output.direct.extend(std::iter::from_fn(|| game.poll_direct()));
        output.datagrams.extend(std::iter::from_fn(|| game.poll_datagram()));
        output.reports.extend(std::iter::from_fn(|| game.poll_report()));
        if tag.is_some() || !output.is_empty() {
            (self.relay.sink)(output);
        }
    }
}

impl Relay {
    /// Hands over a report that is not from the game itself.
    pub(super) fn report(&self, game: GameId, report: GameReport) {
        let (epoch, reports) = (self.epoch, vec![report]);
        let journal = self.journal.take();
        let game = Some(game);
        (self.sink)(GameOutput { game, epoch, journal, reports, ..GameOutput::default() });
    }
}
