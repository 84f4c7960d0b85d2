//! Counters for `/metrics` and the admin page.

use std::fs;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::rejection::HttpError;
use super::{Site, SiteState};
use crate::LobbyRow;
use crate::service::Service;

/// The counters of the host. Any thread can increment them.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    registry: Registry,
    /// Number of keys that people sent.
    pub(crate) keys: Counter,
    /// Number of messages sent over WebSockets.
    pub(crate) frames: Counter,
    /// Number of bytes of these messages.
    pub(crate) bytes: Counter,
    /// Number of games created since the start.
    pub(crate) created: Counter,
    rejected: Counter,
    games: Gauge,
    players: Gauge,
    watchers: Gauge,
    connections: Gauge,
    sockets: Gauge,
    memory: Gauge,
}

impl Metrics {
    /// Creates all counters at 0.
    pub(crate) fn new(service: &Service) -> Self {
        let mut metrics = Self { registry: Registry::with_prefix("nuggets"), ..Self::default() };
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
    fn refresh(&self, site: &Site) {
        let rows = site.service.own_rows();
        let playing = |row: &LobbyRow| row.players.iter().filter(|player| !player.left).count();
        let gauges = [
            (&self.games, rows.len()),
            (&self.players, rows.iter().map(playing).sum()),
            (&self.watchers, rows.iter().map(|row| row.watchers).sum()),
            (&self.connections, usize::try_from(site.connections.open()).unwrap_or(usize::MAX)),
            (&self.sockets, site.service.connected.count()),
            (&self.memory, memory_bytes().unwrap_or(0)),
        ];
        for (gauge, value) in gauges {
            gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        }
        let rejected = site.connections.rejected() + site.sockets.rejected();
        self.rejected.inc_by(rejected.saturating_sub(self.rejected.get()));
    }

    /// Returns labels and values as text, for the admin page.
    pub(crate) fn figures(&self, site: &Site) -> Vec<(String, String)> {
        self.refresh(site);
        let figures = [
            ("Games", self.games.get().to_string()),
            ("Players", self.players.get().to_string()),
            ("Watchers", self.watchers.get().to_string()),
            ("Connections", self.connections.get().to_string()),
            ("Keys", self.keys.get().to_string()),
            ("Keys per second", site.keys_per_s().to_string()),
            ("Sent", format!("{} MB", self.bytes.get() / 1_000_000)),
            ("Memory", format!("{} MB", self.memory.get() / 1_000_000)),
            ("Running for", running_for(site.uptime_s())),
        ];
        figures.map(|(label, value)| (label.to_owned(), value)).into()
    }
}

fn running_for(seconds: u64) -> String {
    match seconds {
        0..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h {} min", seconds / 3_600, seconds / 60 % 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds / 3_600 % 24),
    }
}

/// Returns the resident memory of this process, as Linux reports it.
fn memory_bytes() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok().map(|kb| kb * 1024)
}

/// `GET /metrics`
pub(super) async fn show(State(app): State<SiteState>) -> Result<impl IntoResponse, HttpError> {
    app.metrics.refresh(&app);
    let mut text = String::new();
    encode(&mut text, &app.metrics.registry).map_err(HttpError::internal)?;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], text))
}
