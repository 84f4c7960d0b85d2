//! The events of a node, which the shell executes.

use super::{BatchNumber, JournalRows};
use crate::GameId;
use crate::cluster::routes::{Epoch, Member};

/// Something that the shell must do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeEvent {
    /// Run this game from its journal. `handle_open_failed` if that can't be done.
    Open {
        /// The game.
        game: GameId,
        /// The epoch in which it is ours.
        epoch: Epoch,
        /// All its records.
        journal: JournalRows,
        /// The reason.
        why: Opening,
    },
    /// Let go of this game: nothing of it may be shown or sent any more.
    Close {
        /// The game.
        game: GameId,
        /// The reason.
        why: Closing,
    },
    /// Everything of this game that waits for this batch, or an earlier one, may be shown.
    Stored {
        /// The game.
        game: GameId,
        /// The last batch that is stored.
        batch: BatchNumber,
    },
    /// Notify this node that it owns the game now.
    CallTakeOver {
        /// The game.
        game: GameId,
        /// The epoch in which it belongs to the successor.
        epoch: Epoch,
        /// The node to call.
        successor: Member,
    },
    /// No commit is answered any more, or they are again.
    Available(bool),
    /// Another process uses the name of this node: the process must end.
    Expelled,
    /// All games are handed over, and the node is removed.
    Stopped,
}

/// The reason why a game is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// Its owner is gone, or has handed it over.
    TakenOver,
    /// The database has lost records that were acknowledged: the game goes on from what it has.
    RecordsLost,
}

/// The reason why a game is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// Another node owns it.
    Superseded,
    /// It was handed over.
    HandedOver,
    /// It is opened again from what the database has.
    Reopened,
    /// It could not be opened here.
    Failed,
}
