//! A game at its owner: orders wait while it is not known to be ours, and answers wait for their commit. The journal goes to
//! the group commit of the node.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::rc::{Rc, Weak};

use nuggets_server::{Commit, RecordKind, Storage, Stored};
use nuggets_time::Timestamp;

use super::sabotage::ClusterSabotage;
use crate::host::Source;
use nuggets_host::cluster::ownership::Ownership;
use nuggets_host::cluster::routes::Epoch;
use nuggets_host::{Attach, AttachError, Attached, ConnectionId, GameId, HostedGame};
use nuggets_protocol::web::Since;

/// The journal of a game in a cluster.
#[derive(Debug)]
pub(super) struct SimJournal {
    pub(super) ownership: Rc<RefCell<Ownership>>,
    /// The clock of the node.
    pub(super) clock: Rc<Cell<Timestamp>>,
    pub(super) game: GameId,
    pub(super) epoch: Epoch,
    pub(super) sabotage: Option<ClusterSabotage>,
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
            Some(ClusterSabotage::ShownEarly) => Stored::Yes,
            _ => Stored::With(Commit(batch.0)),
        })
    }

    fn prove(&mut self) -> io::Result<Stored> {
        if self.sabotage == Some(ClusterSabotage::NoJoinProof) {
            return Ok(Stored::Yes);
        }
        let batch = self.ownership.borrow_mut().prove(self.game, self.epoch);
        Ok(Stored::With(Commit(batch.0)))
    }

    fn is_ready(&self) -> bool {
        self.sabotage == Some(ClusterSabotage::NoProof)
            || self.ownership.borrow().may_act(self.clock.get(), self.game)
    }
}

/// An input of a game.
#[derive(Debug)]
pub(super) enum Order {
    Attach(Box<Attach>),
    Key(ConnectionId, char),
    Detach(ConnectionId),
}

/// An output of a game.
#[derive(Debug)]
pub(super) enum CellOutput {
    /// An input acts now.
    Acts,
    /// The answer to a connection.
    Answer(ConnectionId, Box<Result<Attached, AttachError>>),
}

/// A game at its owner.
#[derive(Debug)]
pub(super) struct GameCell {
    pub(super) hosted: HostedGame<SimJournal>,
    pub(super) epoch: Epoch,
    pub(super) opened_at: Timestamp,
    pub(super) outputs: VecDeque<CellOutput>,
    waiting: VecDeque<Order>,
    answers: VecDeque<(Commit, ConnectionId, Result<Attached, AttachError>)>,
    sources: BTreeMap<ConnectionId, Source>,
    is_open: Weak<()>,
}

impl GameCell {
    pub(super) fn new(
        hosted: HostedGame<SimJournal>,
        epoch: Epoch,
        opened_at: Timestamp,
        is_open: Weak<()>,
    ) -> Self {
        Self {
            is_open,
            hosted,
            epoch,
            opened_at,
            outputs: VecDeque::new(),
            waiting: VecDeque::new(),
            answers: VecDeque::new(),
            sources: BTreeMap::new(),
        }
    }

    /// False once the game is over and its journal is complete.
    pub(super) fn is_open(&self) -> bool {
        self.is_open.strong_count() > 0
    }

    /// True if the next order may be carried out.
    pub(super) fn is_ready(&self) -> bool {
        self.waiting.is_empty() && self.hosted.is_ready()
    }

    /// Carries out an order, or lets it wait.
    pub(super) fn handle(&mut self, now: Timestamp, order: Order) {
        if !self.is_ready() {
            self.waiting.push_back(order);
            let _ = self.hosted.prove();
            return;
        }
        if !matches!(order, Order::Detach(_)) && self.is_open() {
            self.outputs.push_back(CellOutput::Acts);
        }
        match order {
            Order::Attach(attach) => {
                let attached = self.hosted.attach(now, &attach);
                match self.hosted.prove() {
                    Some(commit) => {
                        self.answers.push_back((commit, attach.connection, attached));
                    }
                    None => self.answer(attach.connection, attached),
                }
            }
            Order::Key(connection, key) => self.hosted.key(now, connection, key),
            Order::Detach(connection) => {
                self.sources.remove(&connection);
                self.answers.retain(|(_, to, _)| *to != connection);
                self.hosted.detach(now, connection);
            }
        }
    }

    fn answer(&mut self, to: ConnectionId, attached: Result<Attached, AttachError>) {
        self.outputs.push_back(CellOutput::Answer(to, Box::new(attached)));
    }

    /// A commit is done: what waited for it goes out, then the orders that waited are carried out.
    pub(super) fn handle_stored(&mut self, now: Timestamp, commit: Commit) {
        self.hosted.handle_stored(now, commit);
        while self.answers.front().is_some_and(|(awaited, ..)| *awaited <= commit)
            && let Some((_, to, attached)) = self.answers.pop_front()
        {
            self.answer(to, attached);
        }
        for order in std::mem::take(&mut self.waiting) {
            self.handle(now, order);
        }
    }

    /// A connection reads from now on, behind what it has.
    pub(super) fn read_for(
        &mut self,
        to: ConnectionId,
        attached: &Attached,
        since: Option<&Since>,
    ) {
        let stream = attached.stream.clone();
        let position = stream.lock().position(since);
        let audience = attached.audience;
        self.sources.insert(to, Source { stream, audience, position, delay_ms: 0 });
    }

    /// Everything that is new for connections.
    pub(super) fn read(&mut self, now: Timestamp) -> Vec<(ConnectionId, String)> {
        let mut texts = Vec::new();
        for (to, source) in &mut self.sources {
            if let Some(read) = source.stream.read(source.position, now, source.audience) {
                source.position = read.position;
                texts.push((*to, read.text));
            }
        }
        while let Some((to, line)) = self.hosted.poll_direct() {
            texts.extend(serde_json::to_string(&line).map(|text| (to, text)));
        }
        texts
    }
}
