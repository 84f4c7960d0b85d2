//! A switch for each rule that safety, or liveness, depends on. Without the rule the simulation must fail.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A rule that is broken on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterSabotage {
    /// The statement of a batch checks run and epoch, but locks no row.
    NoRowLock,
    /// A claim keeps the epoch of the game.
    SameEpoch,
    /// Rows are appended to a journal that lacks the row before.
    NoPredecessor,
    /// A journal is read without a lock, so that an old primary answers, and a row that is stored already is not compared with
    /// the one to store.
    NoComparison,
    /// An unanswered batch is sent again with other bytes.
    OtherBytes,
    /// A commit without an answer is taken for one that is stored.
    NoAnswer,
    /// A commit that is answered with a warning is taken for one that is on the standby.
    Warning,
    /// A game that was skipped is taken for stored.
    Skipped,
    /// Output is shown before its commit.
    ShownEarly,
    /// Joins, returns and watches are answered without a commit.
    NoJoinProof,
    /// Keys act after a pause without a new proof.
    NoProof,
    /// A game is opened from a journal that was read before the claim.
    EarlyRead,
    /// Games are claimed whatever the lease of their owner says.
    EarlyClaim,
    /// A look counts although our own lease did not grow in it.
    StaleLook,
    /// Connections of a client are accepted in any order.
    AnyAttempt,
    /// The results of a game are stored by every try.
    ResultsAgain,
    /// A node that can't open a game keeps it.
    KeepsUnopened,
}

/// The word names no fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown fault: choose one of {}", words())]
pub struct UnknownClusterSabotage;

fn words() -> String {
    ClusterSabotage::ALL.map(ClusterSabotage::word).join(", ")
}

impl ClusterSabotage {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::NoRowLock,
        Self::SameEpoch,
        Self::NoPredecessor,
        Self::NoComparison,
        Self::OtherBytes,
        Self::NoAnswer,
        Self::Warning,
        Self::Skipped,
        Self::ShownEarly,
        Self::NoJoinProof,
        Self::NoProof,
        Self::EarlyRead,
        Self::EarlyClaim,
        Self::StaleLook,
        Self::AnyAttempt,
        Self::ResultsAgain,
        Self::KeepsUnopened,
    ];

    /// The word for it on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::NoRowLock => "lock",
            Self::SameEpoch => "epoch",
            Self::NoPredecessor => "predecessor",
            Self::NoComparison => "comparison",
            Self::OtherBytes => "resend",
            Self::NoAnswer => "answer",
            Self::Warning => "warning",
            Self::Skipped => "skipped",
            Self::ShownEarly => "shown",
            Self::NoJoinProof => "join",
            Self::NoProof => "proof",
            Self::EarlyRead => "read",
            Self::EarlyClaim => "lease",
            Self::StaleLook => "look",
            Self::AnyAttempt => "attempt",
            Self::ResultsAgain => "results",
            Self::KeepsUnopened => "release",
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
