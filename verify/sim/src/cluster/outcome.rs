//! The figures of runs without a fault. A failure looks like that of a host.

use crate::host::HostFailure;

/// A run without a fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterOutcome {
    /// The seed that fixes the run.
    pub seed: u64,
    /// Games.
    pub games: u64,
    /// Games whose results were stored.
    pub over: u64,
    /// Faults that were injected.
    pub faults: u64,
    /// Statements that were answered.
    pub statements: u64,
    /// Statements whose answer was lost.
    pub unanswered: u64,
    /// Claims that were committed.
    pub claims: u64,
    /// Games that a node opened from their journal.
    pub opened: u64,
    /// Games that were handed over.
    pub handed_over: u64,
    /// Keys that people pressed.
    pub keys: u64,
    /// Keys that acted.
    pub acted: u64,
    /// Joins, returns and watches that were answered.
    pub joined: u64,
    /// Pictures that were compared with the journal.
    pub pictures: u64,
    /// The longest time until all games were served again after the last fault, in milliseconds.
    pub longest_recovery_ms: u64,
    /// The virtual duration.
    pub virtual_ms: u64,
    /// A hash of every byte that arrived at a client: equal digests are equal runs.
    pub digest: u64,
}

/// The sums over many runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterTotal {
    /// Runs.
    pub runs: u64,
    /// The sums of the figures of those without a fault.
    pub sums: ClusterOutcome,
    /// The failed runs, ordered by seed.
    pub failures: Vec<HostFailure>,
}

impl ClusterTotal {
    /// Adds a run.
    pub fn add(&mut self, played: Result<ClusterOutcome, Box<HostFailure>>) {
        self.runs += 1;
        match played {
            Err(failure) => {
                let at = self.failures.partition_point(|other| other.seed < failure.seed);
                self.failures.insert(at, *failure);
            }
            Ok(outcome) => self.sums.add(&outcome),
        }
    }
}

impl ClusterOutcome {
    fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.over += other.over;
        self.faults += other.faults;
        self.statements += other.statements;
        self.unanswered += other.unanswered;
        self.claims += other.claims;
        self.opened += other.opened;
        self.handed_over += other.handed_over;
        self.keys += other.keys;
        self.acted += other.acted;
        self.joined += other.joined;
        self.pictures += other.pictures;
        self.longest_recovery_ms = self.longest_recovery_ms.max(other.longest_recovery_ms);
        self.virtual_ms += other.virtual_ms;
        // The order in which runs are done must not matter.
        self.digest ^= other.digest;
    }
}
