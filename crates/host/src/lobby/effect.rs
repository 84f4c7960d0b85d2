//! What the lobby decides, for the shell to do.

use nuggets_game::Setup;

use super::Ban;
use crate::{EndReason, GameCommand, GameId, GameMeta};

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
    /// Give a game this command. After `End` its report that it is over is expected.
    Game(GameId, GameCommand),
    /// Give all games this command.
    AllGames(GameCommand),
    /// The game has ended and its journal is complete: store it with its results (`Store::finish_game`).
    Finish(GameId, EndReason),
    /// Store the ban, and close all connections that it applies to.
    Ban(Ban),
    /// Remove the ban from the store.
    Unban(Ban),
    /// Drained: nothing runs any more, the process can stop.
    Stop,
}
