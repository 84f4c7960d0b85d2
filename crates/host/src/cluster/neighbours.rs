//! The other nodes, as requests need them: where a game runs, who signs, and when a stream to an earlier owner must end.
//! The scan of the database fills it.

use std::collections::BTreeSet;
use std::fmt;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use axum::http::request::Parts;
use tokio::sync::watch;

use super::pass_on::NodeClient;
use super::routes::{Epoch, Member, RemoteGame, Route, Routes, RunId};
use super::signature::{NotFromNode, PassedOn, Secret};
use super::upstream::Upstreams;
use crate::GameId;

/// Asks the database for one game, and then calls `set_game`.
pub(crate) type LookUp =
    Arc<dyn Fn(GameId) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// The other nodes, and where the games run.
pub(crate) struct Neighbours {
    me: Member,
    pub(super) secret: Secret,
    pub(super) client: NodeClient,
    /// True if a request of a node must come with its certificate.
    needs_certificate: bool,
    pub(crate) upstreams: Upstreams,
    routes: RwLock<Routes>,
    /// The addresses that living nodes connect from.
    ips: Arc<RwLock<BTreeSet<IpAddr>>>,
    /// Changes with the routes.
    version: watch::Sender<u64>,
    look_up: LookUp,
}

/// True if the client of a connection has shown a certificate that the authority of the nodes has signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShownCertificate(pub(crate) bool);

impl fmt::Debug for Neighbours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Neighbours").field("me", &self.me).finish_non_exhaustive()
    }
}

impl Neighbours {
    /// No other node is known yet. The address of a member may begin with `http://` or `https://`.
    pub(crate) fn new(me: Member, secret: [u8; 32], look_up: LookUp) -> Self {
        Self {
            routes: RwLock::new(Routes::new(me.run)),
            me,
            secret: Secret::new(secret),
            client: NodeClient::default(),
            needs_certificate: false,
            upstreams: Upstreams::default(),
            ips: Arc::default(),
            version: watch::Sender::new(0),
            look_up,
        }
    }

    /// The same with another way to reach nodes. If it shows a certificate, so must they (mutual TLS).
    #[must_use]
    pub(crate) fn with_client(self, client: NodeClient, needs_certificate: bool) -> Self {
        Self { client, needs_certificate, ..self }
    }

    /// This node.
    pub(crate) fn me(&self) -> &Member {
        &self.me
    }

    /// All nodes that live.
    pub(crate) fn members(&self) -> Vec<Member> {
        self.read().members().cloned().collect()
    }

    /// Replaces everything by what the database says, and ends the streams to owners of earlier epochs. Call it within the
    /// runtime.
    pub(crate) fn update(
        &self,
        members: impl IntoIterator<Item = Member>,
        games: impl IntoIterator<Item = (GameId, RunId, Epoch)>,
    ) {
        self.write().set_games(games);
        self.set_members(members);
    }

    /// Replaces the nodes that live, and ends the streams to others. Call it within the runtime.
    pub(crate) fn set_members(&self, members: impl IntoIterator<Item = Member>) {
        let before = self.members();
        self.write().set_members(members);
        self.note_change();
        let members = self.members();
        if members != before {
            self.resolve(members);
        }
    }

    /// The owner of one game, or that it is not running.
    pub(crate) fn set_game(&self, game: GameId, owner: Option<(RunId, Epoch)>) {
        self.write().set_game(game, owner);
        self.note_change();
    }

    /// Finds where a request about a game goes. The database is asked about a game that is not known.
    pub(crate) async fn route(&self, game: GameId) -> Route {
        match self.known_route(game) {
            Route::Unknown | Route::Nowhere => self.look_up(game).await,
            known => known,
        }
    }

    /// Asks the database where a game runs now.
    pub(crate) async fn look_up(&self, game: GameId) -> Route {
        (self.look_up)(game).await;
        self.known_route(game)
    }

    fn known_route(&self, game: GameId) -> Route {
        self.read().route(game)
    }

    /// Waits until another node owns the game, or the owner is gone. A game that is over keeps its owner.
    pub(crate) async fn superseded(&self, owner: &RemoteGame) {
        self.wait_until(|| !self.is_current(owner)).await;
    }

    /// Waits until the condition is true. Checks it whenever a route changes or a game is opened here.
    pub(crate) async fn wait_until(&self, is_done: impl Fn() -> bool) {
        let mut version = self.version.subscribe();
        while !is_done() && version.changed().await.is_ok() {}
    }

    fn is_current(&self, owner: &RemoteGame) -> bool {
        let routes = self.read();
        match routes.route(owner.game) {
            Route::There(current) => current == *owner,
            Route::Unknown => routes.member(owner.member.run).is_some(),
            Route::Here | Route::Nowhere => false,
        }
    }

    /// Checks whether another node passes this request on, and removes the headers of nodes.
    pub(crate) fn check(&self, parts: &mut Parts) -> Result<Option<PassedOn>, NotFromNode> {
        let is_alive = |run| self.read().member(run).is_some();
        let passed_on = self.secret.check(parts, self.me.run, is_alive)?;
        let is_shown = parts.extensions.get() == Some(&ShownCertificate(true));
        if passed_on.is_some() && self.needs_certificate && !is_shown {
            return Err(NotFromNode::Certificate);
        }
        Ok(passed_on)
    }

    /// True if a node that lives has this address.
    pub(crate) fn is_neighbour(&self, ip: IpAddr) -> bool {
        self.ips.read().unwrap_or_else(PoisonError::into_inner).contains(&ip.to_canonical())
    }

    /// Finds the addresses of the members, in the background.
    fn resolve(&self, members: Vec<Member>) {
        let ips = Arc::clone(&self.ips);
        tokio::spawn(async move {
            let mut found = BTreeSet::new();
            for member in members {
                if let Ok(resolved) = tokio::net::lookup_host(member.authority()).await {
                    found.extend(resolved.map(|address| address.ip().to_canonical()));
                }
            }
            *ips.write().unwrap_or_else(PoisonError::into_inner) = found;
        });
    }

    /// Routes have changed, or a game was opened here.
    pub(super) fn note_change(&self) {
        self.version.send_modify(|version| *version = version.wrapping_add(1));
    }

    fn read(&self) -> RwLockReadGuard<'_, Routes> {
        self.routes.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Routes> {
        self.routes.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Member {
    /// Host and port.
    pub(super) fn authority(&self) -> &str {
        self.address.split_once("://").map_or(self.address.as_str(), |(_, authority)| authority)
    }

    /// `http` unless the address says otherwise.
    pub(super) fn scheme(&self) -> &str {
        self.address.split_once("://").map_or("http", |(scheme, _)| scheme)
    }
}
