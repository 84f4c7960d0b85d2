//! What the lobby shows of a game.

use nuggets_protocol::web::{PlayerLine, Stage};
use nuggets_time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{GameId, PlayerId, Start, Visibility};

/// A running game in the lobby and in `GET /api/games`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LobbyRow {
    /// Its id.
    pub id: GameId,
    /// What people call its map.
    pub map: String,
    /// Rows of the map.
    pub rows: u16,
    /// Columns of the map.
    pub cols: u16,
    /// All who play or have played, in the order of letters.
    pub players: Vec<PlayerLine>,
    /// How many may join over the whole game.
    pub max_players: usize,
    /// Nuggets not yet found.
    pub gold_left: u32,
    /// Nuggets in the whole game.
    pub gold: u32,
    /// How many watch.
    pub watchers: usize,
    /// Whether keys act.
    pub stage: Stage,
    /// When keys begin to act.
    pub start: Start,
    /// How far watchers are behind, in seconds.
    pub delay_s: u32,
    /// Whether it changes ratings.
    pub rated: bool,
    /// The rules of the house in short, if there are any.
    pub rules: Option<String>,
    /// The name of its creator.
    pub creator: String,
    /// Whether the person who asks created it.
    pub mine: bool,
    /// Whether the person who asks has a seat in it.
    pub seated: bool,
    /// Who can find it.
    pub visibility: Visibility,
    /// Its classic port.
    pub udp_port: Option<u16>,
    /// Its age in seconds.
    pub age_s: u64,
}

impl LobbyRow {
    /// Whether keys don't act yet. A game that only waits for its first person has started.
    pub fn awaits_start(&self) -> bool {
        match (self.stage, self.start) {
            (Stage::Waiting { .. }, Start::WithPlayers(_)) => true,
            (Stage::Waiting { missing }, _) => missing.is_none(),
            (Stage::Playing | Stage::Over, _) => false,
        }
    }
}

/// A running game as the lobbies of other nodes need it: for anyone who asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SharedRow {
    row: LobbyRow,
    pub(crate) creator: PlayerId,
    /// The people who have a seat.
    seated: Vec<PlayerId>,
    created_unix_ms: u64,
}

impl SharedRow {
    pub(super) fn new(
        row: LobbyRow,
        creator: PlayerId,
        seated: Vec<PlayerId>,
        created_unix_ms: u64,
    ) -> Self {
        // The age changes all the time, and is counted again when the row is shown.
        let row = LobbyRow { age_s: 0, ..row };
        Self { row, creator, seated, created_unix_ms }
    }

    /// True if this person may find the game without its link.
    pub(crate) fn is_listed_for(&self, viewer: Option<PlayerId>) -> bool {
        let is_of = |person| self.creator == person || self.seated.contains(&person);
        self.row.visibility == Visibility::Public || viewer.is_some_and(is_of)
    }

    /// The row for this person.
    pub(crate) fn row(&self, now: Timestamp, viewer: Option<PlayerId>) -> LobbyRow {
        LobbyRow {
            mine: viewer == Some(self.creator),
            seated: viewer.is_some_and(|viewer| self.seated.contains(&viewer)),
            age_s: now.since(Timestamp(self.created_unix_ms)) / 1000,
            ..self.row.clone()
        }
    }
}
