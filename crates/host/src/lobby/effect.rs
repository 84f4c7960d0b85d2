//! The effects of the lobby, which the shell executes.

use nuggets_game::Setup;

use super::Ban;
use crate::{EndReason, GameCommand, GameId, GameMeta};

/// An effect that the shell must execute. Effects keep their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LobbyEffect {
    /// Store the meta, then open a room with a new journal.
    Open {
        /// The metadata that is stored beside the journal.
        meta: Box<GameMeta>,
        /// The map, the rules and the seed.
        setup: Box<Setup>,
    },
    /// Store the changed meta of a running game.
    StoreMeta(Box<GameMeta>),
    /// Give a game this command. After `End`, the game reports that it is over.
    Game(GameId, GameCommand),
    /// Give all games this command.
    AllGames(GameCommand),
    /// The game has ended and its journal is complete: store it with its results (`Store::finish_game`).
    Finish(GameId, EndReason),
    /// Store the ban, and close all connections that it applies to.
    Ban(Ban),
    /// Remove the ban from the store.
    Unban(Ban),
    /// Stop the process: the host is drained and no game runs any more.
    Stop,
}
