//! The audience: any number of watchers in addition to the one spectator of the specification.
//!
//! Watchers join through methods of the room, not through the protocol. They take no seat, are not in the journal,
//! and are invisible to clients. A watcher is sent GRID, GOLD, each DISPLAY that differs, and the end over a reliable
//! connection, so nothing is resent.

use nuggets_game::Viewer;
use nuggets_protocol::ServerMessage;
use thiserror::Error;

use super::{Notice, Peer, Role, Room, RoomStage, Timestamp};

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
    /// Adds a watcher to the audience, or changes its view: the whole map, or one player's view. Sends the watcher
    /// the complete state. The view of a player who leaves stays as it was then.
    pub fn handle_watch(
        &mut self,
        now: Timestamp,
        peer: Peer,
        viewer: Viewer,
    ) -> Result<(), WatchError> {
        self.now = self.now.max(now);
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
        self.notices.push_back(Notice::WatcherJoined(peer, viewer));
        let map = self.game.map();
        self.send(peer, &ServerMessage::Grid { rows: map.rows(), cols: map.cols() });
        self.send_gold(peer, viewer);
        self.outbox.push_picture(peer, viewer);
        Ok(())
    }

    /// Removes the peer from the watchers, if it is one.
    pub(super) fn unwatch(&mut self, peer: Peer) {
        if self.views.unwatch(peer) {
            self.notices.push_back(Notice::WatcherLeft(peer));
        }
    }
}
