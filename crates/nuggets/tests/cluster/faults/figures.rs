//! What a run of faults comes to: how long games paused for those who play them, and how much was compared.

use std::fmt;
use std::time::Duration;

use super::fault::Fault;

/// What the test prints.
#[derive(Default)]
pub(super) struct Figures {
    /// How long each fault has stopped a game for those who play it.
    pub(super) pauses: Vec<(Fault, Vec<Duration>)>,
    pub(super) keys: usize,
    pub(super) moves: usize,
    pub(super) connections: u64,
    pub(super) pictures: u64,
    pub(super) records: u64,
}

impl Figures {
    pub(super) fn rounds(&self) -> usize {
        self.pauses.len()
    }

    fn line(&self, what: &str, is_it: fn(&Fault) -> bool) -> String {
        let pauses = self.pauses.iter().filter(|(fault, _)| is_it(fault));
        let (rounds, times) =
            (pauses.clone().count(), pauses.flat_map(|(_, times)| times).copied());
        format!("{what}: {rounds} times; {}\n", Quantiles(times.collect()))
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { keys, moves, pictures, records, connections, .. } = self;
        writeln!(
            f,
            "{} rounds: {keys} keys, {moves} moves, {connections} connections; {pictures} pictures found in {records} \
             records; nothing lost, one writer per epoch",
            self.rounds()
        )?;
        f.write_str(&self.line("owner killed", |it| *it == Fault::KillOwner))?;
        f.write_str(&self.line("owner hangs", |it| *it == Fault::HangOwner))?;
        f.write_str(&self.line("owner cut off", |it| matches!(it, Fault::CutOwner(_))))?;
        f.write_str(&self.line("another node killed", |it| *it == Fault::KillEdge))?;
        f.write_str(&self.line("owner stopped as a service", |it| *it == Fault::StopService))?;
        f.write_str(&self.line("broker killed", |it| *it == Fault::KillBroker))?;
        f.write_str(&self.line("two brokers killed", |it| *it == Fault::KillMajority))
    }
}

/// How times are distributed.
struct Quantiles(Vec<Duration>);

impl fmt::Display for Quantiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = |percent: usize| sorted.get((sorted.len() * percent / 100).min(sorted.len() - 1));
        if sorted.is_empty() {
            return write!(f, "no game had to pause");
        }
        let shown = |percent| at(percent).map_or(0, Duration::as_millis);
        let (p50, p99, max) = (shown(50), shown(99), shown(100));
        write!(f, "{} pauses, p50 {p50} ms, p99 {p99} ms, max {max} ms", sorted.len())
    }
}
