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
        match it.request.clone() {
            DatabaseRequest::Ownership(statement) => self.write_ownership(tx, it, &statement),
            DatabaseRequest::Register => {
                let row = NodeRow { member: it.who.clone(), renewal: 0, is_draining: false };
                self.write_node(tx, it, Change::Node(row))
            }
            DatabaseRequest::Create(game) => {
                let row = GameRow { game, run: it.who.run, epoch: Epoch(1), is_over: false };
                it.changes.push(Change::Game(row));
                it.reply = Some(DatabaseReply::Done(true));
                true
            }
            DatabaseRequest::Finish(game, epoch) => self.write_finish(tx, it, game, epoch),
            DatabaseRequest::ReadOwner(_) => true,
        }
    }

    fn write_ownership(&self, tx: TxId, it: &mut Tx, statement: &Statement) -> bool {
        let me = it.who.run;
        let (old, change) = match statement {
            Statement::Commit(batch) => return self.write_batch(tx, it, batch),
            Statement::RemoveNode => {
                it.reply = Some(DatabaseReply::Ownership(Answer::Done));
                let is_ours = self.has_lease(it);
                let change = Change::RemoveNode(it.who.name.clone());
                return !is_ours || self.write_node(tx, it, change);
            }
            Statement::Claim(old) => {
                let raised = u64::from(!self.is_sabotaged("epoch"));
                let row = GameRow { run: me, epoch: Epoch(old.epoch.0 + raised), ..*old };
                (*old, Change::Claim { game: old.game, before: old.run, row })
            }
            Statement::Release { game, epoch, to } => {
                let run = to.as_ref().map_or(RunId(0), |to| to.run);
                let old = GameRow { game: *game, run: me, epoch: *epoch, is_over: false };
                (old, Change::Game(GameRow { run, epoch: Epoch(epoch.0 + 1), ..old }))
            }
            Statement::Forget(old) => (*old, Change::RemoveGame(old.game)),
            Statement::ReadJournal { game, epoch } => {
                return self.read_locked(tx, it, *game, *epoch);
            }
            _ => return true,
        };
        let Some(is_done) = self.change_game(tx, it, old, change.clone()) else { return false };
        it.reply = Some(DatabaseReply::Ownership(match (statement, change) {
            (Statement::Claim(_), Change::Claim { row, .. }) => {
                Answer::Claimed(is_done.then_some(row.epoch))
            }
            (Statement::Release { .. }, _) => Answer::Released(is_done),
            _ => Answer::Done,
        }));
        true
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

    fn write_node(&self, tx: TxId, it: &mut Tx, change: Change) -> bool {
        let lock = Lock::Node(it.who.name.clone());
        if self.is_locked(tx, &lock) {
            return false;
        }
        it.locks.insert(lock);
        it.changes.push(change);
        true
    }

    /// Changes the row of a game if it still is this one; none if it must wait for a lock.
    fn change_game(&self, tx: TxId, it: &mut Tx, old: GameRow, change: Change) -> Option<bool> {
        let lock = Lock::Game(old.game);
        if self.is_locked(tx, &lock) {
            return None;
        }
        let is_it = self.primary.tables.row(old.game) == Some(old);
        if is_it {
            it.locks.insert(lock);
            it.changes.push(change);
        }
        Some(is_it)
    }

    /// Results, once: a repetition finds that they are stored.
    fn write_finish(&self, tx: TxId, it: &mut Tx, game: GameId, epoch: Epoch) -> bool {
        let old = GameRow { game, run: it.who.run, epoch, is_over: false };
        let over = GameRow { is_over: true, ..old };
        let current = self.primary.tables.row(game);
        let is_again = self.is_sabotaged("results") && current == Some(over);
        let old = if is_again { over } else { old };
        let Some(is_done) = self.change_game(tx, it, old, Change::Finish(over)) else {
            return false;
        };
        it.reply = Some(DatabaseReply::Done(is_done || current == Some(over)));
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
            if !self.write_node(tx, it, Change::Node(renewed)) {
                return false;
            }
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
