//! Connects the lobby, the game threads and the store: accepts commands, executes the effects of the lobby, and resumes
//! all games at startup. It does not know about HTTP requests or pages.

mod classic_ports;
mod effects;
mod journal_time;
mod node;
mod open_web_sockets;
mod resume;

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use nuggets_time::{Timestamp, unix_time_ms};
use prometheus_client::metrics::counter::Counter;
use tokio::sync::{Notify, mpsc};
use tracing::warn;

use crate::cluster::Cluster;
use crate::locks::lock;
use crate::run::processors;
use crate::{
    FinishedGame, GameId, GameMeta, HostOptions, Lobby, LobbyLimits, LobbyRow, OpenedStore,
    PlayerId, Rematch, StartError, Store, StoreError, UdpPorts, Workers,
};

pub(crate) use effects::ReportReceiver;
pub(crate) use journal_time::JournalTime;
pub(crate) use open_web_sockets::{ConnectedClient, Dismissal, OpenWebSockets, Presence};
pub(crate) use resume::reindex;

/// Games that one source may have at a time: a whole school sits behind one address.
const MAX_GAMES_PER_SOURCE: usize = 100;

/// Games that one person may have at a time.
const MAX_GAMES_PER_PERSON: usize = 10;

/// Maximum wait for the results of a game that has just ended to be stored.
const RESULTS_TIMEOUT: Duration = Duration::from_secs(2);
/// Interval between two queries for the results.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// The state behind the web server: lobby, games, store and open WebSockets.
#[derive(Debug)]
pub(crate) struct Service {
    /// The folder of the host.
    pub(crate) store: Store,
    /// The threads that run the games.
    pub(crate) workers: Arc<Workers>,
    pub(crate) connected: Arc<OpenWebSockets>,
    lobby: Mutex<Lobby>,
    /// Locked while effects of the lobby are executed, so that they run one at a time and in order.
    effects: tokio::sync::Mutex<()>,
    drained: Notify,
    /// Durations of journal writes.
    pub(crate) journal_time: JournalTime,
    /// Number of games that ended because of a fault.
    pub(crate) failed: Counter,
    /// The classic ports of games, if `--udp` enables them.
    pub(crate) udp: Option<UdpPorts>,
    /// The hosts that share the database; `None` for a host with a folder.
    pub(crate) cluster: Option<Arc<Cluster>>,
}

impl Service {
    /// Resumes all games of a folder; games in a database are claimed by its nodes instead. Blocks. The caller must pass the
    /// returned receiver to [`Self::handle_reports`].
    pub(crate) fn open(
        options: &HostOptions,
        opened: OpenedStore,
        cluster: Option<Arc<Cluster>>,
    ) -> Result<(Arc<Self>, ReportReceiver), StartError> {
        for skipped in &opened.skipped {
            warn!("skipped {skipped}");
        }
        let limits = LobbyLimits {
            max_games: usize::try_from(options.max_games).unwrap_or(usize::MAX),
            max_games_per_source: MAX_GAMES_PER_SOURCE,
            max_games_per_person: MAX_GAMES_PER_PERSON,
            udp_ports: options.udp.clone(),
        };
        let (sender, reports) = mpsc::unbounded_channel();
        let service = Self {
            udp: classic_ports::ports(options, opened.store.claimed_names())?,
            store: opened.store,
            workers: Arc::new(Workers::start(processors(), sender)),
            connected: Arc::default(),
            lobby: Mutex::new(Lobby::new(limits, opened.bans)),
            effects: tokio::sync::Mutex::default(),
            drained: Notify::new(),
            journal_time: JournalTime::default(),
            failed: Counter::default(),
            cluster,
        };
        service.resume_all(opened.unfinished);
        Ok((Arc::new(service), reports))
    }

    /// Loads a game into the lobby, if it ended before the last restart.
    pub(crate) async fn remember(&self, game: GameId) -> Result<(), StoreError> {
        if self.meta(game).is_some() {
            return Ok(());
        }
        let Some(Rematch { meta, setup, people }) = self.store.rematch(game).await? else {
            return Ok(());
        };
        self.lobby().remember(now(), meta, setup, people);
        Ok(())
    }

    /// Broadcasts a message of the operator to all clients.
    pub(crate) async fn message(self: &Arc<Self>, words: String) -> Result<(), StoreError> {
        if let Some(cluster) = &self.cluster {
            return cluster.announce(words).await;
        }
        self.command(move |lobby, _| lobby.message(&words)).await;
        Ok(())
    }

    /// Stops accepting new games; [`Self::drained`] returns after the last one has ended. In a cluster, the named node (by
    /// default this one) hands its games over instead. Returns false if there is no such node.
    pub(crate) async fn drain(self: &Arc<Self>, node: Option<String>) -> Result<bool, StoreError> {
        if let Some(cluster) = &self.cluster {
            return cluster.drain(node).await;
        }
        self.command(|lobby, _| lobby.drain()).await;
        Ok(true)
    }

    /// Waits until the last game of a drained host is over.
    pub(crate) async fn drained(&self) {
        self.drained.notified().await;
    }

    /// Returns the games that this person may find.
    pub(crate) async fn rows(&self, viewer: Option<PlayerId>) -> Vec<LobbyRow> {
        let own = self.lobby().rows(now(), viewer);
        self.with_elsewhere(own, viewer, |row| row.is_listed_for(viewer)).await
    }

    /// Returns all games, for the operator.
    pub(crate) async fn all_rows(&self) -> Vec<LobbyRow> {
        let own = self.own_rows();
        self.with_elsewhere(own, None, |_| true).await
    }

    /// Returns all games that this host runs.
    pub(crate) fn own_rows(&self) -> Vec<LobbyRow> {
        self.lobby().all_rows(now())
    }

    /// Returns a running game, for a person who has its link.
    pub(crate) fn row(&self, game: GameId, viewer: Option<PlayerId>) -> Option<LobbyRow> {
        self.lobby().row(now(), game, viewer)
    }

    /// Returns the metadata of a game that is running or has ended recently.
    pub(crate) fn meta(&self, game: GameId) -> Option<GameMeta> {
        self.lobby().meta(game).cloned()
    }

    /// Returns a finished game. Waits briefly for the results of a game that has just ended: players see the end slightly
    /// before the results are stored, and may open the replay at once.
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

    /// Locks the lobby. Hold the lock only briefly. Commands go through [`Self::command`], which also executes their effects.
    pub(crate) fn lobby(&self) -> MutexGuard<'_, Lobby> {
        lock(&self.lobby)
    }
}

/// Returns the time of the lobby: milliseconds since 1970.
fn now() -> Timestamp {
    Timestamp(unix_time_ms())
}
