//! A small model of a transactional database with a synchronous standby. A statement takes its snapshot when it begins, locks
//! rows when it executes, and is durable, on the standby, visible and answered one after the other; anything may happen in
//! between. It knows statements and rows, but no node and no time of its own.

mod batch;
mod tables;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use nuggets_host::GameId;
use nuggets_host::cluster::ownership::{Answer, GameRow, JournalRows, NodeRow, Statement};
use nuggets_host::cluster::routes::{Epoch, Member, RunId};
use nuggets_time::Timestamp;

pub(super) use tables::{Change, Tables};

pub(super) type TxId = u64;

/// Something that a node asks for.
#[derive(Clone, Debug)]
pub(super) enum DatabaseRequest {
    Ownership(Statement),
    /// Stores name, run and address of a node that starts.
    Register,
    Create(GameId),
    /// Stores the results of a game and removes its journal.
    Finish(GameId, Epoch),
    /// The owner of one game.
    ReadOwner(GameId),
}

impl DatabaseRequest {
    pub(super) fn is_commit(&self) -> bool {
        matches!(self, Self::Ownership(Statement::Commit(_)))
    }
}

/// A statement on its way to the database, or not answered yet.
#[derive(Clone, Debug)]
pub(super) struct SentStatement {
    pub(super) node: usize,
    pub(super) target: DatabaseTarget,
    pub(super) who: Member,
    pub(super) request: DatabaseRequest,
    /// The time at which it was sent.
    pub(super) at: Timestamp,
}

#[derive(Clone, Debug)]
pub(super) enum DatabaseReply {
    Ownership(Answer),
    /// False if it was not done: the game has another owner.
    Done(bool),
    Owner(Option<GameRow>),
}

/// The progress of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TxPhase {
    Begun,
    /// It has locked its rows and decided what to change.
    Executed,
    /// Durable here, but not on the standby.
    Flushed,
    /// On the standby, too.
    Replicated,
}

/// The next thing to do with a statement.
#[derive(Debug)]
pub(super) enum StatementStep {
    Next,
    /// A row is locked by another: try again.
    Blocked,
    Done(Box<DatabaseReply>),
    /// It does not exist any more.
    Gone,
}

/// A row that a statement has locked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Lock {
    Node(String),
    Game(GameId),
}

#[derive(Debug)]
struct Tx {
    who: Member,
    request: DatabaseRequest,
    phase: TxPhase,
    began: Timestamp,
    /// The version of the tables when it began.
    snapshot: u64,
    /// Games that it read when it began.
    games: Vec<GameRow>,
    locks: BTreeSet<Lock>,
    changes: Vec<Change>,
    reply: Option<DatabaseReply>,
    /// Games for which it proves an epoch.
    proves: Vec<(GameId, Epoch)>,
}

#[derive(Debug, Default)]
struct DatabaseServer {
    tables: Tables,
    locks: BTreeMap<Lock, TxId>,
    txs: BTreeMap<TxId, Tx>,
}

/// The server that answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DatabaseTarget {
    Primary,
    /// An old primary that was cut off. It answers reads and never a write.
    OldPrimary,
}

#[derive(Debug, Default)]
pub(super) struct Database {
    primary: DatabaseServer,
    old: Option<DatabaseServer>,
    /// The standby: whatever is acknowledged is there.
    standby: Tables,
    /// Nothing reaches the standby any more.
    pub(super) is_standby_gone: bool,
    /// Changes that are durable but not on the standby yet, in order.
    wal: VecDeque<(TxId, Vec<Change>)>,
    last_tx: TxId,
    sabotage: Option<&'static str>,
    /// The time at which the last commit began that proved an epoch.
    pub(super) proofs: BTreeMap<(GameId, Epoch, RunId), Timestamp>,
    /// The times at which each run renewed its lease.
    pub(super) renewals: BTreeMap<RunId, Vec<Timestamp>>,
    /// The highest lease of each run that any look may have seen.
    highest: BTreeMap<RunId, u64>,
    /// Claims that were committed: the game, and the owner before.
    pub(super) claims: Vec<(GameId, RunId)>,
    /// Journals as they were when a claim arrived, for a sabotaged run.
    early: BTreeMap<GameId, JournalRows>,
}

