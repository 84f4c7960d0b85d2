//! A game at its owner, with the connections that read it. The journal goes to the group commit of the node.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::rc::{Rc, Weak};

use nuggets_host::cluster::ownership::Ownership;
use nuggets_host::cluster::routes::Epoch;
use nuggets_host::{Attached, ConnectionId, GameCommand, GameId, HostedGame};
use nuggets_protocol::web::Since;
use nuggets_server::{Commit, RecordKind, Storage, Stored};
use nuggets_time::Timestamp;

use crate::host::StreamSource;

#[derive(Debug)]
pub(super) struct SimJournal {
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
        if kind != RecordKind::Journal {
            return Ok(Stored::GivenUp);
        }
        let batch = self.ownership.borrow_mut().append(self.game, self.epoch, bytes);
        Ok(match self.sabotage {
            Some("shown") => Stored::Yes,
            _ => Stored::With(Commit(batch.0)),
        })
    }

    fn prove(&mut self) -> io::Result<Stored> {
        if self.sabotage == Some("join") {
            return Ok(Stored::Yes);
        }
        let batch = self.ownership.borrow_mut().prove(self.game, self.epoch);
        Ok(Stored::With(Commit(batch.0)))
    }

    fn is_ready(&self) -> bool {
        self.sabotage == Some("proof")
            || self.ownership.borrow().may_act(self.clock.get(), self.game)
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

    /// Gives the game a command, which may have to wait.
    pub(super) fn handle(&mut self, now: Timestamp, command: GameCommand) {
        match command {
            GameCommand::Detach(connection) => drop(self.sources.remove(&connection)),
            _ => self.has_acted |= self.hosted.is_ready() && self.is_open(),
        }
        self.hosted.handle(now, command);
    }

    /// A commit is done: commands that waited act, unless the game is still not known to be ours.
    pub(super) fn handle_stored(&mut self, now: Timestamp, commit: Commit) {
        let waited = !self.hosted.is_ready();
        self.hosted.handle(now, GameCommand::Stored(commit));
        self.has_acted |= waited && self.hosted.is_ready() && self.is_open();
    }

    /// A connection reads from now on, behind what it has.
    pub(super) fn read_for(
        &mut self,
        to: ConnectionId,
        attached: &Attached,
        since: Option<&Since>,
    ) {
        self.sources.insert(to, StreamSource::new(attached, since));
    }

    /// Everything that is new for connections.
    pub(super) fn read(&mut self, now: Timestamp) -> Vec<(ConnectionId, String)> {
        let mut texts = Vec::new();
        for (to, source) in &mut self.sources {
            texts.extend(source.read(now).map(|text| (*to, text)));
        }
        texts
    }
}
