//! Statements that write: the group commit with its fence, and everything that changes the owner of a game.

use nuggets_host::GameId;
use nuggets_host::cluster::ownership::{
    Answer, Appended, Batch, BatchAnswer, BatchEntry, CommitRow, GameRow, Statement,
};
use nuggets_host::cluster::routes::{Epoch, RunId};

use super::tables::{Change, JournalRow};
use super::{Database, DatabaseReply, DatabaseRequest, Lock, NodeRow, Tx, TxId};

impl Database {
    /// Locks rows and decides what to change. False if it must wait for a lock.
    pub(super) fn write(&self, tx: TxId, it: &mut Tx) -> bool {
        let (me, node) = (it.who.run, Lock::Node(it.who.name.clone()));
        let stored = |game| self.primary.tables.row(game);
        let (lock, change, reply) = match it.request.clone() {
            DatabaseRequest::Register => {
                let row = NodeRow { member: it.who.clone(), renewal: 0, is_draining: false };
                (node, Some(Change::Node(row)), DatabaseReply::Done(true))
            }
            DatabaseRequest::Create(game) => {
                let row = GameRow { game, run: me, epoch: Epoch(1), is_over: false };
                (Lock::Game(game), Some(Change::Game(row)), DatabaseReply::Done(true))
            }
            // Results, once: a repetition finds that they are stored.
            DatabaseRequest::Finish(game, epoch) => {
                let old = GameRow { game, run: me, epoch, is_over: false };
                let over = GameRow { is_over: true, ..old };
                let is_stored = stored(game) == Some(over);
                let is_done =
                    stored(game) == Some(old) || self.is_sabotaged("results") && is_stored;
                let change = is_done.then_some(Change::Finish(over));
                (Lock::Game(game), change, DatabaseReply::Done(is_done || is_stored))
            }
            DatabaseRequest::Ownership(Statement::Commit(batch)) => {
                return self.write_batch(tx, it, &batch);
            }
            DatabaseRequest::Ownership(Statement::ReadJournal { game, epoch }) => {
                return self.read_locked(tx, it, game, epoch);
            }
            DatabaseRequest::Ownership(statement) => match self.change_owner(it, statement) {
                Some((lock, change, answer)) => (lock, change, DatabaseReply::Ownership(answer)),
                None => return true,
            },
            DatabaseRequest::ReadOwner(_) => return true,
        };
        if self.is_locked(tx, &lock) {
            return false;
        }
        if let Some(change) = change {
            it.locks.insert(lock);
            it.changes.push(change);
        }
        it.reply = Some(reply);
        true
    }

    /// The row to lock, the change if it still is the expected one, and the answer.
    fn change_owner(
        &self,
        it: &Tx,
        statement: Statement,
    ) -> Option<(Lock, Option<Change>, Answer)> {
        let me = it.who.run;
        let is_stored = |old: GameRow| self.primary.tables.row(old.game) == Some(old);
        Some(match statement {
            Statement::RemoveNode => {
                let name = it.who.name.clone();
                let remove = || Change::RemoveNode(name.clone());
                (Lock::Node(name.clone()), self.has_lease(it).then(remove), Answer::Done)
            }
            Statement::Claim(old) => {
                let raised = u64::from(!self.is_sabotaged("epoch"));
                let row = GameRow { run: me, epoch: Epoch(old.epoch.0 + raised), ..old };
                let change = Change::Claim { game: old.game, before: old.run, row };
                let is_done = is_stored(old);
                let answer = Answer::Claimed(is_done.then_some(row.epoch));
                (Lock::Game(old.game), is_done.then_some(change), answer)
            }
            Statement::Release { game, epoch, to } => {
                let run = to.map_or(RunId(0), |to| to.run);
                let old = GameRow { game, run: me, epoch, is_over: false };
                let row = GameRow { run, epoch: Epoch(epoch.0 + 1), ..old };
                let is_done = is_stored(old);
                let change = is_done.then_some(Change::Game(row));
                (Lock::Game(game), change, Answer::Released(is_done))
            }
            Statement::Forget(old) => {
                let change = is_stored(old).then_some(Change::RemoveGame(old.game));
                (Lock::Game(old.game), change, Answer::Done)
            }
            _ => return None,
        })
    }

    /// Reads a journal under the lock of its game. An error if the game is not ours.
    fn read_locked(&self, tx: TxId, it: &mut Tx, game: GameId, epoch: Epoch) -> bool {
        let lock = Lock::Game(game);
        if self.is_locked(tx, &lock) {
            return false;
        }
        it.locks.insert(lock);
        let is_ours = |row: &GameRow| (row.run, row.epoch) == (it.who.run, epoch);
        it.reply = Some(if self.primary.tables.row(game).as_ref().is_some_and(is_ours) {
            DatabaseReply::Ownership(Answer::Journal(self.primary.tables.journal_rows(game)))
        } else {
            DatabaseReply::Done(false)
        });
        true
    }

