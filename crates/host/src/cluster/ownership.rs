//! The games that this node runs: leases, claims, the group commit of their journals, and handing them over. Pure: statements and
//! events out, answers in, time as an argument. It knows no database, no game and no connection; the shell and the simulation
//! drive it alike.
//!
//! The contract: after every call drain `poll_statement` and `poll_event`; `poll_timeout` says when to call `handle_timeout`. Every
//! statement is answered once, by `handle_answer`; one that failed, or whose answer was lost, is answered with `None`.
//!
//! Safety rests on one thing: the statement of a batch locks the rows of its games and appends only where run and epoch are
//! still ours. Leases decide who tries to claim a game, never who may write.

mod event;
mod failover;
mod group_commit;
mod leases;
mod leaving;
mod statement;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use nuggets_time::Timestamp;

use crate::GameId;
use crate::cluster::routes::{Epoch, Member, RunId};
pub use event::{Closing, NodeEvent, Opening};
use failover::Orphan;
use group_commit::{Answered, AppendResult, GroupCommit};
pub use group_commit::{Appended, Batch, BatchAnswer, BatchEntry, BatchNumber, CommitRow};
use leases::Leases;
pub use leases::NodeRow;
use leaving::HandOver;
pub use statement::{Answer, GameRow, JournalRows, Statement};

/// A node renews its lease at least this often.
const RENEW_MS: u64 = 300;
/// The nodes are read this often.
pub(super) const SCAN_MS: u64 = 250;
/// The owners of all games are read this often.
const GAMES_SCAN_MS: u64 = 1_000;
/// A node whose lease was not renewed for this long has lost its games.
pub(super) const LEASE_MS: u64 = 1_500;
/// Keys act only if a commit that began within this time was answered. It must be shorter than the lease.
const PROOF_MS: u64 = 1_000;
/// A statement that failed, other than a commit, is sent again after this time.
const RETRY_MS: u64 = 200;
/// After this time without an answered commit, people are notified that their games wait.
const UNAVAILABLE_MS: u64 = 2_000;

/// The batch of what is never stored.
const NEVER: BatchNumber = BatchNumber(u64::MAX);

