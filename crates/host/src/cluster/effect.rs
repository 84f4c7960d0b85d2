//! What the driver of a node wants to be done, and what is brought to it.

use std::net::SocketAddr;

use nuggets_cluster::nats::NodeStatus;
use nuggets_cluster::{
    EngineReply, EngineRequest, Epoch, Heartbeat, Instance, LogName, OwnerMessage, Ownership,
    RequestId, Seq,
};
use tokio::sync::{mpsc, oneshot};

use super::messages::{Details, GameOrder, NodeMessage};
use super::owned_game::VerifiedPlayer;
use crate::store::replica::KeptRecords;
use crate::wire::{DirectLine, Hello};
use crate::workers::relay::{GameOutput, RelayOrder, View};
use crate::{AttachError, Attached, ConnectionId, GameId, GameMeta, GameReport};

/// Answers a connection that wants to play or watch.
pub(super) type AttachAnswer = oneshot::Sender<Result<Attached, AttachError>>;

/// What is to be done, in this order.
#[derive(Debug)]
pub(super) enum Effect {
    Request {
        journal: Option<LogName>,
        request: EngineRequest,
    },
    Send {
        to: Instance,
        message: NodeMessage,
    },
    Broadcast(NodeMessage),
    Heartbeat(Heartbeat),
    Order(GameId, RelayOrder),
    /// Run the game of this log from its journal.
    OpenGame {
        log: LogName,
        epoch: u64,
        journal: Vec<u8>,
    },
    /// It runs here no longer.
    CloseGame(GameId),
    /// Check the token of a player.
    Verify {
        log: LogName,
        epoch: u64,
        connection: nuggets_cluster::ConnectionId,
        hello: Vec<u8>,
    },
    /// What an own game has reported, for the lobby of this node.
    Reports(GameId, Vec<GameReport>),
    /// The same of a game of another node.
    OthersReports(GameId, Vec<GameReport>),
    /// What is known of a log has changed.
    Known(LogName, Ownership),
    /// The people of an own game play this one next.
    NextGame(GameId, GameId),
    Datagrams(GameId, Vec<(SocketAddr, Vec<u8>)>),
    /// How many watch which game at another node.
    Watchers(Instance, std::collections::BTreeMap<GameId, u32>),
    /// Read what the tables of this node have of the log of accounts, which it owns in this epoch.
    OpenAccounts(Epoch),
    /// The accounts have changed.
    ReadAccounts,
    /// All games are handed over.
    Drained,
    /// This node does not hear itself: perhaps another broker answers.
    Reconnect,
}

impl Effect {
    pub(super) fn send(to: Instance, message: NodeMessage) -> Self {
        Self::Send { to, message }
    }

    pub(super) fn to_edge(to: Instance, message: OwnerMessage) -> Self {
        Self::Send { to, message: NodeMessage::Owner(message) }
    }
}

/// What is brought to the driver.
#[derive(Debug)]
pub(super) enum Input {
    Reply {
        journal: Option<LogName>,
        id: RequestId,
        reply: EngineReply,
    },
    /// An ownership record, as it is stored.
    Ownership(LogName, Seq, Vec<u8>),
    /// They are delivered again from the first one on.
    WatchRestart,
    Heartbeat(Heartbeat),
    Message(Instance, NodeMessage),
    Output(GameOutput),
    Verified {
        log: LogName,
        epoch: u64,
        connection: nuggets_cluster::ConnectionId,
        verified: Result<VerifiedPlayer, String>,
    },
    /// A game could not be opened from what is stored.
    OpenFailed(LogName, String),
    /// A player at this node.
    Play(PlayHere),
    /// A watcher at this node.
    Watch(WatchHere),
    Key(ConnectionId, char),
    Leave(ConnectionId),
    Order(GameId, GameOrder),
    NoticeAll(String),
    Create {
        details: Box<Details>,
        answer: oneshot::Sender<Result<(), String>>,
    },
    SetMeta(Box<GameMeta>),
    Watchers(std::collections::BTreeMap<GameId, u32>),
    Broadcast(NodeMessage),
    /// What the tables of this node have of the log of accounts.
    KeptRecords(Epoch, KeptRecords),
    /// A change of accounts, for the owner of their log.
    AccountCommand(Vec<u8>),
    /// The results of an own game are in the accounts.
    ResultsStored(GameId),
    /// Look for a game that is not known yet.
    Refresh(GameId),
    Drain,
    Status(oneshot::Sender<NodeStatus>),
    Tick,
    Stop,
}

/// A connection of this node that wants to play.
#[derive(Debug)]
pub(crate) struct PlayHere {
    pub(crate) game: GameId,
    pub(crate) connection: ConnectionId,
    pub(crate) hello: Vec<u8>,
    pub(crate) delay_ms: u64,
    pub(crate) direct: mpsc::Sender<DirectLine>,
    pub(crate) answer: AttachAnswer,
}

/// A connection of this node that wants to watch.
#[derive(Debug)]
pub(crate) struct WatchHere {
    pub(crate) game: GameId,
    pub(crate) view: View,
    /// Without the id of the stream.
    pub(crate) hello: Hello,
    pub(crate) delay_ms: u64,
    pub(crate) answer: AttachAnswer,
}
