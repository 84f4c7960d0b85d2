//! Several hosts that share one database. Every game runs on one of them; whatever arrives elsewhere about a game is passed
//! on to the host that runs it.
//!
//! Pure: `ownership` (who runs which game, and the group commit) and `routes`. Shells: `shell` drives them, `statements` and
//! `commit_connection` speak to the database, `neighbours` and what stands beside it pass requests on.

mod busy_poll;
mod commit_connection;
mod figures;
mod journal;
pub(crate) mod neighbours;
pub mod ownership;
pub(crate) mod pass_on;
pub mod routes;
mod running;
mod shared_lobby;
mod shell;
pub(crate) mod signature;
pub(crate) mod statements;
pub(crate) mod status;
#[cfg(test)]
mod tests;
pub(crate) mod upstream;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use nuggets_time::Clock;
use sha2::{Digest, Sha256};
use tokio::sync::{Notify, oneshot, watch};
use tracing::warn;

use crate::locks::lock;
use crate::service::Service;
use crate::web::Health;
use crate::{DatabaseOptions, DatabaseUrl, GameId, StartError, Store, StoreError, random, tls};
use busy_poll::BusyPoll;
pub(crate) use figures::CommitFigures;
pub use figures::NodeLoad;
use neighbours::{LookUp, Neighbours};
use ownership::{BatchNumber, Ownership};
use pass_on::NodeClient;
use routes::{Epoch, Member, RunId};
use shared_lobby::LobbyCache;

/// A new game or an answer waits this long for the database.
const STORED_TIMEOUT: Duration = Duration::from_secs(5);

/// This host as a node.
pub(crate) struct Cluster {
    me: Member,
    database: DatabaseUrl,
    store: Store,
    clock: Clock,
    ownership: Mutex<Ownership>,
    /// Notified when there may be something to do for `drive`.
    wake: Notify,
    neighbours: Arc<Neighbours>,
    health: Arc<Health>,
    /// Callers that wait until a game is stored.
    waiters: Mutex<Vec<Waiter>>,
    lobby: tokio::sync::Mutex<LobbyCache>,
    pub(crate) figures: CommitFigures,
    stopped: watch::Sender<bool>,
}

struct Waiter {
    game: GameId,
    batch: BatchNumber,
    done: oneshot::Sender<()>,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("me", &self.me).finish_non_exhaustive()
    }
}

impl Cluster {
    /// Makes this process a node: it has its name from now on, and the secrets that all nodes share. `drive` begins when requests
    /// can be answered.
    pub(crate) async fn join(
        options: &DatabaseOptions,
        store: Store,
        address: String,
        url: &str,
        health: Arc<Health>,
    ) -> Result<Arc<Self>, StartError> {
        let roots = tls::roots(options.node_ca.as_deref())?;
        let client = NodeClient::new(tls::client_config(roots, options.node_identity.as_ref())?);
        let certificates = options.node_identity.is_some();
        let me = Member { name: options.node.clone(), run: RunId(random::run_id()), address };
        let (registered, fresh) = (me.clone(), random::secret_text());
        let url = url.to_owned();
        let secret = store.autocommit(move |sql| {
            statements::register(sql, &registered, &url)?;
            statements::secret(sql, "nodes", &fresh)
        });
        let secret = Sha256::digest(secret.await?).into();
        let neighbours = Arc::new_cyclic(|neighbours: &Weak<Neighbours>| {
            let look_up = look_up(store.clone(), neighbours.clone());
            Neighbours::new(me.clone(), secret, look_up).with_client(client, certificates)
        });
        let clock = Clock::start();
        Ok(Arc::new(Self {
            ownership: Mutex::new(Ownership::new(clock.now(), me.clone())),
            me,
            database: options.url.clone(),
            store,
            clock,
            wake: Notify::new(),
            neighbours,
            health,
            waiters: Mutex::default(),
            lobby: tokio::sync::Mutex::default(),
            figures: CommitFigures::default(),
            stopped: watch::Sender::new(false),
        }))
    }

    /// Runs the node: games without an owner are claimed from now on.
    pub(crate) fn start(self: &Arc<Self>, service: &Arc<Service>) {
        tokio::spawn(warn_without_standby(self.store.clone()));
        tokio::spawn(BusyPoll::new(Arc::clone(self).drive(Arc::clone(service))));
        tokio::spawn(Arc::clone(self).share_lobby(Arc::clone(service)));
    }

