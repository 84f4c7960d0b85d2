//! What a thread is asked to do with one of its games.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use nuggets_game::Letter;
use nuggets_server::Commit;
use nuggets_time::Timestamp;
use tokio::sync::oneshot;

use super::WorkerGame;
use super::game_cell::GameCell;
use crate::hosted_game::{Attach, AttachError, Attached};
use crate::wire::DirectLine;
use crate::{ConnectionId, GameId};

/// Orders that wait in one thread; more datagrams are dropped.
const MAX_WAITING: usize = 1 << 16;

/// What a thread is asked to do.
#[derive(Debug)]
enum Command {
    /// Brings an order to a game. One that is closed meanwhile ignores it, even if the same game was opened again.
    Order(Arc<GameCell>, Order),
    /// Carries out the orders that wait for a game.
    Run(GameId),
    /// Wakes a game at this time.
    WakeAt(Timestamp, GameId),
    /// Ends.
    Close,
}

/// What a game is asked to do.
#[derive(Debug)]
pub(super) enum Order {
    Open(Box<WorkerGame>),
    Attach {
        attach: Attach,
        direct: tokio::sync::mpsc::Sender<DirectLine>,
        answer: oneshot::Sender<Result<Attached, AttachError>>,
    },
    Detach(ConnectionId),
    Key {
        connection: ConnectionId,
        key: char,
    },
    /// A timeout is due.
    Timeout,
    Start,
    End,
    Kick(Letter),
    Notice(String),
    SetNext(GameId),
    Datagram {
        from: SocketAddr,
        bytes: Box<[u8]>,
    },
    Unreachable(SocketAddr),
    /// Everything up to this commit is stored.
    Stored(Commit),
}

impl Order {
    /// True if the sender will send it again when it is lost, or has sent far too many.
    pub(super) fn may_be_dropped(&self) -> bool {
        matches!(self, Self::Key { .. } | Self::Datagram { .. })
    }
}

/// The sending side of a thread's commands.
#[derive(Clone, Debug)]
pub(super) struct Inbox {
    commands: mpsc::Sender<Command>,
    waiting: Arc<AtomicUsize>,
}

/// The receiving side.
#[derive(Debug)]
pub(super) struct Commands {
    commands: mpsc::Receiver<Command>,
    waiting: Arc<AtomicUsize>,
}

impl Inbox {
    pub(super) fn new() -> (Self, Commands) {
        let (sender, receiver) = mpsc::channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let inbox = Self { commands: sender, waiting: Arc::clone(&waiting) };
        (inbox, Commands { commands: receiver, waiting })
    }

    pub(super) fn send(&self, game: Arc<GameCell>, order: Order) {
        let waiting = self.waiting.fetch_add(1, Ordering::Relaxed);
        let is_dropped = waiting >= MAX_WAITING && order.may_be_dropped();
        // The thread has ended: its games are closed.
        if is_dropped || self.commands.send(Command::Order(game, order)).is_err() {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// The thread carries out the orders that wait for the game.
    pub(super) fn run(&self, game: GameId) {
        // The thread has ended: the game is closed.
        let _ = self.commands.send(Command::Run(game));
    }

    /// The thread wakes the game at this time.
    pub(super) fn wake_at(&self, at: Timestamp, game: GameId) {
        // The thread has ended: the game is closed.
        let _ = self.commands.send(Command::WakeAt(at, game));
    }

    /// The thread ends after the commands that wait.
    pub(super) fn close(&self) {
        let _ = self.commands.send(Command::Close);
    }
}

/// Why a wait for a command ended.
#[derive(Debug)]
pub(super) enum Waited {
    Order(Arc<GameCell>, Box<Order>),
    Run(GameId),
    WakeAt(Timestamp, GameId),
    Timeout,
    Closed,
}

impl Commands {
    /// Waits for the next command, at most this long.
    pub(super) fn wait(&self, limit: std::time::Duration) -> Waited {
        match self.commands.recv_timeout(limit) {
            Ok(Command::Order(game, order)) => {
                self.waiting.fetch_sub(1, Ordering::Relaxed);
                Waited::Order(game, Box::new(order))
            }
            Ok(Command::Run(game)) => Waited::Run(game),
            Ok(Command::WakeAt(at, game)) => Waited::WakeAt(at, game),
            Err(mpsc::RecvTimeoutError::Timeout) => Waited::Timeout,
            Ok(Command::Close) | Err(mpsc::RecvTimeoutError::Disconnected) => Waited::Closed,
        }
    }
}