/// A game that this node owns.
#[derive(Debug)]
struct OwnedGame {
    epoch: Epoch,
    stage: GameStage,
    /// False after a time without commits, until one has proved the epoch.
    is_proven: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum GameStage {
    /// Its journal is being read.
    Reading(Opening),
    /// It runs.
    Open,
    /// It is handed over.
    Leaving(HandOver),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeStage {
    Serving,
    /// It hands all games over; then it stops.
    Leaving,
    Stopped,
}

/// The decisions of one node.
#[derive(Debug)]
pub struct Ownership {
    me: Member,
    stage: NodeStage,
    games: BTreeMap<GameId, OwnedGame>,
    commit: GroupCommit,
    leases: Leases,
    orphans: BTreeMap<GameId, Orphan>,
    /// Games that this node has let go of, with the last epoch in which they were ours: a row that was read earlier may
    /// still say that they are.
    relinquished: BTreeMap<GameId, Epoch>,
    /// Games that are being stored for the first time.
    creating: BTreeSet<GameId>,
    /// Games that are claimed again because the database has lost records of them.
    lost: BTreeSet<GameId>,
    renew_at: Timestamp,
    /// Keys act until then.
    proven_until: Timestamp,
    is_available: bool,
    /// It can accept connections.
    has_descriptors: bool,
    nodes_scan: Scan,
    games_scan: Scan,
    statements: VecDeque<Statement>,
    /// Statements that failed, and when they are sent again.
    retries: VecDeque<(Timestamp, Statement)>,
    events: VecDeque<NodeEvent>,
}

/// A statement that is repeated.
#[derive(Clone, Copy, Debug)]
struct Scan {
    due: Timestamp,
    is_under_way: bool,
}

impl Scan {
    /// True if it is to be sent now.
    fn begin(&mut self, now: Timestamp) -> bool {
        let begins = !self.is_under_way && self.due <= now;
        self.is_under_way |= begins;
        begins
    }

    fn end(&mut self, now: Timestamp, every_ms: u64) {
        *self = Self { due: now.after(every_ms), is_under_way: false };
    }
}

impl Ownership {
    /// A node that has just stored its name, run and address.
    pub fn new(now: Timestamp, me: Member) -> Self {
        let scan = Scan { due: now, is_under_way: false };
        Self {
            me,
            stage: NodeStage::Serving,
            games: BTreeMap::new(),
            commit: GroupCommit::default(),
            leases: Leases::default(),
            orphans: BTreeMap::new(),
            relinquished: BTreeMap::new(),
            creating: BTreeSet::new(),
            lost: BTreeSet::new(),
            renew_at: now,
            proven_until: now.after(PROOF_MS),
            is_available: true,
            has_descriptors: true,
            nodes_scan: scan,
            games_scan: scan,
            statements: VecDeque::new(),
            retries: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    /// A new game is about to be stored with this node as its owner: until the answer, its row is not taken for one that was
    /// handed over to us.
    pub fn handle_creating(&mut self, game: GameId) {
        self.creating.insert(game);
    }

    /// A new game was stored with this node as its owner.
    pub fn handle_created(&mut self, game: GameId, epoch: Epoch) {
        self.creating.remove(&game);
        self.games.insert(game, OwnedGame { epoch, stage: GameStage::Open, is_proven: true });
        self.commit.open(game, epoch, &JournalRows::default());
        if self.stage != NodeStage::Serving {
            self.hand_over(game);
        }
    }

    /// A new game could not be stored, or it is not known: its creator gets an error. If it was stored, it is removed later.
    pub fn handle_create_failed(&mut self, game: GameId) {
        self.creating.remove(&game);
    }

    /// Adds records to the journal of a game. Output that shows them waits for the batch; one that is never stored if the
    /// game is not ours any more.
    pub fn append(&mut self, game: GameId, epoch: Epoch, bytes: &[u8]) -> BatchNumber {
        let is_leaving = |owned: &OwnedGame| matches!(owned.stage, GameStage::Leaving(_));
        if bytes.is_empty() && self.games.get(&game).is_some_and(is_leaving) {
            // Its last records are all that it still waits for.
            return NEVER;
        }
        self.commit.append(game, epoch, bytes).unwrap_or(NEVER)
    }

    /// True if the next record must be announced: no batch or deadline is waited for anyway.
    pub(crate) fn is_idle(&self) -> bool {
        self.commit.is_idle()
    }

    /// The batch that proves that the game is still ours: it begins after this call.
    pub fn prove(&mut self, game: GameId, epoch: Epoch) -> BatchNumber {
        self.append(game, epoch, &[])
    }

    /// True if keys of this game may act now.
    pub fn may_act(&self, now: Timestamp, game: GameId) -> bool {
        let is_open = |game: &OwnedGame| game.stage == GameStage::Open && game.is_proven;
        self.games.get(&game).is_some_and(is_open) && now < self.proven_until
    }

    /// The results of a game are stored, so its journal is gone. The game stays in memory for its people.
    pub fn handle_finished(&mut self, game: GameId) {
        self.remove_owned(game);
        self.stop_if_empty();
    }

    /// The epoch of a game that this node runs.
    pub(crate) fn epoch(&self, game: GameId) -> Option<Epoch> {
        self.games.get(&game).map(|owned| owned.epoch)
    }

    /// The other nodes that live.
    pub fn living(&self) -> impl Iterator<Item = &NodeRow> {
        self.leases.living()
    }

    /// The time for which the lease of a living node was seen unrenewed; our own is always fresh.
    pub(crate) fn unrenewed_ms(&self, run: RunId) -> Option<u64> {
        if run == self.me.run { Some(0) } else { self.leases.unrenewed_ms(run) }
    }

    /// The number of games with records that are not stored yet.
    pub(crate) fn waiting(&self) -> usize {
        self.commit.waiting()
    }

    /// Handles what is due.
    pub fn handle_timeout(&mut self, now: Timestamp) {
        while self.retries.front().is_some_and(|(due, _)| *due <= now) {
            self.statements.extend(self.retries.pop_front().map(|(_, statement)| statement));
        }
        if self.stage == NodeStage::Stopped {
            return;
        }
        if self.nodes_scan.begin(now) {
            self.statements.push_back(Statement::ScanNodes);
        }
        if self.games_scan.begin(now) {
            self.statements.push_back(Statement::ScanGames);
        }
        self.claim_orphans(now);
        self.note_availability(now);
    }

    /// The next time to call `handle_timeout` and `poll_statement`.
    pub fn poll_timeout(&self, now: Timestamp) -> Option<Timestamp> {
        let retry = self.retries.front().map(|(due, _)| *due);
        if self.stage == NodeStage::Stopped {
            return retry;
        }
        let scans = [self.nodes_scan, self.games_scan].into_iter();
        let scans = scans.filter(|scan| !scan.is_under_way).map(|scan| scan.due);
        let commit = self.commit.due(now, self.renew_at);
        let unavailable = self.is_available.then(|| self.unavailable_at());
        scans.chain(commit).chain(unavailable).chain(self.next_claim(now)).chain(retry).min()
    }

    /// The next statement to send.
    pub fn poll_statement(&mut self, now: Timestamp) -> Option<Statement> {
        if let Some(statement) = self.statements.pop_front() {
            return Some(statement);
        }
        if self.stage == NodeStage::Stopped {
            return None;
        }
        let batch = self.commit.poll(now, self.renew_at)?;
        if batch.is_renewal {
            self.renew_at = now.after(RENEW_MS);
        }
        Some(Statement::Commit(batch))
    }

    /// The next thing to do.
    pub fn poll_event(&mut self) -> Option<NodeEvent> {
        self.events.pop_front()
    }

    /// A statement was answered; with `None` if it failed, or if it is not known whether it was carried out.
    pub fn handle_answer(&mut self, now: Timestamp, statement: &Statement, answer: Option<Answer>) {
        match (statement, answer) {
            (Statement::Commit(_), Some(Answer::Committed(answer))) => {
                self.handle_committed(now, &answer);
            }
            (Statement::Commit(_), _) => self.commit.handle_unanswered(now),
            (Statement::ScanNodes, Some(Answer::Nodes(rows))) => self.handle_nodes(now, rows),
            (Statement::ScanNodes, _) => self.nodes_scan.end(now, SCAN_MS),
            (Statement::ScanGames, Some(Answer::Games { games, runs })) => {
                self.handle_games(now, &games, &runs);
            }
            (Statement::ScanGames, _) => self.games_scan.end(now, GAMES_SCAN_MS),
            (Statement::Claim(row), Some(Answer::Claimed(epoch))) => {
                self.handle_claimed(*row, epoch);
            }
            // The next look reads the owner.
            (Statement::Claim(row), _) => self.handle_claim_unanswered(row.game),
            (Statement::ReadJournal { game, epoch }, Some(Answer::Journal(rows))) => {
                self.handle_journal(*game, *epoch, rows);
            }
            (Statement::ReadJournal { game, epoch }, _) if self.epoch(*game) != Some(*epoch) => {}
            (Statement::Release { game, epoch, .. }, Some(Answer::Released(is_done))) => {
                self.handle_released(*game, *epoch, is_done);
            }
            (Statement::RemoveNode, Some(_)) => self.events.push_back(NodeEvent::Stopped),
            // The next look asks again for a node to be removed.
            (Statement::Forget(_), Some(_)) | (Statement::RemoveGoneNode(_), _) => {}
            (
                Statement::ReadJournal { .. }
                | Statement::Release { .. }
                | Statement::Forget(_)
                | Statement::RemoveNode,
                _,
            ) => {
                self.retries.push_back((now.after(RETRY_MS), statement.clone()));
            }
        }
    }

    fn handle_nodes(&mut self, now: Timestamp, rows: Vec<NodeRow>) {
        self.nodes_scan.end(now, SCAN_MS);
        let own = rows.iter().find(|row| row.member.run == self.me.run);
        if own.is_some_and(|row| row.is_draining) {
            self.leave();
        }
        let before: Vec<RunId> = self.leases.living().map(|row| row.member.run).collect();
        self.leases.handle_rows(now, self.me.run, rows);
        if before.iter().any(|run| !self.leases.is_living(*run)) {
            self.games_scan.due = now;
        }
        self.statements.extend(self.leases.gone().cloned().map(Statement::RemoveGoneNode));
    }

    fn handle_committed(&mut self, now: Timestamp, answer: &BatchAnswer) {
        let Some(Answered { began, is_renewal, settled }) = self.commit.handle_answer(now, answer)
        else {
            return;
        };
        if !answer.has_lease {
            return self.expel();
        }
        if !is_renewal && settled.is_empty() {
            // All rows were locked by others: nothing was written, so nothing was committed.
            return;
        }
        let was_unproven = self.proven_until <= now;
        if was_unproven {
            // Others may have claimed any game meanwhile.
            self.games.values_mut().for_each(|game| game.is_proven = false);
            self.commit.prove_all();
        }
        if is_renewal {
            self.leases.note_renewed();
        }
        self.proven_until = self.proven_until.max(began.after(PROOF_MS));
        for settled in settled {
            self.handle_append_result(settled);
        }
        if !self.is_available && now < self.proven_until {
            self.is_available = true;
            self.events.push_back(NodeEvent::Available(true));
        }
    }

    fn handle_append_result(&mut self, settled: AppendResult) {
        let AppendResult { game, what, stored, .. } = settled;
        match what {
            Appended::Yes => {
                if let Some(owned) = self.games.get_mut(&game) {
                    owned.is_proven = true;
                }
                self.events.push_back(NodeEvent::Stored { game, batch: stored });
                self.release_if_stored(game);
            }
            Appended::Superseded => self.lose(game, Closing::Superseded),
            Appended::Lost => self.reopen(game),
            Appended::Skipped => {}
        }
    }

    /// The game is not ours any more.
    fn lose(&mut self, game: GameId, why: Closing) {
        if self.remove_owned(game) {
            self.events.push_back(NodeEvent::Close { game, why });
        }
        self.stop_if_empty();
    }

    /// True if the game was ours.
    fn remove_owned(&mut self, game: GameId) -> bool {
        self.commit.close(game);
        let owned = self.games.remove(&game);
        let epoch = owned.map(|owned| owned.epoch);
        self.relinquished.extend(epoch.map(|epoch| (game, epoch)));
        epoch.is_some()
    }

    /// The game is ours, but the database has lost some of it. It is claimed again: whatever was sent in the old epoch and is
    /// still on its way does not fit to what it will be.
    fn reopen(&mut self, game: GameId) {
        let Some(epoch) = self.epoch(game) else { return };
        self.lose(game, Closing::Reopened);
        if self.stage == NodeStage::Serving {
            self.lost.insert(game);
            let row = GameRow { game, run: self.me.run, epoch, is_over: false };
            self.statements.push_back(Statement::Claim(row));
        }
    }

    fn expel(&mut self) {
        let games: Vec<GameId> = self.games.keys().copied().collect();
        for game in games {
            self.lose(game, Closing::Superseded);
        }
        self.stage = NodeStage::Stopped;
        self.events.push_back(NodeEvent::Expelled);
    }

    fn unavailable_at(&self) -> Timestamp {
        self.proven_until.after(UNAVAILABLE_MS - PROOF_MS)
    }

    fn note_availability(&mut self, now: Timestamp) {
        if self.is_available && now >= self.unavailable_at() {
            self.is_available = false;
            self.events.push_back(NodeEvent::Available(false));
        }
    }
}