    /// The token of the admin page, which all nodes share; `given` replaces it.
    pub(crate) async fn admin_token(&self, given: Option<String>) -> Result<String, StoreError> {
        let fresh = random::secret_text();
        let token = self.store.autocommit(move |sql| match &given {
            Some(given) => statements::set_secret(sql, "admin", given).map(|()| given.clone()),
            None => statements::secret(sql, "admin", &fresh),
        });
        token.await
    }

    /// The other nodes, for requests.
    pub(crate) fn neighbours(&self) -> &Arc<Neighbours> {
        &self.neighbours
    }

    /// Hands all games over and waits until that is done, or for `limit`.
    pub(crate) async fn leave(&self, limit: Duration) {
        self.ownership().leave();
        self.wake.notify_one();
        let mut stopped = self.stopped.subscribe();
        if tokio::time::timeout(limit, stopped.wait_for(|stopped| *stopped)).await.is_err() {
            warn!("not all games could be handed over; other nodes claim the rest");
            self.stopped.send_replace(true);
        }
    }

    /// Another node has handed this game over.
    pub(crate) fn take_over(&self, game: GameId, epoch: Epoch) {
        self.neighbours.set_game(game, Some((self.me.run, epoch)));
        self.ownership().handle_take_over(game, epoch);
        self.wake.notify_one();
    }

    /// The host name of the address that other nodes reach: classic clients find the games of this node there.
    pub(crate) fn host_name(&self) -> &str {
        let (_, address) = self.me.address.split_once("://").unwrap_or(("", &self.me.address));
        address.rsplit_once(':').map_or(address, |(host, _)| host)
    }

    /// Waits until a commit that begins now has proved that the game is ours.
    pub(crate) async fn stored(&self, game: GameId) -> Result<(), StoreError> {
        let not_ours = || StoreError::unavailable("the game runs on another node");
        let epoch = self.ownership().epoch(game).ok_or_else(not_ours)?;
        let batch = self.ownership().prove(game, epoch);
        let (done, waits) = oneshot::channel();
        lock(&self.waiters).push(Waiter { game, batch, done });
        self.wake.notify_one();
        let failed = || StoreError::unavailable("the database does not answer");
        match tokio::time::timeout(STORED_TIMEOUT, waits).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(failed()),
        }
    }

    fn notify_waiters(&self, game: GameId, batch: BatchNumber) {
        let mut waiters = lock(&self.waiters);
        let is_due = |waiter: &mut Waiter| {
            waiter.game == game && waiter.batch <= batch || waiter.done.is_closed()
        };
        for waiter in waiters.extract_if(.., is_due) {
            // A caller that no longer waits doesn't need it.
            let _ = waiter.done.send(());
        }
    }

    fn append(&self, game: GameId, epoch: Epoch, bytes: &[u8]) -> BatchNumber {
        let mut ownership = self.ownership();
        if ownership.is_idle() {
            self.wake.notify_one();
        }
        ownership.append(game, epoch, bytes)
    }

    fn may_act(&self, game: GameId) -> bool {
        self.ownership().may_act(self.clock.now(), game)
    }

    /// The nodes that live, this one included.
    fn living(&self) -> Vec<Member> {
        let ownership = self.ownership();
        let others = ownership.living().map(|row| row.member.clone());
        others.chain([self.me.clone()]).collect()
    }

    fn ownership(&self) -> MutexGuard<'_, Ownership> {
        lock(&self.ownership)
    }
}

/// Logs that the database may lose what people were shown.
async fn warn_without_standby(store: Store) {
    if let Ok(false) = store.autocommit(status::waits_for_standby).await {
        warn!("{}", status::NO_STANDBY);
    }
}

/// Asks the database who owns a game that the last look did not show.
fn look_up(store: Store, neighbours: Weak<Neighbours>) -> LookUp {
    Arc::new(move |game| {
        let (store, neighbours) = (store.clone(), neighbours.clone());
        Box::pin(async move {
            let found = store.autocommit(move |sql| statements::read_game(sql, game)).await;
            if let (Ok(row), Some(neighbours)) = (found, neighbours.upgrade()) {
                neighbours.set_game(game, row.map(|row| (row.run, row.epoch)));
            }
        })
    })
}
