//! Failover, games without a living owner: one node claims each of them, reads its journal after that, and runs it.

use std::collections::BTreeSet;

use nuggets_time::Timestamp;
use sha2::{Digest, Sha256};

use super::{
    Closing, Epoch, GAMES_SCAN_MS, GameRow, GameStage, JournalRows, NodeEvent, NodeStage, Opening,
    OwnedGame, Ownership, RunId, SCAN_MS, Statement,
};
use crate::GameId;

/// Each node waits this much longer than the one that is before it in the order for a game.
const RANK_MS: u64 = 700;
/// A node that could not open a game leaves it to others for this long.
const FAILED_MS: u64 = 10_000;
/// A game that is ours by its row, although we have let go of it, is claimed again after this time: the database has lost the
/// claim of another node.
const FORGOTTEN_MS: u64 = 3_000;

/// A game without a living owner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Orphan {
    row: GameRow,
    /// False if its owner is not among the nodes any more, and so won't be seen alive again.
    is_listed: bool,
    /// The time at which this node may claim it.
    claim_at: Timestamp,
    is_claiming: bool,
}

impl Ownership {
    /// The owners of all games were read.
    pub(super) fn handle_games(
        &mut self,
        now: Timestamp,
        rows: &[GameRow],
        runs: &BTreeSet<RunId>,
    ) {
        let listed: BTreeSet<GameId> = rows.iter().map(|row| row.game).collect();
        self.orphans.retain(|game, _| listed.contains(game));
        self.lost.retain(|game| listed.contains(game));
        self.relinquished.retain(|game, _| listed.contains(game));
        for row in rows {
            if row.run == self.me.run {
                self.handle_own_row(*row);
                self.note_forgotten(now, *row);
            } else {
                self.handle_row_of_another(now, *row, runs.contains(&row.run));
            }
        }
        // Requests about games without an owner wait until this node has read the new owner.
        let is_settled = self.orphans.is_empty();
        self.games_scan.end(now, if is_settled { GAMES_SCAN_MS } else { SCAN_MS });
        self.claim_orphans(now);
    }

    /// A row says that a game is ours: by a claim whose answer was lost, or because another node has handed it over.
    pub(super) fn handle_own_row(&mut self, row: GameRow) {
        let known = self.epoch(row.game).max(self.relinquished.get(&row.game).copied());
        let is_new = known.is_none_or(|epoch| epoch < row.epoch);
        if is_new && !row.is_over && !self.creating.contains(&row.game) {
            self.adopt(row.game, row.epoch);
        }
    }

    /// A row that is ours and stays so, although we have let go of the game, or have it in a later epoch that the database has
    /// lost: no other node would ever run it.
    fn note_forgotten(&mut self, now: Timestamp, row: GameRow) {
        let is_current = self.epoch(row.game).is_some_and(|epoch| epoch <= row.epoch);
        if is_current || row.is_over || self.creating.contains(&row.game) {
            self.orphans.remove(&row.game);
        } else {
            self.note_orphan(row, true, now.after(FORGOTTEN_MS));
        }
    }

    fn handle_row_of_another(&mut self, now: Timestamp, row: GameRow, is_listed: bool) {
        if self.games.get(&row.game).is_some_and(|owned| owned.epoch <= row.epoch) {
            self.lose(row.game, Closing::Superseded);
        }
        if is_listed && !self.leases.is_expired(now, row.run) {
            self.orphans.remove(&row.game);
            return;
        }
        let has_failed = row.run == RunId(0)
            && self.relinquished.get(&row.game).is_some_and(|epoch| epoch.0 + 1 == row.epoch.0);
        let wait_ms = if has_failed {
            FAILED_MS
        } else if self.games.contains_key(&row.game) {
            // This look is old, or the database has lost our claim.
            FORGOTTEN_MS
        } else {
            RANK_MS * self.rank(row.game)
        };
        self.note_orphan(row, is_listed, now.after(wait_ms));
    }

    /// A game without an owner is claimed then, unless that was decided before.
    fn note_orphan(&mut self, row: GameRow, is_listed: bool, claim_at: Timestamp) {
        if self.orphans.get(&row.game).is_none_or(|known| known.row != row) {
            self.orphans.insert(row.game, Orphan { row, is_listed, claim_at, is_claiming: false });
        }
    }

    /// The place of this node in the order in which the living nodes claim a game. Each game has an order of its own, so the
    /// games of a node that died are spread over all others.
    fn rank(&self, game: GameId) -> u64 {
        let mine = weight(game, &self.me.name);
        let others = self.leases.living().filter(|row| !row.is_draining);
        others.filter(|row| weight(game, &row.member.name) > mine).count() as u64
    }

    /// The node that a game is handed over to: the first in that order.
    pub(super) fn successor(&self, game: GameId) -> Option<crate::cluster::routes::Member> {
        let others = self.leases.living().filter(|row| !row.is_draining);
        others.max_by_key(|row| weight(game, &row.member.name)).map(|row| row.member.clone())
    }

