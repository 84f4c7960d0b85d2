//! The audience: any number of watchers in addition to the one spectator of the specification.
//!
//! Watchers join through methods of the room, not through the protocol. They take no seat, are not in the journal,
//! and are invisible to clients. A watcher is sent GRID, GOLD, each DISPLAY that differs, and the end over a reliable
//! connection, so nothing is resent.

use nuggets_game::Viewer;
use nuggets_protocol::ServerMessage;
use thiserror::Error;

use super::{Notice, Peer, Role, Room, RoomStage};

/// The reason why a peer can't watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WatchError {
    /// The game is over or the room was shut down.
    #[error("the game is over")]
    Over,
    /// The peer is a player, a former player or the spectator.
    #[error("a player or the spectator can't be a watcher, too")]
    HasSeat,
    /// The player whose view was asked for has not joined or has left.
    #[error("that player is not in the game")]
    NotPlaying,
}

impl Room {
    pub(super) fn watch(&mut self, peer: Peer, viewer: Viewer) -> Result<(), WatchError> {
        if self.stage != RoomStage::Open {
            return Err(WatchError::Over);
        }
        if self.seats.role(peer) != Role::Unknown {
            return Err(WatchError::HasSeat);
        }
        if let Viewer::Player(letter) = viewer
            && self.seats.players().all(|(playing, _)| playing != letter)
        {
            return Err(WatchError::NotPlaying);
        }
        self.views.watch(&self.game, peer, viewer);
        self.notices.push_back(Notice::WatcherJoined { peer, viewer });
        let map = self.game.map();
        self.send(peer, &ServerMessage::Grid { rows: map.rows(), cols: map.cols() });
        self.send_gold(peer, viewer);
        self.outbox.push_picture(peer, viewer);
        Ok(())
    }

    /// Removes a watcher. Returns false if the peer is not one.
    pub(super) fn unwatch(&mut self, peer: Peer) -> bool {
        let was_watching = self.views.unwatch(peer);
        if was_watching {
            self.notices.push_back(Notice::WatcherLeft(peer));
        }
        was_watching
    }
}
