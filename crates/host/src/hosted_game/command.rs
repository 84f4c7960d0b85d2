//! The commands of a game, as data. The lobby, the web, the admin page, UDP ports and the threads of the games
//! create commands; `HostedGame::handle` alone executes them.

use std::net::SocketAddr;

use nuggets_game::Letter;
use nuggets_server::Commit;

use super::Attach;
use crate::{ConnectionId, GameId};

/// A command for one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameCommand {
    /// Lets a connection play or watch. A person who already plays returns to the same seat. The answer is output.
    Attach(Box<Attach>),
    /// Removes a connection that was closed.
    Detach(ConnectionId),
    /// Presses a key for the player with this connection. If it has no effect, that connection gets an error reply.
    Key(ConnectionId, char),
    /// Handles a message that arrived over UDP.
    Datagram(SocketAddr, Box<[u8]>),
    /// Stops sending to this address, which was reported as unreachable.
    Unreachable(SocketAddr),
    /// Lets keys act.
    Start,
    /// Ends the game before all gold is found.
    End,
    /// Removes a player.
    Kick(Letter),
    /// Sends all clients this message of the host.
    Notice(String),
    /// Sends all clients the id of the next game of the same people.
    ShowNext(GameId),
    /// Handles everything that is due.
    Timeout,
    /// Releases output: everything up to this commit is stored.
    Stored(Commit),
}

impl GameCommand {
    /// True if losing the command is harmless: its sender repeats it, or has sent far too many.
    pub(crate) fn may_be_dropped(&self) -> bool {
        matches!(self, Self::Key(..) | Self::Datagram(..) | Self::Timeout)
    }

    /// Returns the client who sends a key or datagram; `None` for other commands.
    pub(crate) fn client(&self) -> Option<(Option<ConnectionId>, Option<SocketAddr>)> {
        match self {
            Self::Key(connection, _) => Some((Some(*connection), None)),
            Self::Datagram(from, _) => Some((None, Some(*from))),
            _ => None,
        }
    }
}
