//! A game at its owner, with the connections that read it. The journal goes to the group commit of the node, or into a file.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use nuggets_host::cluster::ownership::Ownership;
use nuggets_host::cluster::routes::Epoch;
use nuggets_host::{
    Attached, Audience, ConnectionId, GameCommand, GameId, HostedGame, Position, StreamHandle,
};
use nuggets_protocol::web::Since;
use nuggets_server::{Commit, RecordKind, Storage, Stored};
use nuggets_time::Timestamp;

/// The bytes of a journal file.
pub(super) type JournalFile = Rc<RefCell<Vec<u8>>>;

#[derive(Debug)]
pub(super) enum SimJournal {
    File(JournalFile),
    Commits(CommitJournal),
}

#[derive(Debug)]
pub(super) struct CommitJournal {
    pub(super) ownership: Rc<RefCell<Ownership>>,
    /// The clock of the node.
    pub(super) clock: Rc<Cell<Timestamp>>,
    pub(super) game: GameId,
    pub(super) epoch: Epoch,
    pub(super) sabotage: Option<&'static str>,
    /// Gone with the journal, when the game is closed.
    pub(super) _is_open: Rc<()>,
}

impl Storage for SimJournal {
    fn append(&mut self, kind: RecordKind, bytes: &[u8]) -> io::Result<Stored> {
        Ok(match self {
            _ if kind != RecordKind::Journal => Stored::GivenUp,
            Self::File(file) => {
                file.borrow_mut().extend(bytes);
                Stored::Yes
            }
            Self::Commits(it) => {
                let batch = it.ownership.borrow_mut().append(it.game, it.epoch, bytes);
                match it.sabotage {
                    Some("shown") => Stored::Yes,
                    _ => Stored::With(Commit(batch.0)),
                }
            }
        })
    }

    fn prove(&mut self) -> io::Result<Stored> {
        match self {
            Self::Commits(it) if it.sabotage != Some("join") => {
                let batch = it.ownership.borrow_mut().prove(it.game, it.epoch);
                Ok(Stored::With(Commit(batch.0)))
            }
            _ => Ok(Stored::Yes),
        }
    }

    fn is_ready(&self) -> bool {
        match self {
            Self::Commits(it) if it.sabotage != Some("proof") => {
                it.ownership.borrow().may_act(it.clock.get(), it.game)
            }
            _ => true,
        }
    }
}

#[derive(Debug)]
pub(super) struct OwnedCell {
    pub(super) hosted: HostedGame<SimJournal>,
    pub(super) epoch: Epoch,
    pub(super) opened_at: Timestamp,
    /// A command has acted since this was asked last.
    pub(super) has_acted: bool,
    sources: BTreeMap<ConnectionId, StreamSource>,
    is_open: Weak<()>,
}

/// The stream that a connection reads.
#[derive(Debug)]
struct StreamSource {
    stream: Arc<StreamHandle>,
    audience: Audience,
    position: Position,
    /// The delay of the stream behind the game.
    delay_ms: u64,
    /// A slow connection reads only once in this time.
    pause_ms: u64,
    reads_at: Timestamp,
}

impl OwnedCell {
    pub(super) fn new(
        hosted: HostedGame<SimJournal>,
        epoch: Epoch,
        opened_at: Timestamp,
        is_open: Weak<()>,
    ) -> Self {
        let sources = BTreeMap::new();
        Self { is_open, hosted, epoch, opened_at, has_acted: false, sources }
    }

    /// False once the game is over and its journal is complete.
    pub(super) fn is_open(&self) -> bool {
        self.is_open.strong_count() > 0
    }

    /// Gives the game a command, which may have to wait. Once a commit is stored, commands that waited act, unless the game is
    /// still not known to be ours.
    pub(super) fn handle(&mut self, now: Timestamp, command: GameCommand) {
        let was_ready = self.hosted.is_ready();
        let acts = match &command {
            GameCommand::Detach(connection) => {
                self.sources.remove(connection);
                false
            }
            GameCommand::Stored(_) => false,
            _ => was_ready && self.is_open(),
        };
        let is_stored = matches!(command, GameCommand::Stored(_));
        self.hosted.handle(now, command);
        let acts_now = is_stored && !was_ready && self.hosted.is_ready() && self.is_open();
        self.has_acted |= acts || acts_now;
    }

    /// A connection reads from now on, behind what it has.
    pub(super) fn read_for(
        &mut self,
        to: ConnectionId,
        Attached { stream, audience, hello, .. }: &Attached,
        since: Option<&Since>,
        pause_ms: u64,
    ) {
        let delay_ms = match audience {
            Audience::Player => 0,
            Audience::Watcher => u64::from(hello.delay_s) * 1000,
        };
        let position = stream.lock().position(since);
        let (stream, audience, reads_at) = (Arc::clone(stream), *audience, Timestamp(0));
        let source = StreamSource { stream, audience, position, delay_ms, pause_ms, reads_at };
        self.sources.insert(to, source);
    }

    /// The connection has lost its picture.
    pub(super) fn read_whole(&mut self, to: ConnectionId) {
        self.sources.entry(to).and_modify(|source| source.position = Position::default());
    }

    /// Everything that is new for connections, with the latest time that it may show.
    pub(super) fn read(&mut self, now: Timestamp) -> Vec<(ConnectionId, Timestamp, String)> {
        let mut texts = Vec::new();
        for (to, source) in self.sources.iter_mut().filter(|(_, it)| it.reads_at <= now) {
            if let Some(read) = source.stream.read(source.position, now, source.audience) {
                source.position = read.position;
                source.reads_at = now.after(source.pause_ms);
                texts.push((
                    *to,
                    Timestamp(now.0.saturating_sub(source.delay_ms)),
                    read.text.to_string(),
                ));
            }
        }
        texts
    }
}