impl Database {
    pub(super) fn new(sabotage: Option<&'static str>) -> Self {
        Self { sabotage, ..Self::default() }
    }

    /// The tables that survive whatever happens.
    pub(super) fn durable(&self) -> &Tables {
        &self.standby
    }

    pub(super) fn next_id(&mut self) -> TxId {
        self.last_tx += 1;
        self.last_tx
    }

    fn is_sabotaged(&self, what: &str) -> bool {
        self.sabotage == Some(what)
    }

    /// A statement arrives. False if that server is gone.
    pub(super) fn begin(&mut self, now: Timestamp, tx: TxId, asked: SentStatement) -> bool {
        let SentStatement { target, who, request, .. } = asked;
        if let DatabaseRequest::Ownership(Statement::Claim(row)) = &request {
            self.early.insert(row.game, self.primary.tables.journal_rows(row.game));
        }
        let Some(server) = self.server(target) else { return false };
        let games = match &request {
            DatabaseRequest::Ownership(Statement::ScanGames) => server.tables.game_rows(),
            _ => vec![],
        };
        let begun = Tx {
            who,
            request,
            phase: TxPhase::Begun,
            began: now,
            snapshot: server.tables.version,
            games,
            locks: BTreeSet::new(),
            changes: vec![],
            reply: None,
            proves: vec![],
        };
        server.txs.insert(tx, begun);
        true
    }

    fn server(&mut self, target: DatabaseTarget) -> Option<&mut DatabaseServer> {
        match target {
            DatabaseTarget::Primary => Some(&mut self.primary),
            DatabaseTarget::OldPrimary => self.old.as_mut(),
        }
    }

    /// Takes a statement one step further.
    pub(super) fn step(&mut self, now: Timestamp, tx: TxId) -> StatementStep {
        if let Some(old) = &mut self.old
            && old.txs.contains_key(&tx)
        {
            return old.step_cut_off(tx, self.sabotage == Some("comparison"));
        }
        let Some(mut it) = self.primary.txs.remove(&tx) else { return StatementStep::Gone };
        let step = match it.phase {
            TxPhase::Begun => self.execute(tx, &mut it),
            TxPhase::Executed => {
                self.wal.push_back((tx, it.changes.clone()));
                it.phase = TxPhase::Flushed;
                StatementStep::Next
            }
            TxPhase::Flushed if self.is_standby_gone => StatementStep::Blocked,
            TxPhase::Flushed => {
                self.replicate(now, tx);
                it.phase = TxPhase::Replicated;
                StatementStep::Next
            }
            TxPhase::Replicated => return self.finish(tx, it),
        };
        match step {
            StatementStep::Done(_) => {}
            _ => drop(self.primary.txs.insert(tx, it)),
        }
        step
    }

    fn execute(&mut self, tx: TxId, it: &mut Tx) -> StatementStep {
        if let Some(reply) = self.read(it) {
            return StatementStep::Done(Box::new(reply));
        }
        if self.write(tx, it) {
            it.phase = TxPhase::Executed;
            self.primary.locks.extend(it.locks.iter().map(|lock| (lock.clone(), tx)));
            StatementStep::Next
        } else {
            StatementStep::Blocked
        }
    }

    fn read(&self, it: &Tx) -> Option<DatabaseReply> {
        if let DatabaseRequest::Ownership(Statement::ReadJournal { game, .. }) = &it.request
            && self.is_sabotaged("read")
            && let Some(early) = self.early.get(game)
        {
            return Some(DatabaseReply::Ownership(Answer::Journal(early.clone())));
        }
        self.primary.read(it, self.is_sabotaged("comparison"))
    }

    /// Everything up to this statement is on the standby.
    fn replicate(&mut self, now: Timestamp, tx: TxId) {
        let Some(end) = self.wal.iter().position(|(id, _)| *id == tx) else { return };
        for (_, changes) in self.wal.drain(..=end) {
            for change in &changes {
                if let Change::Node(row) = change {
                    // If one like it was seen and lost before, no look sees this one.
                    let highest = self.highest.get(&row.member.run);
                    if highest.is_none_or(|highest| *highest < row.renewal) {
                        self.renewals.entry(row.member.run).or_default().push(now);
                    }
                }
            }
            self.standby.apply(&changes);
        }
    }

