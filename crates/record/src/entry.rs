//! The entries of a recording: inputs and other events, with their times. This module must not know
//! their encoding.

use nuggets_game::{Input, Letter, Name, Stroke, Viewer};

use crate::{PeerToken, Timestamp};

/// An event and its time. A running room identifies a peer by its own ids, a journal by tokens.
///
/// ```
/// use nuggets_game::{Letter, Stroke};
/// use nuggets_record::{Entry, Timestamp, RecordedEvent};
///
/// let ann = Letter::nth(0).unwrap();
/// let entry = Entry::new(Timestamp(1200), RecordedEvent::Press(ann, Stroke::from_key(b'l').unwrap()));
/// assert!(entry.what.input().is_some(), "a key is an input of the game");
/// let entry = Entry::new(Timestamp(1300), RecordedEvent::Unwatch);
/// assert!(entry.what.input().is_none(), "the game doesn't know spectators");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<P = Option<PeerToken>> {
    /// The time since the recording began.
    pub at: Timestamp,
    /// The event.
    pub what: RecordedEvent<P>,
}

/// The kinds of events. Only journals hold peers, for a server that resumes the game; recordings are
/// shared, and leave them out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedEvent<P = Option<PeerToken>> {
    /// A player joined and got the next letter.
    Join {
        /// The player's name.
        name: Name,
        /// The player's peer.
        peer: P,
    },
    /// A player pressed a key, and the game accepted it.
    Press(Letter, Stroke),
    /// A player quit.
    Leave(Letter),
    /// A spectator came and replaced any other.
    Watch {
        /// The spectator's peer.
        peer: P,
    },
    /// The spectator left.
    Unwatch,
    /// The first key from this client since it joined arrived and changed nothing: so the client has received
    /// its welcome. Only in journals, and at most once for each client.
    Heard(Viewer),
    /// The game has begun for players that had to wait: keys move them from now on. Only in journals, and not in
    /// those of games that did not wait.
    Begun,
    /// A server resumed the game.
    Resumed,
    /// The recording ends.
    End(RecordingEnd),
    /// The game is over and every reachable client was sent the result. A server that resumes a
    /// journal without this entry sends the result again.
    EndDelivered,
}

/// Why a recording ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordingEnd {
    /// The game is over.
    Over,
    /// The server was shut down before that. The game can be resumed.
    Closed,
    /// The host has ended the game before all gold was found.
    ByHost,
    /// The game was ended because no more gold was found, or could be.
    Stalemate,
}

impl RecordingEnd {
    /// True if the game can't be resumed after this end.
    pub fn is_final(self) -> bool {
        self != Self::Closed
    }
}

impl<P> Entry<P> {
    /// The same entry with another identification of its peer.
    pub fn map_peer<Q>(self, peer_of: impl FnOnce(P) -> Q) -> Entry<Q> {
        let what = match self.what {
            RecordedEvent::Join { name, peer } => RecordedEvent::Join { name, peer: peer_of(peer) },
            RecordedEvent::Press(letter, stroke) => RecordedEvent::Press(letter, stroke),
            RecordedEvent::Leave(letter) => RecordedEvent::Leave(letter),
            RecordedEvent::Watch { peer } => RecordedEvent::Watch { peer: peer_of(peer) },
            RecordedEvent::Unwatch => RecordedEvent::Unwatch,
            RecordedEvent::Heard(viewer) => RecordedEvent::Heard(viewer),
            RecordedEvent::Begun => RecordedEvent::Begun,
            RecordedEvent::Resumed => RecordedEvent::Resumed,
            RecordedEvent::End(end) => RecordedEvent::End(end),
            RecordedEvent::EndDelivered => RecordedEvent::EndDelivered,
        };
        Entry { at: self.at, what }
    }
}

impl Entry {
    /// An entry at this time.
    pub fn new(at: Timestamp, what: RecordedEvent) -> Self {
        Self { at, what }
    }

    /// The entry for a recording that is shared: without the peer. `None` if only a server needs it.
    #[must_use]
    pub fn shared(mut self) -> Option<Self> {
        if let RecordedEvent::Join { peer, .. } | RecordedEvent::Watch { peer } = &mut self.what {
            *peer = None;
        }
        (!matches!(
            self.what,
            RecordedEvent::Heard(_) | RecordedEvent::Begun | RecordedEvent::EndDelivered
        ))
        .then_some(self)
    }
}

impl RecordedEvent {
    /// The input for the game, if this is one.
    pub fn input(&self) -> Option<Input> {
        match self {
            Self::Join { name, .. } => Some(Input::Join(name.clone())),
            Self::Press(letter, stroke) => Some(Input::Press(*letter, *stroke)),
            Self::Leave(letter) => Some(Input::Leave(*letter)),
            Self::Watch { .. }
            | Self::Unwatch
            | Self::Heard(_)
            | Self::Begun
            | Self::Resumed
            | Self::End(_)
            | Self::EndDelivered => None,
        }
    }
}
