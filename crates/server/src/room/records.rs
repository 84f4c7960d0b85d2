//! What a room wants stored: everything that fixes its game, as data. The driver turns it into bytes.

use nuggets_game::{Letter, Name, Stroke, Viewer};
use nuggets_record::{Entry, PeerToken, RecordingEnd, Timestamp, What};

use super::Peer;

/// An event and its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomRecord {
    /// The room's own time.
    pub at: Timestamp,
    /// What happened.
    pub event: RoomEvent,
}

/// An event that a journal must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoomEvent {
    /// A player joined, as the next letter.
    Join {
        /// Cleaned and cut.
        name: Name,
        /// The player's client.
        peer: Peer,
    },
    /// A key moved a player.
    Press(Letter, Stroke),
    /// A player left.
    Leave(Letter),
    /// A spectator came and replaced any other.
    Watch {
        /// The spectator's client.
        peer: Peer,
    },
    /// The spectator left.
    Unwatch,
    /// A key came from this seat for the first time, and changed nothing.
    Heard(Viewer),
    /// The game that waited has begun.
    Begun,
    /// The game ended.
    End(RecordingEnd),
    /// The end was sent to every reachable peer, so nothing is left to do.
    EndDelivered,
}

impl RoomRecord {
    /// The journal entry of this record; `token_of` says how the journal identifies a peer.
    pub fn entry(self, token_of: impl FnOnce(Peer) -> PeerToken) -> Entry {
        let what = match self.event {
            RoomEvent::Join { name, peer } => What::Join { name, peer: Some(token_of(peer)) },
            RoomEvent::Press(letter, stroke) => What::Press(letter, stroke),
            RoomEvent::Leave(letter) => What::Leave(letter),
            RoomEvent::Watch { peer } => What::Watch { peer: Some(token_of(peer)) },
            RoomEvent::Unwatch => What::Unwatch,
            RoomEvent::Heard(viewer) => What::Heard(viewer),
            RoomEvent::Begun => What::Begun,
            RoomEvent::End(ending) => What::End(ending),
            RoomEvent::EndDelivered => What::EndDelivered,
        };
        Entry::new(self.at, what)
    }
}
