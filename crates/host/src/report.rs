//! The reports of a game to the lobby.

use nuggets_game::Letter;
use serde::{Deserialize, Serialize};

use crate::PlayerId;
use crate::wire::{PlayerLine, ResultLine};

/// A report of a game to the lobby.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameReport {
    /// The game is open, new or resumed. Reported once, first.
    Opened {
        /// Rows of the map.
        rows: u16,
        /// Columns of the map.
        cols: u16,
        /// The maximum number of players over the whole game.
        max_players: u8,
        /// Nuggets in the whole game.
        gold: u32,
        /// Nuggets that are not collected.
        gold_left: u32,
        /// True if keys act.
        has_started: bool,
    },
    /// A player joined, or had joined before a resumed game was opened.
    Joined(SeatedPlayer),
    /// A player left for good.
    Left(#[serde(with = "letter")] Letter),
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
    Over {
        /// The richest first; none if the game was already over when it was opened.
        results: Vec<GameResult>,
    },
    /// The game can't go on: a defect, or its journal can't be written. Its files are kept.
    Failed {
        /// The cause, for the log and the admin page.
        why: String,
    },
    /// The game is over or has failed, its last connections are gone, and its memory was freed.
    Closed,
}

/// A player in a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatedPlayer {
    /// The letter.
    #[serde(with = "letter")]
    pub letter: Letter,
    /// The name in the game, cleaned.
    pub name: String,
    /// The kind of player.
    pub who: PlayerKind,
}

/// A kind of player.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayerKind {
    /// A person with a browser, or over WebSocket.
    Person(PlayerId),
    /// A bot of the host with this brain.
    Bot(String),
    /// A UDP client.
    Udp,
}

/// The result of one player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameResult {
    /// The player.
    pub player: SeatedPlayer,
    /// The number of nuggets that the player has.
    pub purse: u32,
}

impl SeatedPlayer {
    /// Returns the line of the roster.
    pub fn line(&self, has_left: bool) -> PlayerLine {
        PlayerLine {
            letter: self.letter.as_byte().into(),
            name: self.name.clone(),
            bot: matches!(self.who, PlayerKind::Bot(_)),
            left: has_left,
        }
    }
}

impl GameResult {
    /// Returns the line of the final table.
    pub fn line(&self) -> ResultLine {
        let SeatedPlayer { letter, name, .. } = &self.player;
        ResultLine { letter: letter.as_byte().into(), name: name.clone(), purse: self.purse }
    }
}

/// Serialises a letter as a character.
mod letter {
    use nuggets_game::Letter;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(super) fn serialize<S: Serializer>(letter: &Letter, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_char(letter.as_byte().into())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Letter, D::Error> {
        let letter = u8::try_from(char::deserialize(from)?).ok().and_then(Letter::from_byte);
        letter.ok_or_else(|| serde::de::Error::custom("no letter of a player"))
    }
}
