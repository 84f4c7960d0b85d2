//! What the lobby decides, for the shell to do.

use nuggets_game::{Letter, Setup};

use super::Ban;
use crate::{EndReason, GameId, GameMeta};

/// What the shell must do, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LobbyEffect {
    /// Store the meta, then open a room with a new journal.
    Open {
        /// What is stored beside the journal.
        meta: Box<GameMeta>,
        /// Fixes the game.
        setup: Box<Setup>,
    },
    /// Store the meta of a running game again: it has changed.
    StoreMeta(Box<GameMeta>),
    /// Let keys act.
    Start(GameId),
    /// End the game now, without waiting for its last nugget. Its report that it is over is expected.
    End(GameId),
    /// The game has ended and its journal is complete: store it with its results (`Store::finish_game`).
    Finish(GameId, EndReason),
    /// Make this player leave this game.
    Kick(GameId, Letter),
    /// Show all people of one game, or of all games, these words.
    Message(Option<GameId>, String),
    /// Show the people of a game the link to their next one.
    ShowNext {
        /// The game that is over.
        game: GameId,
        /// The next one.
        next: GameId,
    },
    /// Store the ban, and close all connections that it applies to.
    Ban(Ban),
    /// Remove the ban from the store.
    Unban(Ban),
    /// Drained: nothing runs any more, the process can stop.
    Stop,
}