    /// Claims the orphans whose time has come.
    pub(super) fn claim_orphans(&mut self, now: Timestamp) {
        if !self.may_claim(now) {
            return;
        }
        let leases = &self.leases;
        // An owner that was taken for dead may have been seen alive since.
        let is_alive = |orphan: &Orphan| orphan.is_listed && leases.is_living(orphan.row.run);
        self.orphans.retain(|_, orphan| orphan.is_claiming || !is_alive(orphan));
        let due: Vec<GameRow> =
            self.claimable().filter(|it| it.claim_at <= now).map(|it| it.row).collect();
        for row in due {
            if let Some(orphan) = self.orphans.get_mut(&row.game) {
                orphan.is_claiming = true;
            }
            if self.games.contains_key(&row.game) {
                // The database has lost the epoch in which it was ours, and perhaps more.
                self.lose(row.game, Closing::Reopened);
                self.lost.insert(row.game);
            }
            self.statements.push_back(if row.is_over {
                Statement::Forget(row)
            } else if self.has_descriptors {
                Statement::Claim(row)
            } else {
                Statement::Release { game: row.game, epoch: row.epoch, to: None }
            });
        }
    }

    /// The time at which the next orphan may be claimed; none while our own commits are not answered.
    pub(super) fn next_claim(&self, now: Timestamp) -> Option<Timestamp> {
        let next = self.claimable().map(|orphan| orphan.claim_at).min();
        next.filter(|_| self.may_claim(now))
    }

    /// The orphans that this node may claim. One that can't accept connections only lets go of those that are its own.
    fn claimable(&self) -> impl Iterator<Item = &Orphan> {
        let is_for_us = |orphan: &&Orphan| self.has_descriptors || orphan.row.run == self.me.run;
        self.orphans.values().filter(|orphan| !orphan.is_claiming).filter(is_for_us)
    }

    /// A node that can't commit claims nothing.
    fn may_claim(&self, now: Timestamp) -> bool {
        self.stage == NodeStage::Serving && now < self.proven_until
    }

    pub(super) fn handle_claimed(&mut self, row: GameRow, epoch: Option<Epoch>) {
        self.orphans.remove(&row.game);
        if let Some(epoch) = epoch {
            // A look at all games may have found it before this answer came.
            let row = GameRow { run: self.me.run, epoch, ..row };
            self.handle_own_row(row);
            if !self.games.contains_key(&row.game) && self.stage == NodeStage::Serving {
                // An epoch in which it was ours before, and which the database has lost.
                self.statements.push_back(Statement::Claim(row));
            }
        }
    }

    pub(super) fn handle_claim_unanswered(&mut self, game: GameId) {
        self.orphans.remove(&game);
    }

    /// The game is ours: its journal is read.
    fn adopt(&mut self, game: GameId, epoch: Epoch) {
        if self.stage != NodeStage::Serving {
            // Others claim it once this node is removed.
            self.relinquished.insert(game, epoch);
            return;
        }
        // Its last owner may have been taken for dead.
        self.orphans.remove(&game);
        let is_lost = self.lost.remove(&game);
        let why = if is_lost { Opening::RecordsLost } else { Opening::TakenOver };
        let owned = OwnedGame { epoch, stage: GameStage::Reading(why), is_proven: true };
        if self.games.insert(game, owned).is_some() {
            // Ours in an earlier epoch: it was claimed by another node and is ours again.
            self.commit.close(game);
            self.events.push_back(NodeEvent::Close { game, why: Closing::Superseded });
        }
        self.statements.push_back(Statement::ReadJournal { game, epoch });
    }

    /// The rows of the journal of a game were read after it became ours in this epoch.
    pub(super) fn handle_journal(&mut self, game: GameId, epoch: Epoch, rows: JournalRows) {
        let Some(owned) = self.games.get_mut(&game).filter(|owned| owned.epoch == epoch) else {
            return;
        };
        let GameStage::Reading(why) = owned.stage else { return };
        if rows.bytes.is_empty() {
            // Its creator died before anything of it was stored, and so before anyone was shown it.
            let row = GameRow { game, run: self.me.run, epoch: owned.epoch, is_over: false };
            self.statements.push_back(Statement::Forget(row));
            self.remove_owned(game);
            return self.stop_if_empty();
        }
        owned.stage = GameStage::Open;
        let is_proven = owned.is_proven;
        self.commit.open(game, epoch, &rows);
        if !is_proven {
            self.prove(game, epoch);
        }
        self.events.push_back(NodeEvent::Open { game, epoch, journal: rows, why });
    }

    /// The game can't be run here, for example because the system gives no descriptor: another node may.
    pub fn handle_open_failed(&mut self, game: GameId) {
        if let Some(epoch) = self.epoch(game) {
            self.statements.push_back(Statement::Release { game, epoch, to: None });
            self.lose(game, Closing::Failed);
        }
    }

    /// Another node says that it has handed a game over to us.
    pub fn handle_take_over(&mut self, game: GameId, epoch: Epoch) {
        self.handle_own_row(GameRow { game, run: self.me.run, epoch, is_over: false });
    }
}

/// A number that orders the nodes for a game.
fn weight(game: GameId, node: &str) -> u64 {
    let digest = Sha256::new().chain_update(game.to_string()).chain_update(node).finalize();
    digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}
