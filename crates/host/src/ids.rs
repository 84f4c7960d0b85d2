//! The ids of games, people and connections.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The id of a game, as in its link: 12 letters and digits with 60 random bits, so the link of a game that is not public can't
/// be guessed.
///
/// ```
/// use nuggets_host::GameId;
///
/// let id = GameId::from_random([7; 12]);
/// assert_eq!(id.to_string().parse(), Ok(id));
/// assert!("../../etc".parse::<GameId>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId([u8; 12]);

/// Letters and digits, without letters that look like digits.
const ALPHABET: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz023456789";

/// The text is not a game id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not the id of a game: it has 12 letters and digits, as in the link of the game")]
pub struct BadGameId;

impl GameId {
    /// Creates an id from random bytes.
    pub fn from_random(bytes: [u8; 12]) -> Self {
        Self(bytes.map(|byte| ALPHABET[usize::from(byte) % ALPHABET.len()]))
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{}", char::from(*byte)))
    }
}

impl FromStr for GameId {
    type Err = BadGameId;

    fn from_str(text: &str) -> Result<Self, BadGameId> {
        let bytes: [u8; 12] = text.as_bytes().try_into().map_err(|_| BadGameId)?;
        let is_known = bytes.iter().all(|byte| ALPHABET.contains(byte));
        is_known.then_some(Self(bytes)).ok_or(BadGameId)
    }
}

impl Serialize for GameId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for GameId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// The id of an account: a guest, or a person who claimed a name with a password. The row id in SQLite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlayerId(pub u64);

/// The id of a WebSocket. A person may have several, for example two tabs; all of them share one seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u64);
