//! The games of this node: creating them, running those that it has taken over, and letting go of those that are over.

use std::sync::Arc;

use nuggets_record::Recording;
use tracing::{info, warn};

use super::journal::DatabaseJournal;
use super::ownership::{GameRow, JournalRows, Opening};
use super::routes::Epoch;
use super::{Cluster, statements};
use crate::service::Service;
use crate::store::Fence;
use crate::{GameCommand, GameId, GameMeta, GameStorage, StoreError};

/// The people of a game whose last records the database has lost.
const RECORDS_LOST: &str =
    "The database of this host has lost the last moves. The game goes on from what it still has.";

impl Cluster {
    /// Stores a new game with this node as its owner. Returns its journal, which is empty.
    pub(crate) async fn create(
        self: &Arc<Self>,
        meta: GameMeta,
    ) -> Result<GameStorage, StoreError> {
        let (game, me) = (meta.id, self.me.clone());
        let create =
            move |sql: &mut dyn crate::store::sql::Sql| statements::create(sql, &me, &meta);
        self.ownership().handle_creating(game);
        let created = self.store.autocommit(create).await;
        if !matches!(created, Ok(true)) {
            self.ownership().handle_create_failed(game);
            let taken = || StoreError::unavailable("two games have the same id");
            return created.and(Err(taken()));
        }
        let epoch = Epoch(1);
        self.ownership().handle_created(game, epoch);
        self.neighbours.set_game(game, Some((self.me.run, epoch)));
        Ok(self.journal(game, epoch))
    }

    fn journal(self: &Arc<Self>, game: GameId, epoch: Epoch) -> GameStorage {
        Box::new(DatabaseJournal { cluster: Arc::clone(self), game, epoch })
    }

    /// Runs a game that this node owns now. If that can't be done, another node gets it.
    pub(super) fn open(
        self: &Arc<Self>,
        service: &Arc<Service>,
        (game, epoch): (GameId, Epoch),
        journal: JournalRows,
        why: Opening,
    ) {
        if let Err(failed) = self.try_open(service, game, epoch, journal) {
            warn!("game {game} can't be opened here ({failed}): another node may run it");
            self.ownership().handle_open_failed(game);
            return self.wake.notify_one();
        }
        if self.ownership().epoch(game) != Some(epoch) {
            // It went to another node while it was opened.
            return service.close_game_of_node(game);
        }
        self.neighbours.note_change();
        info!("game {game} runs here now, in epoch {}", epoch.0);
        if why == Opening::RecordsLost {
            service.workers.send(game, GameCommand::Notice(RECORDS_LOST.to_owned()));
        }
    }

    fn try_open(
        self: &Arc<Self>,
        service: &Arc<Service>,
        game: GameId,
        epoch: Epoch,
        journal: JournalRows,
    ) -> Result<(), String> {
        let meta = journal.meta.ok_or("what is stored beside its journal can't be read")?;
        let reading = Recording::read(&journal.bytes).map_err(|why| why.to_string())?;
        service.run_taken_over(*meta, reading, self.journal(game, epoch));
        Ok(())
    }

    /// Proves to the store that a game is ours.
    pub(crate) fn fence(&self, game: GameId) -> Option<Fence> {
        let epoch = self.ownership().epoch(game)?;
        Some(Fence { run: self.me.run, epoch })
    }

    /// The results of a game are stored.
    pub(crate) fn handle_finished(&self, game: GameId) {
        self.ownership().handle_finished(game);
        self.wake.notify_one();
    }

    /// A game that is over is in memory no longer.
    pub(crate) async fn forget(&self, game: GameId) -> Result<(), StoreError> {
        let run = self.me.run;
        let forget = self.store.autocommit(move |sql| {
            let row = statements::read_game(sql, game)?.filter(|row| row.run == run && row.is_over);
            row.map_or(Ok(()), |row: GameRow| statements::forget(sql, row))
        });
        forget.await
    }
}
