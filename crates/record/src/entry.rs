//! What a recording tells of, one entry after another. How it is written is not asked here.

use std::net::SocketAddr;

use nuggets_game::{Input, Letter, Name, Stroke};

use crate::Millis;

/// Something that happened, and when.
///
/// ```
/// use nuggets_game::{Letter, Stroke};
/// use nuggets_record::{Entry, Millis, What};
///
/// let ann = Letter::nth(0).unwrap();
/// let entry = Entry::new(Millis(1200), What::Press(ann, Stroke::from_key(b'l').unwrap()));
/// assert!(entry.what.input().is_some(), "a key is an input of the game");
/// assert!(What::Unwatch.input().is_none(), "a spectator is none of its business");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When.
    pub at: Millis,
    /// What.
    pub what: What,
}

/// What can happen. Peers stand only in journals, for a server that takes the game up again;
/// recordings are shared, and leave them out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Somebody joined, as the next letter.
    Join {
        /// Under this name.
        name: Name,
        /// From here.
        peer: Option<SocketAddr>,
    },
    /// A player pressed a key, and it moved somebody.
    Press(Letter, Stroke),
    /// A player quit.
    Leave(Letter),
    /// A spectator came, in place of any other.
    Watch {
        /// From here.
        peer: Option<SocketAddr>,
    },
    /// The spectator left.
    Unwatch,
    /// A server took the game up again here.
    Resumed,
    /// The recording ends.
    End(Ending),
    /// The game was over, and whoever could be reached was told. A journal without this leaves a
    /// server something to do.
    Told,
}

/// Why a recording ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The game is over.
    Over,
    /// The server was shut down before that. The game may be resumed.
    Closed,
}

impl Entry {
    /// What happened at this time.
    pub fn new(at: Millis, what: What) -> Self {
        Self { at, what }
    }

    /// The same for a recording that is shared: without saying from where. None if it is only for
    /// servers.
    #[must_use]
    pub fn shared(mut self) -> Option<Self> {
        if let What::Join { peer, .. } | What::Watch { peer } = &mut self.what {
            *peer = None;
        }
        (self.what != What::Told).then_some(self)
    }
}

impl What {
    /// The input of the game that this is, if it is one.
    pub fn input(&self) -> Option<Input> {
        match self {
            Self::Join { name, .. } => Some(Input::Join(name.clone())),
            Self::Press(letter, stroke) => Some(Input::Press(*letter, *stroke)),
            Self::Leave(letter) => Some(Input::Leave(*letter)),
            Self::Watch { .. } | Self::Unwatch | Self::Resumed | Self::End(_) | Self::Told => None,
        }
    }
}
