//! The reports of a game to the lobby.

use nuggets_game::Letter;

use crate::wire::PlayerLine;
use crate::{PlayerId, Rated};

/// A report of a game to the lobby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameReport {
    /// The game is open, new or resumed. Reported once, first.
    Opened {
        /// Nuggets that are not collected.
        gold_left: u32,
        /// True if keys act.
        has_started: bool,
    },
    /// A player joined, or had joined before a resumed game was opened.
    Joined(SeatedPlayer),
    /// A player left for good.
    Left(Letter),
    /// Gold was found, or came back onto the map.
    GoldLeft(u32),
    /// The number of connections has changed. Reported at most about twice per second.
    Connected {
        /// People who play, each counted once.
        players: u32,
        /// Connections that watch.
        watchers: u32,
    },
    /// Keys act from now on.
    Started,
    /// The game is over. May be reported again by a resumed game.
    Over,
    /// The game can't go on: a defect, or its journal can't be written. Its files are kept.
    Failed {
        /// The cause, for the log and the admin page.
        why: String,
    },
    /// The game is over or has failed, its last connections are gone, and its memory was freed.
    Closed,
}

/// A player in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatedPlayer {
    /// The letter.
    pub letter: Letter,
    /// The name in the game, cleaned.
    pub name: String,
    /// The person or the brain of the bot; `None` for a UDP client.
    pub who: Option<Rated>,
    /// True if the player has left for good.
    pub has_left: bool,
}

impl SeatedPlayer {
    /// Returns the line of the roster.
    pub fn line(&self) -> PlayerLine {
        PlayerLine {
            letter: self.letter.as_byte().into(),
            name: self.name.clone(),
            bot: self.is_bot(),
            left: self.has_left,
        }
    }

    /// True for a bot of the host.
    pub fn is_bot(&self) -> bool {
        matches!(self.who, Some(Rated::Bot(_)))
    }

    /// Returns the account of a person.
    pub fn person(&self) -> Option<PlayerId> {
        match self.who {
            Some(Rated::Player(id)) => Some(id),
            Some(Rated::Bot(_)) | None => None,
        }
    }
}
