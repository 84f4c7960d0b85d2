//! How a run came out: well, or with a fault and the way to it.

use std::any::Any;
use std::fmt;

use nuggets_server::Millis;

use crate::net::Tally;

/// A game that went well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Which.
    pub seed: u64,
    /// Who played where and in what weather, in one line.
    pub setting: String,
    /// How many took part.
    pub clients: usize,
    /// Whether it came to its end.
    pub is_over: bool,
    /// How many had a seat at the end.
    pub seated: usize,
    /// How many of them know the result.
    pub informed: usize,
    /// What became of the datagrams.
    pub tally: Tally,
    /// Datagrams after which the room was compared with the model.
    pub compared: u64,
    /// How long it took in the game's own time.
    pub virtual_ms: u64,
    /// Of every byte that arrived anywhere: the same digest is the same run.
    pub digest: u64,
    /// Every line of what happened, if they were wanted.
    pub trace: Vec<String>,
}

/// A game in which something was wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which.
    pub seed: u64,
    /// Who played where and in what weather, in one line.
    pub setting: String,
    /// When.
    pub at: Millis,
    /// What.
    pub what: String,
    /// The last lines of what happened before.
    pub trace: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, ms) = (self.at.0 / 1_000, self.at.0 % 1_000);
        writeln!(f, "seed {} failed at {seconds}.{ms:03} s: {}", self.seed, self.what)?;
        writeln!(f, "  {}", self.setting)?;
        self.trace.iter().try_for_each(|line| writeln!(f, "  {line}"))
    }
}

/// What somebody who panicked had to say.
pub(super) fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("somebody panicked: {}", text.unwrap_or("without a word"))
}
