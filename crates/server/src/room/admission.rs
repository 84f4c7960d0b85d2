//! What a message asks to be admitted to, and why it may be refused. The room knows the first, the
//! guard at the door decides the second.

use thiserror::Error;

/// Something that a guard may refuse, because its answer is large or a seat is scarce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// A new player.
    Join,
    /// A new spectator.
    Watch,
    /// The welcome of a player once more.
    JoinAgain,
    /// The welcome of the spectator once more.
    WatchAgain,
}

impl Admission {
    /// True if the peer has no seat yet.
    pub fn is_new(self) -> bool {
        matches!(self, Self::Join | Self::Watch)
    }
}

/// Why a peer may not join. The text is sent to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The rate limit for joins is used up.
    #[error("Too many are joining: try again in a few seconds.")]
    TooFast,
    /// The source has as many players as it may have.
    #[error("No more players may join from your address.")]
    NoSeatLeft,
    /// The operator has banned the source.
    #[error("The host of this game has banned your address.")]
    Banned,
    /// No answer could arrive there.
    #[error("That is not the address of one machine.")]
    NoAddress,
}
