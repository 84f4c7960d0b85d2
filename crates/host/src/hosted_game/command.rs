//! Everything that a game can be asked to do, as data. The lobby, the web, the admin page, UDP ports and the threads of the games
//! create commands; `HostedGame::handle` alone executes them.

use std::net::SocketAddr;

use nuggets_game::Letter;
use nuggets_server::Commit;

use super::Attach;
use crate::{ConnectionId, GameId};

/// A command for one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameCommand {
    /// Lets a connection play or watch. A person who plays already comes back to the same seat. `poll_answer` has the answer.
    Attach(Box<Attach>),
    /// Forgets a connection, which is closed.
    Detach(ConnectionId),
    /// Presses a key of the player with this connection. One that has no effect is answered to that connection.
    Key(ConnectionId, char),
    /// Takes a message over UDP.
    Datagram(SocketAddr, Box<[u8]>),
    /// Stops sending to this address: a datagram came back.
    Unreachable(SocketAddr),
    /// Lets keys act.
    Start,
    /// Ends the game as it is, without waiting for its last nugget.
    End,
    /// Removes a player.
    Kick(Letter),
    /// Shows all clients this message of the host.
    Notice(String),
    /// Shows all clients the game that its people play next.
    ShowNext(GameId),
    /// Handles everything that is due.
    Timeout,
    /// Releases output: everything up to this commit is stored.
    Stored(Commit),
}

impl GameCommand {
    /// True if its sender sends it again when it is lost, or has sent far too many.
    pub(crate) fn may_be_dropped(&self) -> bool {
        matches!(self, Self::Key(..) | Self::Datagram(..) | Self::Timeout)
    }
}
