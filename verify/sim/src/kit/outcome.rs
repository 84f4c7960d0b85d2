//! The result of a run: its figures, or a fault and the trace that led to it; and the total of many.

use std::fmt;

use super::Figures;

/// A run without a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The seed that fixes the run.
    pub seed: u64,
    /// The plan in one line.
    pub setting: String,
    /// The figures.
    pub figures: Figures,
    /// A hash of every byte that arrived anywhere: equal digests are equal runs.
    pub digest: u64,
    /// Every line of the trace, if it was asked for.
    pub trace: Vec<String>,
}

/// A run with a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The seed that fixes the run.
    pub seed: u64,
    /// The plan in one line.
    pub setting: String,
    /// The virtual time of the fault, since the start.
    pub at_ms: u64,
    /// The broken rule.
    pub fault: String,
    /// The last lines of the trace, or all if that was asked for.
    pub trace: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, ms) = (self.at_ms / 1_000, self.at_ms % 1_000);
        writeln!(f, "seed {} failed at {seconds}.{ms:03} s: {}", self.seed, self.fault)?;
        writeln!(f, "  {}", self.setting)?;
        self.trace.iter().try_for_each(|line| writeln!(f, "  {line}"))
    }
}

/// The result of many runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Total {
    /// All runs.
    pub runs: u64,
    /// The sums of the figures of those without a fault.
    pub figures: Figures,
    /// The digests of all runs.
    pub digest: u64,
    /// The failed runs, ordered by seed.
    pub failures: Vec<Failure>,
}

impl Total {
    pub(super) fn new(figures: &[&'static str]) -> Self {
        Self { runs: 0, figures: Figures::new(figures), digest: 0, failures: vec![] }
    }

    pub(super) fn add(&mut self, played: Result<Outcome, Box<Failure>>) {
        self.runs += 1;
        match played {
            Err(failure) => self.failures.push(*failure),
            Ok(outcome) => {
                self.figures.add_all(&outcome.figures);
                // The order in which runs are done must not matter.
                self.digest ^= outcome.digest;
            }
        }
    }
}
