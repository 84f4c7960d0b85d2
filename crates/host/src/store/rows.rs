//! The rows that the store returns to pages: accounts, finished games, ratings.

use serde::{Deserialize, Serialize};

use crate::{EndReason, GameId, PlayerId, Visibility};

/// A person with a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Account {
    /// Its id.
    pub id: PlayerId,
    /// The name, cleaned by the rules of the protocol.
    pub name: String,
    /// True if the name is protected by a password.
    pub claimed: bool,
}

/// The owner of a rating.
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
    /// The owner of the rating.
    pub who: Rated,
    /// The current name.
    pub name: String,
    /// True if the name is protected by a password.
    pub claimed: bool,
    /// The rating (Weng-Lin): 25 for a newcomer.
    pub rating: f64,
    /// Its standard deviation.
    pub deviation: f64,
    /// The conservative rating, three deviations below `rating`. The table is sorted by it.
    pub certain: f64,
    /// The number of rated games.
    pub games: u32,
    /// The number of rated games with the fullest purse; a tie counts as a fraction for each.
    pub wins: f64,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FinishedGame {
    /// Its id.
    pub id: GameId,
    /// The name of the map for people.
    pub map: String,
    /// Rows of the map.
    pub rows: u16,
    /// Columns of the map.
    pub cols: u16,
    /// The number of nuggets in the whole game.
    pub gold: u32,
    /// The time of creation, in milliseconds since 1970.
    pub created_unix_ms: u64,
    /// The time of the end, in milliseconds since 1970.
    pub finished_unix_ms: u64,
    /// The duration in milliseconds, without the time in which the host was down.
    pub duration_ms: u64,
    /// The reason of the end.
    pub reason: EndReason,
    /// The people who could find the game.
    pub visibility: Visibility,
    /// True if the game changed ratings.
    pub rated: bool,
    /// The final table, richest first.
    pub results: Vec<ResultRow>,
}

/// A row of the final table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResultRow {
    /// `A` to `Z`.
    pub letter: char,
    /// The name in the game.
    pub name: String,
    /// The person or brain; `None` for clients without an account, such as those over UDP.
    pub who: Option<Rated>,
    /// The number of collected nuggets.
    pub purse: u32,
    /// The place, from 1; equal purses share a place.
    pub place: u32,
    /// The rating after the game and its change by the game; `None` if the game did not change it.
    pub rating: Option<(f64, f64)>,
}

/// The ratings and games on the page of a player.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerHistory {
    /// The player's row in the rating table; `None` before the first rated game.
    pub rating: Option<RatingRow>,
    /// The current name.
    pub name: String,
    /// The ratings after each rated game, oldest first.
    pub points: Vec<f64>,
    /// The last games, newest first. Games by link only are listed only for their players.
    pub games: Vec<FinishedGame>,
}
