//! Why a command is rejected.

use thiserror::Error;

/// Why the lobby rejects a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LobbyError {
    /// The host will stop.
    #[error("this host is about to stop and begins no new games. Please come back in a while")]
    Draining,
    /// The host has as many games as it may have.
    #[error("this host already runs as many games as it can. Join one of them, or try again later")]
    TooManyGames,
    /// The person or the source has as many games as it may have.
    #[error("you already have {0} running games here. End one of them, or wait until one is over")]
    TooManyGamesOfYours(usize),
    /// The lobby does not contain the game.
    #[error("there is no such game, or it is over for long")]
    UnknownGame,
    /// Only the creator may do this.
    #[error("only the person who created this game can do that")]
    NotYours,
    /// Only people of this game may begin the next one, and only players can be kicked.
    #[error("only people who played this game can play it again together")]
    NotAPlayer,
    /// The game isn't over yet.
    #[error("this game is not over yet")]
    NotOver,
    /// The game is over.
    #[error("this game is over")]
    Over,
    /// The game has begun.
    #[error("this game has already begun")]
    AlreadyStarted,
    /// The person or the source is banned.
    #[error("the host has banned you from its games")]
    Banned,
}
