//! The statements of a node to the database, and their answers.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Batch, BatchAnswer, NodeRow};
use crate::cluster::routes::{Epoch, Member, RunId};
use crate::{GameId, GameMeta};

/// Something to ask the database for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// On the connection that is reserved for it.
    Commit(Arc<Batch>),
    /// All nodes.
    ScanNodes,
    /// The owners of all games, and after that the process runs of all nodes.
    ScanGames,
    /// Makes this node the owner, if the owner is still this one.
    Claim(GameRow),
    /// The journal of a game that is ours: its row is locked for this, so that a primary without a standby, which may lack rows
    /// or have some that are lost, never answers.
    ReadJournal {
        /// The game.
        game: GameId,
        /// The epoch in which it is ours.
        epoch: Epoch,
    },
    /// Makes another node the owner, or none.
    Release {
        /// The game.
        game: GameId,
        /// The epoch in which it is ours.
        epoch: Epoch,
        /// The new owner.
        to: Option<Member>,
    },
    /// Removes a game that no living node has in memory: it is over, or nothing of it was ever stored.
    Forget(GameRow),
    /// Removes this node: it has no games any more.
    RemoveNode,
    /// Removes a node that is gone, unless it has renewed its lease or has games.
    RemoveGoneNode(NodeRow),
}

/// An answer of the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// To a commit.
    Committed(BatchAnswer),
    /// All nodes.
    Nodes(Vec<NodeRow>),
    /// All games, and the runs of all nodes.
    Games {
        /// Read first.
        games: Vec<GameRow>,
        /// Read after the games, so that the owner of a new game is among them.
        runs: BTreeSet<RunId>,
    },
    /// The new epoch; none if the game has another owner by now.
    Claimed(Option<Epoch>),
    /// The journal of a game.
    Journal(JournalRows),
    /// False if the game was not ours any more.
    Released(bool),
    /// To a statement without a result.
    Done,
}

/// A game and its owner as the database has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameRow {
    /// The game.
    pub game: GameId,
    /// The process that owns it.
    pub run: RunId,
    /// Grows with every owner.
    pub epoch: Epoch,
    /// Its results are stored. It stays in the memory of its owner for people who come back.
    pub is_over: bool,
}

/// A journal as the database has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalRows {
    /// The number of rows of the whole journal.
    pub rows: u64,
    /// The epoch in which the last one was written.
    pub last_epoch: Epoch,
    /// The records in them.
    pub bytes: Vec<u8>,
    /// The metadata that is stored beside it; `None` if this version can't read that.
    pub meta: Option<Box<GameMeta>>,
}
