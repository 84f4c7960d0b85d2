//! The result of a run: its figures, or a fault and the trace that led to it.

use std::any::Any;
use std::fmt;

use nuggets_server::Timestamp;
use nuggets_session::SessionOutcome;
use thiserror::Error;

use crate::checked_room::Mismatch;
use crate::net::Tally;

/// A run without a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOutcome {
    /// The seed that fixes the run.
    pub seed: u64,
    /// Clients, dialect, map size and network conditions, in one line.
    pub setting: String,
    /// The number of clients.
    pub clients: usize,
    /// The game has ended.
    pub is_over: bool,
    /// Clients that had a seat at the end.
    pub seated: usize,
    /// Clients of these that know the result.
    pub informed: usize,
    /// Counts of datagrams.
    pub tally: Tally,
    /// Datagrams after which the room was compared with the model.
    pub compared: u64,
    /// Crashes of the server.
    pub crashes: u64,
    /// The virtual duration.
    pub virtual_ms: u64,
    /// A hash of every byte that arrived anywhere: equal digests are equal runs.
    pub digest: u64,
    /// Every line of the trace, if it was asked for.
    pub trace: Vec<String>,
}

/// A run with a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFailure {
    /// The seed that fixes the run.
    pub seed: u64,
    /// Clients, dialect, map size and network conditions, in one line.
    pub setting: String,
    /// The virtual time of the fault.
    pub at: Timestamp,
    /// What went wrong.
    pub fault: RunFault,
    /// The last lines of the trace.
    pub trace: Vec<String>,
}

/// What can go wrong in a run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RunFault {
    /// The plan can't be played.
    #[error("the plan can't be played: {0}")]
    Setup(String),
    /// The room broke a rule.
    #[error(transparent)]
    Room(#[from] Mismatch),
    /// A game of bots takes longer than ten minutes.
    #[error("the game does not end")]
    NeverEnds,
    /// The run takes too many steps: the room or a client gets nowhere.
    #[error("too many steps: the run gets nowhere")]
    Stuck,
    /// The server can't be restarted from its journal.
    #[error("the server can't be restarted: {0}")]
    Restart(String),
    /// A client could receive the result and has not got it.
    #[error("client {client} does not know the result: {outcome:?}")]
    ResultUnknown {
        /// Its number.
        client: usize,
        /// How its session ended, if it was a bot's and has ended.
        outcome: Option<SessionOutcome>,
    },
    /// A client was reachable for long enough and shows an old picture.
    #[error("client {client} is left with a wrong picture")]
    WrongPicture {
        /// Its number.
        client: usize,
    },
    /// A client was reachable for long enough and shows old gold.
    #[error("client {client} is left with wrong gold")]
    WrongGold {
        /// Its number.
        client: usize,
    },
    /// The room or a client panicked.
    #[error("panic: {0}")]
    Panic(String),
}

impl RunFault {
    pub(super) fn from_panic(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        Self::Panic(text.unwrap_or("without a message").to_owned())
    }
}

impl fmt::Display for RunFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.at.0 / 1_000;
        let ms = self.at.0 % 1_000;
        writeln!(f, "seed {} failed at {seconds}.{ms:03} s: {}", self.seed, self.fault)?;
        writeln!(f, "  {}", self.setting)?;
        self.trace.iter().try_for_each(|line| writeln!(f, "  {line}"))
    }
}