    fn is_locked(&self, tx: TxId, lock: &Lock) -> bool {
        self.primary.locks.get(lock).is_some_and(|holder| *holder != tx)
    }

    fn has_lease(&self, it: &Tx) -> bool {
        let row = self.primary.tables.nodes.get(&it.who.name);
        row.is_some_and(|row| row.member.run == it.who.run)
    }

    fn write_batch(&self, tx: TxId, it: &mut Tx, batch: &Batch) -> bool {
        let has_lease = self.has_lease(it);
        if batch.is_renewal && has_lease {
            let Some(row) = self.primary.tables.nodes.get(&it.who.name) else { return true };
            let renewed = NodeRow { renewal: row.renewal + 1, ..row.clone() };
            let lock = Lock::Node(it.who.name.clone());
            if self.is_locked(tx, &lock) {
                return false;
            }
            it.locks.insert(lock);
            it.changes.push(Change::Node(renewed));
        }
        let mut games = Vec::new();
        for entry in &batch.entries {
            let result = self.append(tx, it, entry);
            if result == Appended::Yes {
                it.proves.push((entry.game, entry.epoch));
            }
            games.push((entry.game, result));
        }
        let has_lease = has_lease || !batch.is_renewal;
        it.reply =
            Some(DatabaseReply::Ownership(Answer::Committed(BatchAnswer { has_lease, games })));
        true
    }

    /// Appends to the journal of one game, if its row is ours and not locked by another statement. Production decides what
    /// the columns of the answer mean.
    fn append(&self, tx: TxId, it: &mut Tx, entry: &BatchEntry) -> Appended {
        let lock = Lock::Game(entry.game);
        let row = self.primary.tables.games.get(&entry.game);
        let is_mine =
            |row: &GameRow| (row.run, row.epoch) == (it.who.run, entry.epoch) && !row.is_over;
        let is_ours = row.is_some_and(|(_, row)| is_mine(row));
        // A row that has changed since the snapshot was ours before.
        let was_ours = row.is_some_and(|(version, row)| is_mine(row) || *version > it.snapshot);
        let (is_locked, was_ours) = if self.is_sabotaged("lock") {
            // The snapshot says who owns the game, and nothing keeps that from changing before the commit.
            (was_ours, was_ours)
        } else {
            (is_ours && !self.is_locked(tx, &lock), was_ours)
        };
        if is_locked && !self.is_sabotaged("lock") {
            it.locks.insert(lock);
        }
        let has_predecessor = entry.row > 0 && self.has_predecessor(it, entry);
        let is_next = entry.row == 0 || has_predecessor;
        let row = CommitRow {
            is_locked,
            is_added: is_locked && is_next && self.insert(it, entry),
            was_ours,
            is_same: self.compare(it, entry),
            has_predecessor,
        };
        row.result(entry)
    }

    fn stored(&self, game: GameId, row: u64) -> Option<&JournalRow> {
        self.primary.tables.journal.get(&game)?.get(&row)
    }

    /// True if the row before is in the snapshot and of the epoch that the node knows.
    fn has_predecessor(&self, it: &Tx, entry: &BatchEntry) -> bool {
        let is_it = |stored: &JournalRow| {
            stored.version <= it.snapshot && stored.epoch == entry.predecessor
        };
        self.is_sabotaged("predecessor")
            || self.stored(entry.game, entry.row - 1).is_some_and(is_it)
    }

    /// Adds a row, unless there is one with this number.
    fn insert(&self, it: &mut Tx, entry: &BatchEntry) -> bool {
        let is_new = !entry.bytes.is_empty() && self.stored(entry.game, entry.row).is_none();
        if is_new {
            let BatchEntry { game, row, epoch, ref bytes, .. } = *entry;
            let (run, bytes) = (it.who.run, bytes.clone());
            it.changes.push(Change::Journal { game, row, epoch, run, bytes });
        }
        is_new
    }

    /// True if the row that is stored in the snapshot is the same; none if there is none.
    fn compare(&self, it: &Tx, entry: &BatchEntry) -> Option<bool> {
        let stored = self.stored(entry.game, entry.row)?;
        if self.is_sabotaged("comparison") {
            return (!entry.bytes.is_empty()).then_some(true);
        }
        let is_same = (stored.epoch, &stored.bytes) == (entry.epoch, &entry.bytes);
        (stored.version <= it.snapshot).then_some(is_same)
    }
}
