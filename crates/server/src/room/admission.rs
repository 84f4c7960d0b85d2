//! The kinds of admission that a request needs, and the reasons for refusing it. The room determines the first, the
//! guard the second.

use thiserror::Error;

/// A request that a guard may refuse, because its answer is large or seats are scarce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// A new player.
    Join,
    /// A new spectator.
    Watch,
    /// Another welcome for a player.
    JoinAgain,
    /// Another welcome for the spectator.
    WatchAgain,
}

impl Admission {
    /// True if the peer has no seat yet.
    pub fn is_new(self) -> bool {
        matches!(self, Self::Join | Self::Watch)
    }
}

/// The reason why a peer may not join. Its text is sent to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The rate limit for joins is used up.
    #[error("Too many are joining: try again in a few seconds.")]
    TooFast,
    /// The source already has the maximum number of players.
    #[error("No more players may join from your address.")]
    NoSeatLeft,
    /// The operator has banned the source.
    #[error("The host of this game has banned your address.")]
    Banned,
    /// No answer could arrive at that address.
    #[error("That is not the address of one machine.")]
    NoAddress,
}
