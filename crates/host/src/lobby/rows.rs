//! The rows of the lobby.

use nuggets_protocol::web::{PlayerLine, Stage};
use nuggets_time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{GameId, PlayerId, Start, Visibility};

/// A running game in the lobby and in `GET /api/games`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LobbyRow {
    /// The id of the game.
    pub id: GameId,
    /// The display name of the map.
    pub map: String,
    /// Rows of the map.
    pub rows: u16,
    /// Columns of the map.
    pub cols: u16,
    /// All current and former players, in the order of letters.
    pub players: Vec<PlayerLine>,
    /// The maximum number of players over the whole game.
    pub max_players: usize,
    /// Nuggets not yet found.
    pub gold_left: u32,
    /// Nuggets in the whole game.
    pub gold: u32,
    /// The number of connections that watch.
    pub watchers: usize,
    /// The stage: waiting or playing.
    pub stage: Stage,
    /// The start condition.
    pub start: Start,
    /// The delay of watchers, in seconds.
    pub delay_s: u32,
    /// True if the result changes ratings.
    pub rated: bool,
    /// A short text of the house rules, if there are any.
    pub rules: Option<String>,
    /// The name of its creator.
    pub creator: String,
    /// True if the viewer created it.
    pub mine: bool,
    /// True if the viewer has a seat in it.
    pub seated: bool,
    /// The visibility in the lobby.
    pub visibility: Visibility,
    /// The UDP port for classic clients.
    pub udp_port: Option<u16>,
    /// The age of the game, in seconds.
    pub age_s: u64,
}

impl LobbyRow {
    /// True if keys don't act yet. A game that only waits for its first person has started.
    pub fn awaits_start(&self) -> bool {
        match (self.stage, self.start) {
            (Stage::Waiting { .. }, Start::WithPlayers(_)) => true,
            (Stage::Waiting { missing }, _) => missing.is_none(),
            (Stage::Playing | Stage::Over, _) => false,
        }
    }
}

/// A running game in the form for the lobbies of other nodes, from which they make the row of any viewer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SharedRow {
    /// The row without what depends on the viewer and the time.
    pub(crate) row: LobbyRow,
    pub(crate) creator: PlayerId,
    /// The people who have a seat.
    pub(super) seated: Vec<PlayerId>,
    pub(super) created_unix_ms: u64,
}

impl SharedRow {
    /// True if the game is listed for this person.
    pub(crate) fn is_listed_for(&self, viewer: Option<PlayerId>) -> bool {
        let is_of = |person| self.creator == person || self.seated.contains(&person);
        self.row.visibility == Visibility::Public || viewer.is_some_and(is_of)
    }

    pub(crate) fn row(&self, now: Timestamp, viewer: Option<PlayerId>) -> LobbyRow {
        LobbyRow {
            mine: viewer == Some(self.creator),
            seated: viewer.is_some_and(|viewer| self.seated.contains(&viewer)),
            age_s: now.since(Timestamp(self.created_unix_ms)) / 1000,
            ..self.row.clone()
        }
    }
}
