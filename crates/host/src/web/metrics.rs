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

/// The counters of the host. Any thread can increment them.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// Number of keys that people sent.
    pub(crate) keys: Counter,
    /// Number of messages sent over WebSockets.
    pub(crate) frames: Counter,
    /// Number of bytes of these messages.
    pub(crate) bytes: Counter,
    /// Number of games created since the start.
    pub(crate) created: Counter,
}

impl Metrics {
    /// Returns all metrics, with the current values of those that are measured instead of counted.
    fn registry(&self, site: &Site) -> Registry {
        let mut registry = Registry::with_prefix("nuggets");
        let service = &site.service;
        let rejected = Counter::default();
        rejected.inc_by(site.connections.rejected() + site.sockets.rejected());
        let counters = [
            ("keys", "Keys that people sent", &self.keys),
            ("frames_sent", "Messages sent over WebSockets", &self.frames),
            ("bytes_sent", "Bytes of those messages", &self.bytes),
            ("games_created", "Games created since the start", &self.created),
            ("rejected_connections", "Connections over a limit", &rejected),
            (
                "failed_games",
                "Games that a fault of the host has ended, such as a panic",
                &service.failed,
            ),
        ];
        for (name, help, counter) in counters {
            registry.register(name, help, counter.clone());
        }
        for (name, help, value) in measured(site) {
            let gauge: Gauge = Gauge::default();
            gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
            registry.register(name, help, gauge);
        }
        let help = "How long the journal of a game took to be written, for each input";
        registry.register("journal_append_seconds", help, service.journal_time.0.clone());
        if let Some(cluster) = &service.cluster {
            cluster.figures.register(&mut registry);
        }
        registry
    }

    /// Returns labels and values as text, for the admin page.
    pub(crate) fn figures(&self, site: &Site) -> Vec<(String, String)> {
        let [games, players, watchers, connections, _, memory] =
            measured(site).map(|(_, _, value)| value);
        let figures = [
            ("Games", games.to_string()),
            ("Players", players.to_string()),
            ("Watchers", watchers.to_string()),
            ("Connections", connections.to_string()),
            ("Keys", self.keys.get().to_string()),
            ("Keys per second", site.keys_per_s().to_string()),
            ("Sent", format!("{} MB", self.bytes.get() / 1_000_000)),
            ("Memory", format!("{} MB", memory / 1_000_000)),
            ("Running for", running_for(site.uptime_s())),
        ];
        figures.map(|(label, value)| (label.to_owned(), value)).into()
    }
}

/// Returns name, help text and value of each gauge.
fn measured(site: &Site) -> [(&'static str, &'static str, usize); 6] {
    let rows = site.service.own_rows();
    let playing = |row: &LobbyRow| row.players.iter().filter(|player| !player.left).count();
    let connections = usize::try_from(site.connections.open()).unwrap_or(usize::MAX);
    [
        ("games", "Running games", rows.len()),
        ("players", "People and bots in running games", rows.iter().map(playing).sum()),
        ("watchers", "Connections that watch", rows.iter().map(|row| row.watchers).sum()),
        ("connections", "Open TCP connections", connections),
        ("websockets", "Open WebSockets", site.service.connected.count()),
        ("resident_memory_bytes", "Memory of the process", memory_bytes().unwrap_or(0)),
    ]
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
    let mut text = String::new();
    encode(&mut text, &app.metrics.registry(&app)).map_err(HttpError::internal)?;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], text))
}
