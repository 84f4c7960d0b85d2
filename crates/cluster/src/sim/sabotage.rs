//! A switch for each rule that safety depends on. Without the rule the simulation must fail.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A rule that is broken on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterSabotage {
    /// Records are published without an expected sequence.
    Sequence,
    /// A new owner publishes no fences and no record with its epoch.
    Fence,
    /// A new owner fences only the stream in which it writes.
    Streams,
    /// Output is shown before the acknowledgement.
    Ack,
    /// A publish without an answer is taken for stored.
    Silence,
    /// A new owner does not read the last record of the log.
    Tail,
    /// The log is completed from the copy without comparing them.
    Proof,
    /// A contradiction is resolved by dropping the copy.
    Contradiction,
    /// Frames are applied whatever their number.
    Numbers,
    /// A new owner does not know which frames were applied.
    Marks,
    /// Frames are applied that a client has sent over an earlier connection.
    Order,
    /// Every token is accepted.
    Tokens,
    /// A node may speak for the clients of another one.
    Senders,
    /// Edges show every picture that arrives.
    Pictures,
    /// A log is handed over to a node that has not read it.
    Prepare,
    /// Nobody replaces an owner that is gone.
    Takeover,
}

/// The word names no fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown fault: choose one of {}", words())]
pub struct UnknownClusterSabotage;

fn words() -> String {
    let words: Vec<&str> = ClusterSabotage::ALL.iter().map(|it| it.word()).collect();
    words.join(", ")
}

impl ClusterSabotage {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Sequence,
        Self::Fence,
        Self::Streams,
        Self::Ack,
        Self::Silence,
        Self::Tail,
        Self::Proof,
        Self::Contradiction,
        Self::Numbers,
        Self::Marks,
        Self::Order,
        Self::Tokens,
        Self::Senders,
        Self::Pictures,
        Self::Prepare,
        Self::Takeover,
    ];

    /// The word for it on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sequence => "sequence",
            Self::Fence => "fence",
            Self::Streams => "streams",
            Self::Ack => "ack",
            Self::Silence => "silence",
            Self::Tail => "tail",
            Self::Proof => "proof",
            Self::Contradiction => "contradiction",
            Self::Numbers => "numbers",
            Self::Marks => "marks",
            Self::Order => "order",
            Self::Tokens => "tokens",
            Self::Senders => "senders",
            Self::Pictures => "pictures",
            Self::Prepare => "prepare",
            Self::Takeover => "takeover",
        }
    }
}

impl fmt::Display for ClusterSabotage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for ClusterSabotage {
    type Err = UnknownClusterSabotage;

    fn from_str(word: &str) -> Result<Self, UnknownClusterSabotage> {
        Self::ALL.into_iter().find(|it| it.word() == word).ok_or(UnknownClusterSabotage)
    }
}
