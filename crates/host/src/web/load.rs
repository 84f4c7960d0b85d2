//! The load of the host, for `/metrics` and the admin page.

use std::fs;

use super::site::Site;
use crate::LobbyRow;

/// The load at one point in time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HostLoad {
    /// The number of running games.
    pub(crate) games: usize,
    /// The number of people and bots in them.
    pub(crate) players: usize,
    /// The number of watching connections.
    pub(crate) watchers: usize,
    /// The number of TCP connections.
    pub(crate) connections: usize,
    /// The number of WebSockets.
    pub(crate) sockets: usize,
    /// The resident memory; 0 if the system doesn't report it.
    pub(crate) memory_bytes: usize,
}

impl HostLoad {
    /// Measures the current load.
    pub(crate) fn now(site: &Site, rows: &[LobbyRow]) -> Self {
        let playing = |row: &LobbyRow| row.players.iter().filter(|player| !player.left).count();
        Self {
            games: rows.len(),
            players: rows.iter().map(playing).sum(),
            watchers: rows.iter().map(|row| row.watchers).sum(),
            connections: usize::try_from(site.connections.open()).unwrap_or(usize::MAX),
            sockets: site.connected().count(),
            memory_bytes: memory_bytes().unwrap_or(0),
        }
    }

    /// Returns labels and values as text, for the admin page.
    pub(crate) fn figures(&self, site: &Site) -> Vec<(String, String)> {
        let metrics = &site.metrics;
        let uptime_s = site.uptime_s();
        let keys = metrics.keys.get();
        let figures = [
            ("Games", self.games.to_string()),
            ("Players", self.players.to_string()),
            ("Watchers", self.watchers.to_string()),
            ("Connections", self.connections.to_string()),
            ("Keys", keys.to_string()),
            ("Keys per second", site.keys_per_s().to_string()),
            ("Sent", format!("{} MB", metrics.bytes.get() / 1_000_000)),
            ("Memory", format!("{} MB", self.memory_bytes / 1_000_000)),
            ("Running for", running_for(uptime_s)),
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
