//! Connections of players and watchers: their games run here, or on any node of the cluster.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tracing::warn;

use super::Service;
use crate::cluster::Watching;
use crate::pages::ClusterFigures;
use crate::wire::{DirectLine, JoinClient};
use crate::{
    Attach, AttachError, AttachRole, Attached, ConnectionId, FinishedGame, GameId, GameMeta,
    LobbyRow, SessionToken, StoreError,
};

/// How long a game that another node has just created may take to be known here.
const FIND_TIMEOUT: Duration = Duration::from_secs(1);
/// How long the results of a game that has just ended may take to be stored.
const RESULTS_TIMEOUT: Duration = Duration::from_secs(2);
/// How long to wait before looking again.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

impl Service {
    /// A connection wants to play or watch. The token proves who plays; a client may say which of its connections it is.
    pub(crate) async fn attach(
        &self,
        game: GameId,
        attach: Attach,
        proof: Option<(&SessionToken, Option<JoinClient>)>,
        direct: mpsc::Sender<DirectLine>,
    ) -> Result<Attached, AttachError> {
        let Some(cluster) = &self.cluster else {
            return self.workers.attach(game, attach, direct).await;
        };
        let meta = self.meta(game).ok_or(AttachError::NoSuchGame)?;
        match (attach.role, proof) {
            (AttachRole::Play, Some(proof)) => {
                let who = (game, attach.connection);
                let delay_ms = u64::from(meta.watch_delay_s) * 1000;
                cluster.play(who, proof, delay_ms, direct).await
            }
            (AttachRole::Play, None) => Err(AttachError::Failed),
            (AttachRole::Watch(view), _) => {
                let hello = self.lobby().watch_hello(game, view, &attach)?;
                cluster.watch(game, view, hello).await
            }
        }
    }

    /// A key of a player.
    pub(crate) fn key(&self, game: GameId, connection: ConnectionId, key: char) {
        match &self.cluster {
            Some(cluster) => cluster.key(connection, key),
            None => self.workers.key(game, connection, key),
        }
    }

    /// A connection is closed.
    pub(crate) fn detach(&self, game: GameId, connection: ConnectionId) {
        match &self.cluster {
            Some(cluster) => cluster.leave(connection),
            None => self.workers.detach(game, connection),
        }
    }

    /// Counts a watcher, if nobody else does.
    pub(crate) fn count_watcher(&self, game: GameId) -> Option<Watching> {
        self.cluster.as_ref().map(|cluster| cluster.count_watcher(game))
    }

    /// A game that runs, or is over for a short time; also one that another node has just created.
    pub(crate) async fn find(&self, game: GameId) -> Option<GameMeta> {
        let found = self.meta(game);
        let (None, Some(cluster)) = (&found, &self.cluster) else { return found };
        cluster.refresh(game);
        let end = tokio::time::Instant::now() + FIND_TIMEOUT;
        while self.meta(game).is_none() && tokio::time::Instant::now() < end {
            if self.store.finished_game(game).await.is_ok_and(|found| found.is_some()) {
                break;
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        self.meta(game)
    }

    /// A game that is over. Players see its end a little earlier than its results are stored, and then open its replay.
    pub(crate) async fn finished_game(
        &self,
        game: GameId,
    ) -> Result<Option<FinishedGame>, StoreError> {
        let end = tokio::time::Instant::now() + RESULTS_TIMEOUT;
        loop {
            let is_known = self.meta(game).is_some();
            let found = self.store.finished_game(game).await?;
            if found.is_some() || !is_known || tokio::time::Instant::now() >= end {
                return Ok(found);
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    /// The journal of a finished game; in a cluster it is copied if another node has run the game.
    pub(crate) async fn fetch_journal(&self, game: GameId) -> PathBuf {
        let path = self.store.journal_path(game);
        if let Some(cluster) = &self.cluster
            && let Err(why) = cluster.fetch_journal(game, &path).await
        {
            warn!("can't get the journal of game {game}: {why}");
        }
        path
    }

    /// In a cluster every node counts its own watchers.
    pub(super) fn with_watchers(&self, row: LobbyRow) -> LobbyRow {
        match &self.cluster {
            Some(cluster) => LobbyRow { watchers: cluster.watchers(row.id) as usize, ..row },
            None => row,
        }
    }

    /// How the cluster stands, for the admin page.
    pub(crate) async fn cluster_figures(&self) -> Option<ClusterFigures> {
        match &self.cluster {
            Some(cluster) => Some(cluster.figures().await),
            None => None,
        }
    }

    /// Stops the node of a cluster: other nodes continue its games.
    pub(crate) async fn leave_cluster(&self) {
        if let Some(cluster) = &self.cluster {
            self.lobby().refuse_games();
            Arc::clone(cluster).hand_over_all().await;
            cluster.stop();
        }
    }
}
