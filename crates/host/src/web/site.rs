//! The shared state of all requests.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use nuggets_time::{Clock, Timestamp};

use super::admin_token::AdminToken;
use super::connections::{Connections, CountingAcceptor};
use super::health::Health;
use super::metrics::Metrics;
use super::rate_limits::{Limited, RateLimits};
use super::rejection::HttpError;
use super::request_client::HeaderTrust;
use crate::cluster::neighbours::Neighbours;
use crate::locks::lock;
use crate::replays::{FinishedReplay, ReplayError, Replays};
use crate::service::Service;
use crate::{GameId, HostOptions, Source};

/// The shared state of all requests.
#[derive(Debug)]
pub(crate) struct Site {
    /// Lobby, games and store.
    pub(crate) service: Arc<Service>,
    /// The rate limits of each source.
    pub(crate) limits: RateLimits,
    /// The settings for the interpretation of headers.
    pub(crate) trust: HeaderTrust,
    pub(crate) admin_token: AdminToken,
    /// Open TCP connections.
    pub(crate) connections: Arc<Connections>,
    pub(crate) sockets: Arc<Connections>,
    /// The WebSockets that watch.
    pub(crate) watchers: Arc<Connections>,
    pub(crate) metrics: Metrics,
    /// True when the host stops.
    pub(crate) is_stopping: AtomicBool,
    /// The state that `/healthz` shows.
    pub(crate) health: Arc<Health>,
    /// The other nodes; none for a single host.
    pub(crate) neighbours: Option<Arc<Neighbours>>,
    replays: Replays,
    clock: Clock,
    key_rate: Mutex<KeyRateSample>,
}

/// The number of keys at a point in time, and their rate before it.
#[derive(Clone, Copy, Debug, Default)]
struct KeyRateSample {
    at: Timestamp,
    keys: u64,
    per_s: u64,
}

/// The state argument of handlers.
pub(crate) type SiteState = Arc<Site>;

/// The number of connections beyond the limit of watchers, for pages, players and programs.
const MAX_OTHER_CONNECTIONS: u64 = 5000;

impl Site {
    /// Creates the state in front of a service.
    pub(crate) fn new(
        options: &HostOptions,
        service: Arc<Service>,
        admin_token: &str,
        neighbours: Option<Arc<Neighbours>>,
        health: Arc<Health>,
    ) -> Self {
        let max_watchers = u64::from(options.max_watchers);
        let max_total = max_watchers + MAX_OTHER_CONNECTIONS;
        // Behind a proxy, all TCP connections have the same source.
        let per_source = options.max_connections_per_source;
        let tcp_per_source = if options.trust_proxy { u32::MAX } else { per_source };
        let clock = Clock::start();
        Self {
            metrics: Metrics::default(),
            service,
            limits: RateLimits::new(clock),
            trust: HeaderTrust {
                has_tls: options.tls.is_some(),
                proxy: options.trust_proxy,
                public_url: options.public_url.clone(),
            },
            admin_token: AdminToken::new(admin_token),
            connections: Connections::new(max_total, tcp_per_source),
            sockets: Connections::new(max_total, per_source),
            watchers: Connections::new(max_watchers, u32::MAX),
            is_stopping: AtomicBool::new(false),
            health,
            neighbours,
            replays: Replays::default(),
            clock,
            key_rate: Mutex::default(),
        }
    }

    /// Accepts connections within the limits.
    pub(crate) fn acceptor(&self) -> CountingAcceptor {
        CountingAcceptor::new(Arc::clone(&self.connections), self.neighbours.clone())
    }

    /// Returns the replay of a finished game.
    pub(crate) async fn replay(
        &self,
        game: GameId,
        source: Source,
    ) -> Result<Arc<FinishedReplay>, HttpError> {
        self.limits.spend(Limited::Replay, source)?;
        if self.service.finished_game(game).await?.is_none() {
            return Err(HttpError::not_found("A game has a replay when it is over."));
        }
        let journal = self.service.store.recording(game);
        self.replays.get(game, journal).await.map_err(|why| match why {
            ReplayError::Running => HttpError::not_found("A game has a replay when it is over."),
            ReplayError::Store(why) => why.into(),
            why => HttpError::internal(format!("replay of game {game}: {why}")),
        })
    }

    /// Returns the keys per second since the last call.
    pub(crate) fn keys_per_s(&self) -> u64 {
        let mut rate = lock(&self.key_rate);
        let (now, keys) = (self.clock.now(), self.metrics.keys.get());
        let passed_ms = now.since(rate.at);
        if passed_ms >= 1000 {
            let per_s = keys.saturating_sub(rate.keys) * 1000 / passed_ms;
            *rate = KeyRateSample { at: now, keys, per_s };
        }
        rate.per_s
    }

    /// Returns the seconds since the start.
    pub(crate) fn uptime_s(&self) -> u64 {
        self.clock.elapsed().as_secs()
    }
}
