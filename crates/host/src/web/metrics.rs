//! Counters for `/metrics` and the admin page.

use std::sync::atomic::{AtomicI64, AtomicU64};

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::SiteState;
use super::rejection::HttpError;
use crate::service::Service;

/// The counters of the host. Any thread can increment them.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    /// Number of keys that people sent.
    pub(crate) keys: Counter<u64, AtomicU64>,
    /// Number of messages sent over WebSockets.
    pub(crate) frames: Counter<u64, AtomicU64>,
    /// Number of bytes of these messages.
    pub(crate) bytes: Counter<u64, AtomicU64>,
    /// Number of games created since the start.
    pub(crate) created: Counter<u64, AtomicU64>,
    /// Number of rejected connections.
    pub(crate) rejected: Counter<u64, AtomicU64>,
    games: Gauge<i64, AtomicI64>,
    players: Gauge<i64, AtomicI64>,
    watchers: Gauge<i64, AtomicI64>,
    connections: Gauge<i64, AtomicI64>,
    sockets: Gauge<i64, AtomicI64>,
    memory: Gauge<i64, AtomicI64>,
}

impl Metrics {
    /// Creates all counters at 0.
    pub(crate) fn new(service: &Service) -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("nuggets"),
            keys: Counter::default(),
            frames: Counter::default(),
            bytes: Counter::default(),
            created: Counter::default(),
            rejected: Counter::default(),
            games: Gauge::default(),
            players: Gauge::default(),
            watchers: Gauge::default(),
            connections: Gauge::default(),
            sockets: Gauge::default(),
            memory: Gauge::default(),
        };
        metrics.register();
        let registry = &mut metrics.registry;
        let help = "How long the journal of a game took to be written, for each input";
        registry.register("journal_append_seconds", help, service.journal_time.0.clone());
        let help = "Games that a fault of the host has ended, such as a panic";
        registry.register("failed_games", help, service.failed.clone());
        if let Some(cluster) = &service.cluster {
            cluster.figures.register(registry);
        }
        metrics
    }

    fn register(&mut self) {
        let counters = [
            ("keys", "Keys that people sent", &self.keys),
            ("frames_sent", "Messages sent over WebSockets", &self.frames),
            ("bytes_sent", "Bytes of those messages", &self.bytes),
            ("games_created", "Games created since the start", &self.created),
            ("rejected_connections", "Connections over a limit", &self.rejected),
        ];
        for (name, help, counter) in counters {
            self.registry.register(name, help, counter.clone());
        }
        let gauges = [
            ("games", "Running games", &self.games),
            ("players", "People and bots in running games", &self.players),
            ("watchers", "Connections that watch", &self.watchers),
            ("connections", "Open TCP connections", &self.connections),
            ("websockets", "Open WebSockets", &self.sockets),
            ("resident_memory_bytes", "Memory of the process", &self.memory),
        ];
        for (name, help, gauge) in gauges {
            self.registry.register(name, help, gauge.clone());
        }
    }

    /// Updates the metrics that are measured instead of counted.
    fn refresh(&self, app: &SiteState) {
        let load = app.load();
        let gauges = [
            (&self.games, load.games),
            (&self.players, load.players),
            (&self.watchers, load.watchers),
            (&self.connections, load.connections),
            (&self.sockets, load.sockets),
            (&self.memory, load.memory_bytes),
        ];
        for (gauge, value) in gauges {
            gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        }
        let rejected = app.connections.rejected() + app.sockets.rejected();
        let counted = self.rejected.get();
        self.rejected.inc_by(rejected.saturating_sub(counted));
    }
}

/// `GET /metrics`
pub(super) async fn show(State(app): State<SiteState>) -> Result<impl IntoResponse, HttpError> {
    app.metrics.refresh(&app);
    let mut text = String::new();
    encode(&mut text, &app.metrics.registry).map_err(HttpError::internal)?;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], text))
}
