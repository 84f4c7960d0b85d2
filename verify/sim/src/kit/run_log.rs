//! The virtual time, the trace, the figures and the digest of one run.

use std::collections::VecDeque;
use std::fmt;

use nuggets_time::Timestamp;

use super::{Failure, Figures, Outcome, Simulation};

/// The number of lines kept for the report of a failure.
const MAX_LINES: usize = 60;
/// The number of bytes shown of a message.
const MAX_HEAD_BYTES: usize = 48;

/// One line of the trace. Its text is made when it is shown.
#[derive(Clone, Debug)]
struct TraceLine {
    at_ms: u64,
    what: String,
    bytes: Vec<u8>,
    left_out: usize,
}

/// The virtual time, the trace, the figures and the digest of one run.
#[derive(Clone, Debug)]
pub struct RunLog {
    seed: u64,
    setting: String,
    start: Timestamp,
    /// The virtual time.
    pub now: Timestamp,
    /// The figures so far.
    pub figures: Figures,
    digest: u64,
    lines: VecDeque<TraceLine>,
    /// All lines are kept, even of a run without a fault.
    keeps_all: bool,
}

impl RunLog {
    /// The log of a run that begins at this time.
    pub fn new<S: Simulation>(seed: u64, plan: &S::Plan, start: Timestamp) -> Self {
        Self {
            seed,
            setting: plan.to_string(),
            start,
            now: start,
            figures: Figures::new(S::FIGURES),
            digest: 0xcbf2_9ce4_8422_2325,
            lines: VecDeque::new(),
            keeps_all: false,
        }
    }

    /// Keeps all lines of the trace, not only the last ones for a failure.
    pub fn keep_all_lines(&mut self) {
        self.keeps_all = true;
    }

    /// Adds to a figure.
    pub fn count(&mut self, name: &str, number: u64) {
        self.figures.add(name, number);
    }

    /// The virtual time since the start.
    pub fn passed_ms(&self) -> u64 {
        self.now.since(self.start)
    }

    /// Adds a line to the trace.
    pub fn note(&mut self, what: impl Into<String>) {
        self.add_line(what.into(), b"");
    }

    /// Adds a message that arrives to the trace and to the digest.
    pub fn note_arrival(&mut self, what: impl Into<String>, bytes: &[u8]) {
        let what = what.into();
        self.digest(what.as_bytes());
        self.digest(&self.passed_ms().to_le_bytes());
        self.digest(bytes);
        self.add_line(what, bytes);
    }

    /// Adds bytes to the digest: FNV-1a.
    pub fn digest(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.digest = (self.digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn add_line(&mut self, what: String, bytes: &[u8]) {
        if !self.keeps_all && self.lines.len() == MAX_LINES {
            self.lines.pop_front();
        }
        let shown = bytes.len().min(MAX_HEAD_BYTES);
        let (head, left_out) = (bytes[..shown].to_vec(), bytes.len() - shown);
        self.lines.push_back(TraceLine { at_ms: self.passed_ms(), what, bytes: head, left_out });
    }

    fn trace(&self) -> Vec<String> {
        self.lines.iter().map(ToString::to_string).collect()
    }

    pub(super) fn outcome(&self) -> Outcome {
        let trace = if self.keeps_all { self.trace() } else { vec![] };
        let (setting, figures) = (self.setting.clone(), self.figures.clone());
        Outcome { seed: self.seed, setting, figures, digest: self.digest, trace }
    }

    pub(super) fn failure(&self, fault: String) -> Failure {
        let (setting, at_ms) = (self.setting.clone(), self.passed_ms());
        Failure { seed: self.seed, setting, at_ms, fault, trace: self.trace() }
    }
}

impl fmt::Display for TraceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at_ms, what, bytes, left_out } = self;
        write!(f, "{:>4}.{:03} {what}", at_ms / 1_000, at_ms % 1_000)?;
        if !bytes.is_empty() {
            write!(f, " {}", bytes.escape_ascii())?;
        }
        if *left_out > 0 { write!(f, "... ({left_out} more bytes)") } else { Ok(()) }
    }
}
