//! Executes the effects of the lobby in order, and forwards the reports of the games to the lobby.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use nuggets_game::Setup;
use nuggets_server::JournalFile;
use nuggets_time::{Timestamp, unix_time_ms};
use tokio::sync::mpsc;
use tracing::{error, info};

use super::{Service, now};
use crate::{
    EndReason, Fence, GameId, GameMeta, GameReport, GameStorage, Lobby, LobbyEffect, OpenGame,
    ReportOf, StoreError,
};

pub(crate) type ReportReceiver = mpsc::UnboundedReceiver<ReportOf>;

/// Wait before storing results is retried.
const RESULTS_RETRY: Duration = Duration::from_secs(1);
/// Interval between two timeout checks of the lobby.
const LOBBY_TICK: Duration = Duration::from_secs(1);

impl Service {
    /// Gives the lobby a command and returns after all of its effects were executed. They run in a task of their own, so they
    /// complete even if the caller is dropped.
    pub(crate) async fn command<R: Send + 'static>(
        self: &Arc<Self>,
        command: impl FnOnce(&mut Lobby, Timestamp) -> R + Send + 'static,
    ) -> R {
        let service = Arc::clone(self);
        let done = tokio::spawn(async move {
            let answer = command(&mut service.lobby(), now());
            service.run_effects().await;
            answer
        });
        done.await.expect("a command of the lobby panicked")
    }

    /// Forwards reports of the games and the current time to the lobby until the workers are gone.
    pub(crate) async fn handle_reports(self: Arc<Self>, mut reports: ReportReceiver) {
        let mut tick = tokio::time::interval(LOBBY_TICK);
        loop {
            tokio::select! {
                report = reports.recv() => match report {
                    Some(ReportOf { game, report }) => self.handle_report(game, report),
                    None => return,
                },
                _ = tick.tick() => self.lobby().handle_timeout(now()),
            }
            self.run_effects().await;
        }
    }

    fn handle_report(self: &Arc<Self>, game: GameId, report: GameReport) {
        if report == GameReport::Closed {
            self.forget(game);
        }
        if let GameReport::Failed { why } = &report {
            self.failed.inc();
            error!("game {game} has failed: {why}. Its journal is kept");
            self.close_udp(game);
        }
        self.lobby().handle_report(now(), game, report);
    }

    /// Executes all pending effects of the lobby.
    pub(super) async fn run_effects(self: &Arc<Self>) {
        let _in_order = self.effects.lock().await;
        loop {
            let effect = self.lobby().poll_effect();
            match effect {
                Some(effect) => self.run_effect(effect).await,
                None => return,
            }
        }
    }

    async fn run_effect(self: &Arc<Self>, effect: LobbyEffect) {
        match effect {
            LobbyEffect::Open { meta, setup } => self.open_game(*meta, *setup).await,
            LobbyEffect::StoreMeta(meta) => {
                let fence = self.fence(meta.id);
                log_failure(self.store.save_meta(*meta, fence).await);
            }
            LobbyEffect::Game(game, command) => self.workers.send(game, command),
            LobbyEffect::AllGames(command) => self.workers.send_to_all(&command),
            LobbyEffect::Finish(game, reason) => self.finish(game, reason),
            LobbyEffect::Ban(ban) => {
                log_failure(self.store.save_ban(ban).await);
                self.connected.close_banned(ban);
            }
            LobbyEffect::Unban(ban) => log_failure(self.store.remove_ban(ban).await),
            LobbyEffect::Stop => {
                info!("drained: the last game is over");
                self.drained.notify_one();
            }
        }
    }

    async fn open_game(self: &Arc<Self>, meta: GameMeta, setup: Setup) {
        let id = meta.id;
        if let Err(why) = self.try_open_game(meta, setup).await {
            self.handle_report(id, GameReport::Failed { why });
        }
    }

    async fn try_open_game(&self, meta: GameMeta, setup: Setup) -> Result<(), String> {
        let id = meta.id;
        if let Some(cluster) = &self.cluster {
            let created = cluster.create(meta.clone()).await;
            let storage = created.map_err(|why| why.to_string())?;
            self.run_game(OpenGame::new(meta, setup, storage), &BTreeSet::new());
        } else {
            self.store.save_meta(meta.clone(), None).await.map_err(|why| why.to_string())?;
            let path = self.store.journal_file(id).ok_or("games in a database have no file")?;
            let opened = tokio::task::spawn_blocking(move || JournalFile::open(&path)).await;
            let journal = opened.map_err(|why| why.to_string())?.map_err(|why| why.to_string())?;
            self.run_game(self.with_file(meta, setup, journal), &BTreeSet::new());
        }
        info!("game {id} was created");
        Ok(())
    }

    /// Returns a game with a journal file, whose writes are measured: a new game if the file is empty, or else that in it.
    pub(super) fn with_file(
        &self,
        meta: GameMeta,
        setup: Setup,
        mut file: JournalFile,
    ) -> OpenGame<GameStorage> {
        let journal = file.take_reading();
        let recorded = journal.as_ref().map(|reading| reading.recording.header.setup.clone());
        let storage = self.journal_time.measured(file);
        OpenGame { journal, ..OpenGame::new(meta, recorded.unwrap_or(setup), storage) }
    }

    /// Runs a game with its classic port. The ports in `reserved` belong to other games.
    pub(super) fn run_game(&self, mut game: OpenGame<GameStorage>, reserved: &BTreeSet<u16>) {
        let udp = self.open_udp(&mut game.meta, reserved);
        self.workers.open_game(game, udp);
    }

    /// The proof that this host runs a game, if several share the database.
    fn fence(&self, game: GameId) -> Option<Fence> {
        self.cluster.as_ref()?.fence(game)
    }

    /// Stores the results in the background, so that other games are not delayed.
    fn finish(self: &Arc<Self>, game: GameId, reason: EndReason) {
        self.close_udp(game);
        let service = Arc::clone(self);
        tokio::spawn(async move {
            match service.store_results(game, reason).await {
                Ok(()) => info!("game {game} is over ({reason:?})"),
                Err(StoreError::NotOurs(_)) => info!("game {game} is over, at another node"),
                Err(why) => error!(
                    "can't store the results of game {game} ({why}); its journal has them, and \
                     `nuggets serve --reindex` reads it again"
                ),
            }
        });
    }

    /// Stores the results; retries while the database is unavailable.
    async fn store_results(&self, game: GameId, reason: EndReason) -> Result<(), StoreError> {
        loop {
            let fence = self.fence(game);
            match self.store.finish_game(game, reason, unix_time_ms(), fence).await {
                Err(StoreError::Unavailable { .. }) => tokio::time::sleep(RESULTS_RETRY).await,
                Err(why) => return Err(why),
                Ok(_) => break,
            }
        }
        if let Some(cluster) = &self.cluster {
            cluster.handle_finished(game);
        }
        Ok(())
    }

    /// Drops a finished game that was removed from memory.
    fn forget(self: &Arc<Self>, game: GameId) {
        if let Some(cluster) = self.cluster.clone() {
            tokio::spawn(async move { log_failure(cluster.forget(game).await) });
        }
    }
}

fn log_failure(stored: Result<(), StoreError>) {
    if let Err(why) = stored {
        error!("can't store a change: {why}");
    }
}
