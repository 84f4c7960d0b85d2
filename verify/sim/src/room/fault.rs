//! The faults of a game over a bad network.

use nuggets_session::SessionOutcome;
use thiserror::Error;

use crate::checked_room::Mismatch;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RoomFault {
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
    #[error("{0}")]
    Panic(String),
}

impl From<String> for RoomFault {
    fn from(panic: String) -> Self {
        Self::Panic(panic)
    }
}
