//! The result of a run: its figures, or a fault and the trace that led to it.

use std::fmt;

/// A run without a fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterOutcome {
    /// The seed that fixes the run.
    pub seed: u64,
    /// Things that happened: messages, timers, steps of clients.
    pub events: u64,
    /// Injected faults.
    pub faults: u64,
    /// Messages that were lost.
    pub lost: u64,
    /// Publishes that arrived twice.
    pub doubled: u64,
    /// Records in the logs.
    pub records: u64,
    /// Keys that clients pressed.
    pub keys: u64,
    /// Keys that were answered.
    pub answered: u64,
    /// How often a node opened a log.
    pub openings: u64,
    /// How often a game was paused because nothing could be saved.
    pub pauses: u64,
    /// Contradictions between a log and a file that were reported.
    pub contradictions: u64,
    /// Logs that were handed over.
    pub hand_overs: u64,
    /// The longest hand-over, in milliseconds.
    pub longest_hand_over_ms: u64,
    /// The longest time from the end of the faults to an answer in every game, in milliseconds.
    pub longest_resume_ms: u64,
    /// The longest time from the death of an owner to an answer in every game, in milliseconds.
    pub longest_take_over_ms: u64,
    /// The longest time from the death of one broker to an answer in every game, in milliseconds.
    pub longest_broker_loss_ms: u64,
    /// The virtual duration.
    pub virtual_ms: u64,
}

/// A run with a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterFailure {
    /// The seed that fixes the run.
    pub seed: u64,
    /// Nodes, clients and faults, in one line.
    pub setting: String,
    /// The virtual time of the fault, since the start.
    pub at_ms: u64,
    /// What went wrong.
    pub what: String,
    /// The last lines of the trace.
    pub trace: Vec<String>,
}

impl fmt::Display for ClusterFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, ms) = (self.at_ms / 1_000, self.at_ms % 1_000);
        writeln!(f, "seed {} failed at {seconds}.{ms:03} s: {}", self.seed, self.what)?;
        writeln!(f, "  {}", self.setting)?;
        self.trace.iter().try_for_each(|line| writeln!(f, "  {line}"))
    }
}

/// The sums over many runs; of durations the longest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterTotal {
    /// Runs.
    pub runs: u64,
    /// The sums of the figures of those without a fault.
    pub sums: ClusterOutcome,
    /// The take-over time of each run without a fault, in milliseconds.
    pub take_overs_ms: Vec<u64>,
    /// The failed runs, ordered by seed.
    pub failures: Vec<ClusterFailure>,
}

impl ClusterTotal {
    /// Adds a run.
    pub fn add(&mut self, played: Result<ClusterOutcome, Box<ClusterFailure>>) {
        self.runs += 1;
        match played {
            Err(failure) => {
                let at = self.failures.partition_point(|other| other.seed < failure.seed);
                self.failures.insert(at, *failure);
            }
            Ok(outcome) => self.add_outcome(&outcome),
        }
    }

    fn add_outcome(&mut self, outcome: &ClusterOutcome) {
        let sums = &mut self.sums;
        sums.events += outcome.events;
        sums.faults += outcome.faults;
        sums.lost += outcome.lost;
        sums.doubled += outcome.doubled;
        sums.records += outcome.records;
        sums.keys += outcome.keys;
        sums.answered += outcome.answered;
        sums.openings += outcome.openings;
        sums.pauses += outcome.pauses;
        sums.contradictions += outcome.contradictions;
        sums.hand_overs += outcome.hand_overs;
        sums.virtual_ms += outcome.virtual_ms;
        let longest = |one: &mut u64, other: u64| *one = (*one).max(other);
        longest(&mut sums.longest_hand_over_ms, outcome.longest_hand_over_ms);
        longest(&mut sums.longest_resume_ms, outcome.longest_resume_ms);
        longest(&mut sums.longest_take_over_ms, outcome.longest_take_over_ms);
        longest(&mut sums.longest_broker_loss_ms, outcome.longest_broker_loss_ms);
        self.take_overs_ms.push(outcome.longest_take_over_ms);
    }

    /// The take-over time that so many percent of the runs did not exceed, in milliseconds.
    pub fn take_over_percentile_ms(&self, percent: usize) -> u64 {
        let mut sorted = self.take_overs_ms.clone();
        sorted.sort_unstable();
        let at = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
        sorted.get(at).copied().unwrap_or(0)
    }
}
