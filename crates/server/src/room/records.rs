//! The records that a room needs stored: every event that determines its game, as data. The driver encodes them.

use nuggets_game::{Letter, Name, Stroke, Viewer};
use nuggets_record::{Entry, PeerToken, RecordedEvent, RecordingEnd, Timestamp};

use super::Peer;

/// An event and its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomRecord {
    /// The room's time.
    pub at: Timestamp,
    /// The event.
    pub event: RoomEvent,
}

/// An event that must be in the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoomEvent {
    /// A player joined and got the next letter.
    Join {
        /// The name, cleaned and truncated.
        name: Name,
        /// The player's client.
        peer: Peer,
    },
    /// A key moved a player.
    Press(Letter, Stroke),
    /// A player left.
    Leave(Letter),
    /// A spectator joined and replaced the previous one, if any.
    Watch {
        /// The spectator's client.
        peer: Peer,
    },
    /// The spectator left.
    Unwatch,
    /// The first key from this seat arrived and changed nothing.
    Heard(Viewer),
    /// A waiting game has begun.
    Begun,
    /// The game ended.
    End(RecordingEnd),
    /// The end was sent to every reachable peer, so nothing is left to do.
    EndDelivered,
}

impl RoomRecord {
    /// Converts the record to a journal entry; `token_of` returns the token that identifies a peer in the journal.
    pub fn entry(self, token_of: impl FnOnce(Peer) -> PeerToken) -> Entry {
        let what = match self.event {
            RoomEvent::Join { name, peer } => {
                RecordedEvent::Join { name, peer: Some(token_of(peer)) }
            }
            RoomEvent::Press(letter, stroke) => RecordedEvent::Press(letter, stroke),
            RoomEvent::Leave(letter) => RecordedEvent::Leave(letter),
            RoomEvent::Watch { peer } => RecordedEvent::Watch { peer: Some(token_of(peer)) },
            RoomEvent::Unwatch => RecordedEvent::Unwatch,
            RoomEvent::Heard(viewer) => RecordedEvent::Heard(viewer),
            RoomEvent::Begun => RecordedEvent::Begun,
            RoomEvent::End(ending) => RecordedEvent::End(ending),
            RoomEvent::EndDelivered => RecordedEvent::EndDelivered,
        };
        Entry::new(self.at, what)
    }
}