    /// Applies changes to the primary, where looks see them even if they are lost later.
    fn show(&mut self, changes: &[Change]) {
        self.primary.tables.apply(changes);
        for change in changes {
            if let Change::Node(row) = change {
                let highest = self.highest.entry(row.member.run).or_default();
                *highest = row.renewal.max(*highest);
            }
        }
    }

    fn finish(&mut self, tx: TxId, it: Tx) -> StatementStep {
        self.show(&it.changes);
        self.primary.locks.retain(|_, holder| *holder != tx);
        for (game, epoch) in it.proves {
            // An earlier try may be committed after a later one.
            let proof = self.proofs.entry((game, epoch, it.who.run)).or_insert(it.began);
            *proof = it.began.max(*proof);
        }
        for change in &it.changes {
            if let Change::Claim { game, before, .. } = change {
                self.claims.push((*game, *before));
            }
        }
        StatementStep::Done(Box::new(it.reply.unwrap_or(DatabaseReply::Done(true))))
    }

    /// The wait for the standby is cancelled: the commit is visible and answered with a warning. None if the statement
    /// does not wait for it.
    pub(super) fn cancel_wait(&mut self) -> Option<(TxId, StatementStep)> {
        let waits = |it: &Tx| it.phase == TxPhase::Flushed && it.request.is_commit();
        let tx = *self.primary.txs.iter().find(|(_, it)| waits(it))?.0;
        let it = self.primary.txs.remove(&tx)?;
        Some((tx, self.finish(tx, it)))
    }

    /// The server is restarted: what was durable is committed, the rest is not.
    pub(super) fn restart(&mut self) {
        let flushed = |it: &Tx| matches!(it.phase, TxPhase::Flushed | TxPhase::Replicated);
        for (_, it) in std::mem::take(&mut self.primary.txs) {
            if flushed(&it) {
                self.show(&it.changes);
            }
        }
        self.primary.locks.clear();
    }

    /// The standby becomes the primary; the old one is cut off and does not know it.
    pub(super) fn fail_over(&mut self) {
        let tables = self.standby.clone();
        let new = DatabaseServer { tables, ..DatabaseServer::default() };
        self.old = Some(std::mem::replace(&mut self.primary, new));
        self.wal.clear();
        self.is_standby_gone = false;
    }

    /// The old primary is switched off.
    pub(super) fn fence_old(&mut self) {
        self.old = None;
    }

    /// Tables as an asynchronous standby has them now.
    pub(super) fn copy(&self) -> Tables {
        self.primary.tables.clone()
    }

    /// Fails over to a standby that lacks acknowledged records.
    pub(super) fn lose_records(&mut self, copy: Tables) {
        self.standby = copy;
        self.fail_over();
        self.fence_old();
    }
}

impl DatabaseServer {
    /// The answer to a statement that only reads.
    fn read(&self, it: &Tx, is_unlocked: bool) -> Option<DatabaseReply> {
        let tables = &self.tables;
        let answer = match &it.request {
            DatabaseRequest::ReadOwner(game) => {
                return Some(DatabaseReply::Owner(tables.row(*game)));
            }
            DatabaseRequest::Ownership(Statement::ScanNodes) => Answer::Nodes(tables.nodes()),
            DatabaseRequest::Ownership(Statement::ScanGames) => {
                Answer::Games { games: it.games.clone(), runs: tables.runs() }
            }
            DatabaseRequest::Ownership(Statement::ReadJournal { game, .. }) if is_unlocked => {
                Answer::Journal(tables.journal_rows(*game))
            }
            _ => return None,
        };
        Some(DatabaseReply::Ownership(answer))
    }

    /// An old primary answers what only reads; everything else waits for its standby and is never answered.
    fn step_cut_off(&mut self, tx: TxId, is_unlocked: bool) -> StatementStep {
        let reply = self.txs.get(&tx).and_then(|it| self.read(it, is_unlocked));
        match reply {
            Some(reply) => {
                self.txs.remove(&tx);
                StatementStep::Done(Box::new(reply))
            }
            None => StatementStep::Gone,
        }
    }
}
