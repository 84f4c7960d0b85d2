//! Figures of rounds of faults: the pauses of clients at living nodes, and the amount that was compared.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// The table that the test prints.
#[derive(Default)]
pub(super) struct Figures {
    rounds: usize,
    faults: BTreeMap<String, Pauses>,
    pub(super) keys: usize,
    pub(super) moves: usize,
    pub(super) connections: u64,
    pub(super) pictures: u64,
    pub(super) rows: u64,
    pub(super) finished: usize,
}

/// The pauses of one kind of round.
#[derive(Default)]
struct Pauses {
    rounds: usize,
    /// The longest time without a picture, of each client.
    clients: Vec<Duration>,
    /// The same without the time in which the database or all nodes were away.
    longer: Vec<Duration>,
}

impl Figures {
    /// The pauses of a round, in which the database or all nodes were away for so long.
    pub(super) fn add(&mut self, what: &str, away: Duration, pauses: &[Duration]) {
        self.rounds += 1;
        let fault = self.faults.entry(what.to_owned()).or_default();
        fault.rounds += 1;
        fault.clients.extend(pauses);
        fault.longer.extend(pauses.iter().map(|pause| pause.saturating_sub(away)));
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rounds, keys, moves, pictures, rows, connections, finished, .. } = self;
        writeln!(
            f,
            "{rounds} rounds: {keys} keys, {moves} moves, {connections} connections; {pictures} pictures found in {rows} \
             rows of journals; {finished} games ended\n\
             pause of clients at living nodes in ms, and without the time in which the database was away\n\
             {:<55} rounds    p50    p99    max    p50    p99    max",
            "fault"
        )?;
        for (what, Pauses { rounds, clients, longer }) in &self.faults {
            writeln!(f, "{what:<55} {rounds:>6}{}{}", quantiles(clients), quantiles(longer))?;
        }
        Ok(())
    }
}

fn quantiles(times: &[Duration]) -> String {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let at = |percent: usize| {
        let index = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
        sorted.get(index).map_or(0, Duration::as_millis)
    };
    [50, 99, 100].map(|percent| format!("{:>7}", at(percent))).concat()
}
