//! What a thread is asked to do with one of its games.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use nuggets_game::Letter;
use tokio::sync::oneshot;

use super::WorkerGame;
use crate::hosted_game::{Attach, AttachError, Attached};
use crate::wire::DirectLine;
use crate::{ConnectionId, GameId};

/// Keys and datagrams that wait in one thread; more are dropped.
const MAX_WAITING: usize = 1 << 16;

/// An order for one game.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) game: GameId,
    pub(super) order: Order,
}

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
}

impl Order {
    /// True if the sender will send it again when it is lost, or has sent far too many.
    fn may_be_dropped(&self) -> bool {
        matches!(self, Self::Key { .. } | Self::Datagram { .. })
    }
}

/// The sending side of a thread's commands.
#[derive(Debug)]
pub(super) struct Inbox {
    commands: mpsc::Sender<Option<Command>>,
    waiting: Arc<AtomicUsize>,
}

/// The receiving side.
#[derive(Debug)]
pub(super) struct Commands {
    commands: mpsc::Receiver<Option<Command>>,
    waiting: Arc<AtomicUsize>,
}

impl Inbox {
    pub(super) fn new() -> (Self, Commands) {
        let (sender, receiver) = mpsc::channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let inbox = Self { commands: sender, waiting: Arc::clone(&waiting) };
        (inbox, Commands { commands: receiver, waiting })
    }

    pub(super) fn send(&self, command: Command) {
        let waiting = self.waiting.fetch_add(1, Ordering::Relaxed);
        let is_dropped = waiting >= MAX_WAITING && command.order.may_be_dropped();
        // The thread has ended: its games are closed.
        if is_dropped || self.commands.send(Some(command)).is_err() {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// The thread ends after the commands that wait.
    pub(super) fn close(&self) {
        let _ = self.commands.send(None);
    }
}

/// Why a wait for a command ended.
#[derive(Debug)]
pub(super) enum Waited {
    Command(Box<Command>),
    Timeout,
    Closed,
}

impl Commands {
    /// Waits for the next command, at most this long.
    pub(super) fn wait(&self, limit: std::time::Duration) -> Waited {
        match self.commands.recv_timeout(limit) {
            Ok(Some(command)) => {
                self.waiting.fetch_sub(1, Ordering::Relaxed);
                Waited::Command(Box::new(command))
            }
            Err(mpsc::RecvTimeoutError::Timeout) => Waited::Timeout,
            Ok(None) | Err(mpsc::RecvTimeoutError::Disconnected) => Waited::Closed,
        }
    }
}
