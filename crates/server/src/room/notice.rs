//! What the room has to say to its host. The shell writes it to the log.

use std::fmt;

use nuggets_game::{End, Letter, Name};
use nuggets_protocol::Malformed;
use nuggets_record::Millis;

use super::Peer;
use crate::Refusal;

/// Something worth a line in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A player joined.
    Joined {
        /// From where.
        peer: Peer,
        /// As which letter.
        letter: Letter,
        /// Under which name.
        name: Name,
    },
    /// A client asked to join once more; its first answer may have been lost.
    Repeated(Peer),
    /// Somebody could not join.
    TurnedAway {
        /// From where.
        peer: Peer,
        /// Why.
        why: &'static str,
    },
    /// The guard turned somebody away.
    Guarded {
        /// From where.
        peer: Peer,
        /// Why.
        why: Refusal,
    },
    /// What was sent to somebody came back.
    Unreachable(Peer),
    /// A spectator joined.
    Watching(Peer),
    /// A spectator lost the place to a new one.
    Replaced(Peer),
    /// The spectator quit.
    StoppedWatching(Peer),
    /// A player took gold.
    Collected {
        /// Who.
        letter: Letter,
        /// How many nuggets.
        nuggets: u32,
        /// How many are left.
        remaining: u32,
    },
    /// A player took the purses of others.
    Stole {
        /// Who.
        letter: Letter,
        /// How many nuggets.
        nuggets: u32,
    },
    /// Somebody who is gone has left its gold on the map.
    Dropped {
        /// Who.
        letter: Letter,
        /// How many nuggets.
        nuggets: u32,
        /// How many lie on the map now.
        remaining: u32,
    },
    /// A player quit.
    Left(Letter),
    /// A player has no steps left.
    Starved(Letter),
    /// A player was silent for too long.
    Idle(Letter),
    /// The game was taken up again.
    Resumed {
        /// At which moment of its own time.
        at: Millis,
    },
    /// The game was taken up again, and is over.
    ResumedAtTheEnd,
    /// A well-formed message that could not be granted.
    Complained {
        /// From where.
        peer: Peer,
        /// What was wrong.
        why: &'static str,
    },
    /// A message in no known form.
    Malformed {
        /// From where.
        peer: Peer,
        /// What was wrong.
        why: Malformed,
        /// How long it was.
        length: usize,
        /// Its first bytes, made harmless.
        start: String,
    },
    /// The game ended.
    Over(End),
    /// The host ended the game.
    ShutDown,
}

/// How much a notice matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Something is not as it should be.
    Warn,
    /// The course of the game.
    Info,
    /// Details.
    Debug,
}

/// So much of a malformed message is shown.
const SHOWN_BYTES: usize = 40;

impl Notice {
    pub(super) fn malformed(peer: Peer, why: Malformed, bytes: &[u8]) -> Self {
        let start = bytes[..bytes.len().min(SHOWN_BYTES)].escape_ascii().to_string();
        Self::Malformed { peer, why, length: bytes.len(), start }
    }

    /// How much it matters.
    pub fn level(&self) -> Level {
        match self {
            Self::Malformed { .. } | Self::Guarded { .. } => Level::Warn,
            Self::Repeated(_) | Self::Complained { .. } => Level::Debug,
            _ => Level::Info,
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Joined { peer, letter, name } => {
                write!(f, "{letter} joins from {peer}: {:?}", name.as_str())
            }
            Self::Repeated(peer) => write!(f, "{peer} joins again and is told everything anew"),
            Self::TurnedAway { peer, why } => write!(f, "{peer} is turned away: {why}"),
            Self::Guarded { peer, why } => write!(f, "{peer} is turned away: {why}"),
            Self::Unreachable(peer) => {
                write!(f, "{peer} can't be reached and is sent nothing more")
            }
            Self::Watching(peer) => write!(f, "{peer} is the spectator"),
            Self::Replaced(peer) => write!(f, "{peer} is no longer the spectator: replaced"),
            Self::StoppedWatching(peer) => write!(f, "{peer} is no longer the spectator: quit"),
            Self::Collected { letter, nuggets, remaining } => {
                write!(f, "{letter} takes {nuggets} nuggets, {remaining} are left")
            }
            Self::Stole { letter, nuggets } => {
                write!(f, "{letter} takes {nuggets} nuggets from other purses")
            }
            Self::Dropped { letter, nuggets, remaining } => {
                write!(f, "{letter} leaves {nuggets} nuggets behind, {remaining} are left")
            }
            Self::Left(letter) => write!(f, "{letter} quits"),
            Self::Starved(letter) => write!(f, "{letter} has no steps left and is out"),
            Self::Idle(letter) => write!(f, "{letter} was silent for too long and is out"),
            Self::Resumed { at } => {
                write!(f, "the game goes on where it was left after {} s", at.0 / 1000)
            }
            Self::ResumedAtTheEnd => f.write_str(
                "the game in the journal is over, but perhaps not everybody has heard it: the end is \
                 told again. Begin another file for another game",
            ),
            Self::Complained { peer, why } => write!(f, "complaint to {peer}: {why}"),
            Self::Malformed { peer, why, length, start } => {
                write!(f, "{why} (from {peer}, {length} bytes: \"{start}\")")
            }
            Self::Over(End::AllCollected) => f.write_str("game over: all gold is collected"),
            Self::Over(End::NobodyLeft) => {
                f.write_str("game over: everybody who could join has quit")
            }
            Self::Over(End::Emptied) => f.write_str("game over: the last player has quit"),
            Self::ShutDown => f.write_str("shutting down"),
        }
    }
}
