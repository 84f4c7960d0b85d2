//! The meaning of what a room sends, for transports that don't send its text. Texts are written at the edge: here for people,
//! by `Dialect` for clients of the specification.

use nuggets_game::Viewer;
use nuggets_protocol::{ClientMessageError, QuitKind, house_rules};
use thiserror::Error;

use super::Refusal;

/// The meaning of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// The picture of a view. Of several to one peer that are not sent yet, only the last is needed.
    Picture {
        /// The view.
        viewer: Viewer,
        /// The picture as in `DISPLAY`: rows, each with a newline.
        rows: &'a [u8],
        /// The gridpoints, row by row and in ascending order, that may differ from the last picture that a watcher of this
        /// view was sent. A first picture must be read whole.
        changed: &'a [u32],
    },
    /// Any other message.
    Message(Said),
}

/// The meaning of a message other than a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// As in `GOLD`.
    Gold {
        /// Nuggets that the peer has just collected.
        found: u32,
        /// Nuggets in its purse.
        purse: u32,
        /// Nuggets that no player has collected.
        remaining: u32,
    },
    /// The last request of the peer had no effect.
    Error(ErrorReply),
    /// The peer is out of the game, or not let in.
    Quit(QuitReason),
    /// A welcome, house rules, a notice of the host, the final table, or the second of two messages that mean one thing.
    Other,
}

/// Why a request has no effect.
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
    /// The key stands for nothing.
    #[error("unknown keystroke")]
    UnknownKey,
    /// A key of the spectator other than `Q`.
    #[error("A spectator can only press Q.")]
    OnlyQ,
    /// The peer has no seat.
    #[error("You have not joined this game.")]
    NotJoined,
    /// The rate limit for keys is used up.
    #[error("You press keys too fast: some are left out.")]
    TooFast,
    /// The message is malformed.
    #[error(transparent)]
    Malformed(#[from] ClientMessageError),
}

/// Why a peer is out of the game, or not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum QuitReason {
    /// A reason that the specification has a text for.
    #[error(transparent)]
    Specified(#[from] QuitKind),
    /// Every spot of the map is taken.
    #[error("There is no free spot to start from.")]
    NoSpot,
    /// A player who left can't come back.
    #[error("You have left this game and can't come back.")]
    HasLeft,
    /// The guard refuses the peer.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The lifetime of the player is over, by the rules of the house.
    #[error("You have no steps left and are out of the game.")]
    Starved,
    /// The idle timeout of the player has passed.
    #[error("You have not pressed a key for too long and are out of the game.")]
    Idle,
    /// The player had no connection for too long.
    #[error("You were away for too long and are out of the game.")]
    Away,
    /// The operator of a server has removed the player.
    #[error("The host has removed you from the game.")]
    Kicked,
    /// The operator of a server has removed the peer and banned its address.
    #[error("The host has removed you from the game and banned your address.")]
    Banned,
    /// The person who hosts many games has removed the player from this one.
    #[error("You were removed from this game.")]
    Removed,
    /// The server stops, or can't store the game any more.
    #[error("{}", house_rules::SHUTTING_DOWN)]
    ShuttingDown,
}
