//! What the store gives to pages: accounts, finished games, ratings.

use serde::{Deserialize, Serialize};

use crate::{EndReason, GameId, PlayerId, Visibility};

/// A person with a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Account {
    /// Its id.
    pub id: PlayerId,
    /// Its name, cleaned by the rules of the protocol.
    pub name: String,
    /// Whether the name is protected by a password.
    pub claimed: bool,
}

/// Who can have a rating.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rated {
    /// A person.
    Player(PlayerId),
    /// All bots with this brain.
    Bot(String),
}

/// A row of the rating table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatingRow {
    /// The place in the table, from 1.
    pub place: u32,
    /// Whose rating it is.
    pub who: Rated,
    /// The name now.
    pub name: String,
    /// Whether the name is protected by a password.
    pub claimed: bool,
    /// The rating (Weng-Lin): 25 for a newcomer.
    pub rating: f64,
    /// Its standard deviation.
    pub deviation: f64,
    /// The rating that is almost certain: three deviations below. The table is sorted by it.
    pub certain: f64,
    /// Rated games.
    pub games: u32,
    /// Rated games with the fullest purse; a tie is shared.
    pub wins: f64,
}

/// A rating after one game, for the chart of a player.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatingPoint {
    /// When the game ended, in milliseconds since 1970.
    pub finished_unix_ms: u64,
    /// The rating after it.
    pub rating: f64,
    /// Its standard deviation.
    pub deviation: f64,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FinishedGame {
    /// Its id.
    pub id: GameId,
    /// What people call its map.
    pub map: String,
    /// Rows of the map.
    pub rows: u16,
    /// Columns of the map.
    pub cols: u16,
    /// Nuggets in the whole game.
    pub gold: u32,
    /// When it was created, in milliseconds since 1970.
    pub created_unix_ms: u64,
    /// When it ended, in milliseconds since 1970.
    pub finished_unix_ms: u64,
    /// How long it ran, in milliseconds; without the time in which the host was down.
    pub duration_ms: u64,
    /// Why it ended.
    pub reason: EndReason,
    /// Who could find it.
    pub visibility: Visibility,
    /// Whether it changed ratings.
    pub rated: bool,
    /// The final table, the richest first.
    pub results: Vec<ResultRow>,
}

/// A row of the final table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResultRow {
    /// `A` to `Z`.
    pub letter: char,
    /// The name in the game.
    pub name: String,
    /// Who it was; none for clients that the host doesn't know, such as those over UDP.
    pub who: Option<Rated>,
    /// The nuggets.
    pub purse: u32,
    /// The place, from 1; equal purses share one.
    pub place: u32,
    /// The rating after the game, and how much the game changed it; none if it changed none.
    pub rating: Option<(f64, f64)>,
}

/// The page of a player.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlayerHistory {
    /// The player in the rating table; none before the first rated game.
    pub rating: Option<RatingRow>,
    /// The name now.
    pub name: String,
    /// Whether the name is protected by a password.
    pub claimed: bool,
    /// The ratings after each rated game, the oldest first.
    pub points: Vec<RatingPoint>,
    /// The last games, the newest first; those by link only are listed for their people alone.
    pub games: Vec<FinishedGame>,
}
