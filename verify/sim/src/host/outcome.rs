//! The result of a run: its figures, or a fault and the trace that led to it.

use std::fmt;

/// A run without a fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostOutcome {
    /// The seed that fixes the run.
    pub seed: u64,
    /// Games.
    pub games: u64,
    /// Games that ended by the rules.
    pub over: u64,
    /// How often a client took or came back to a place in a game.
    pub joined: u64,
    /// Connections that broke.
    pub drops: u64,
    /// How often the server was killed.
    pub crashes: u64,
    /// Messages that arrived at clients.
    pub messages: u64,
    /// Datagrams that arrived, at either side.
    pub datagrams: u64,
    /// Datagrams that the network lost.
    pub lost: u64,
    /// Pictures that were compared with what really happened.
    pub pictures: u64,
    /// Clients that had the right picture in the end.
    pub settled: u64,
    /// The virtual duration.
    pub virtual_ms: u64,
    /// A hash of every byte that arrived at a client: equal digests are equal runs.
    pub digest: u64,
}

/// A run with a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFailure {
    /// The seed that fixes the run.
    pub seed: u64,
    /// Games, people and faults, in one line.
    pub setting: String,
    /// The virtual time of the fault, since the start.
    pub at_ms: u64,
    /// What went wrong.
    pub what: String,
    /// The last lines of the trace.
    pub trace: Vec<String>,
}

impl fmt::Display for HostFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, ms) = (self.at_ms / 1_000, self.at_ms % 1_000);
        writeln!(f, "seed {} failed at {seconds}.{ms:03} s: {}", self.seed, self.what)?;
        writeln!(f, "  {}", self.setting)?;
        self.trace.iter().try_for_each(|line| writeln!(f, "  {line}"))
    }
}

/// The sums over many runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostTotal {
    /// Runs.
    pub runs: u64,
    /// The sums of the figures of those without a fault.
    pub sums: HostOutcome,
    /// The failed runs, ordered by seed.
    pub failures: Vec<HostFailure>,
}

impl HostTotal {
    /// Adds a run.
    pub fn add(&mut self, played: Result<HostOutcome, Box<HostFailure>>) {
        self.runs += 1;
        match played {
            Err(failure) => {
                let at = self.failures.partition_point(|other| other.seed < failure.seed);
                self.failures.insert(at, *failure);
            }
            Ok(outcome) => {
                let sums = &mut self.sums;
                sums.games += outcome.games;
                sums.over += outcome.over;
                sums.joined += outcome.joined;
                sums.drops += outcome.drops;
                sums.crashes += outcome.crashes;
                sums.messages += outcome.messages;
                sums.datagrams += outcome.datagrams;
                sums.lost += outcome.lost;
                sums.pictures += outcome.pictures;
                sums.settled += outcome.settled;
                sums.virtual_ms += outcome.virtual_ms;
                // The order in which runs are done must not matter.
                sums.digest ^= outcome.digest;
            }
        }
    }
}
