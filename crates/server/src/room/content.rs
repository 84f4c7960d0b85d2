//! The meaning of a room's messages, for transports that don't send its text. Texts are written at the edge: here for
//! people, by `Dialect` for clients that follow the specification.

use nuggets_game::Viewer;
use nuggets_protocol::{ClientMessageError, QuitKind, house_rules};
use thiserror::Error;

use super::Refusal;

/// The meaning of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The picture of this view (see `Room::canvas`). If several for one peer have not been sent yet, only the last is
    /// needed.
    Picture(Viewer),
    /// Any other message.
    Message(MessageKind),
}

/// The meaning of a message other than a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// As in `GOLD`.
    Gold {
        /// Nuggets that the peer has just collected.
        found: u32,
        /// Nuggets in its purse.
        purse: u32,
        /// Nuggets that no player has collected.
        remaining: u32,
    },
    /// The peer's last request had no effect.
    Error(ErrorReply),
    /// The peer was removed from the game or rejected.
    Quit(QuitReason),
    /// A welcome, house rules, a notice from the host, the final table, or the second of two messages with one
    /// meaning.
    Other,
}

/// The reason why a request has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ErrorReply {
    /// A player can't join again under another name.
    #[error("You are already playing under another name.")]
    OtherName,
    /// The spectator can't play.
    #[error("You are watching: quit (Q) before you play.")]
    Watching,
    /// A player can't be the spectator.
    #[error("You are playing: quit (Q) before you watch.")]
    Playing,
    /// The key has no meaning.
    #[error("unknown keystroke")]
    UnknownKey,
    /// The spectator pressed a key other than `Q`.
    #[error("A spectator can only press Q.")]
    OnlyQ,
    /// The peer has no seat.
    #[error("You have not joined this game.")]
    NotJoined,
    /// The peer exceeded the key rate.
    #[error("You press keys too fast: some are left out.")]
    TooFast,
    /// The message is malformed.
    #[error(transparent)]
    Malformed(#[from] ClientMessageError),
}

/// The reason why a peer was removed from the game or rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum QuitReason {
    /// A reason for which the specification has a text.
    #[error(transparent)]
    Specified(#[from] QuitKind),
    /// Every spot of the map is occupied.
    #[error("There is no free spot to start from.")]
    NoSpot,
    /// The player has left and can't come back.
    #[error("You have left this game and can't come back.")]
    HasLeft,
    /// The guard refused the peer.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The player has used up the steps that the house rules allow.
    #[error("You have no steps left and are out of the game.")]
    Starved,
    /// The player exceeded the idle timeout.
    #[error("You have not pressed a key for too long and are out of the game.")]
    Idle,
    /// The player was disconnected for too long.
    #[error("You were away for too long and are out of the game.")]
    Away,
    /// The operator of the server removed the player.
    #[error("The host has removed you from the game.")]
    Kicked,
    /// The operator of the server removed the peer and banned its address.
    #[error("The host has removed you from the game and banned your address.")]
    Banned,
    /// The operator of a host with many games removed the player from this one.
    #[error("You were removed from this game.")]
    Removed,
    /// The server is stopping, or can't store the game any more.
    #[error("{}", house_rules::SHUTTING_DOWN)]
    ShuttingDown,
}
