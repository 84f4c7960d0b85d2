//! The specification of a game by its creator, and the metadata that is stored beside its journal.

pub(crate) mod rules;

use nuggets_bots::BrainKind;
use nuggets_game::RuleChoices;
use serde::{Deserialize, Serialize};

use crate::{GameId, PlayerId};

/// The choices of a creator, from the form *New game* and `POST /api/games`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameSpec {
    /// The map.
    pub map: MapChoice,
    /// Rules beyond the specification.
    #[serde(default, with = "rules")]
    pub rules: RuleChoices,
    /// The bots, if any.
    #[serde(default)]
    pub bots: Bots,
    /// The people who can find the game.
    #[serde(default)]
    pub visibility: Visibility,
    /// The condition for the start: keys have no effect before it.
    #[serde(default)]
    pub start: Start,
    /// The delay of watchers, in seconds.
    #[serde(default)]
    pub watch_delay_s: u32,
    /// True if the game changes ratings.
    #[serde(default)]
    pub rated: bool,
    /// The seed of the game, which determines the places of gold and players and the moves of bots: the same seed, map and
    /// keys give the same game. `None` for a random seed. A rated game must not have one, since its creator could know
    /// where the gold is.
    #[serde(default)]
    pub seed: Option<i64>,
}

/// The source of the map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MapChoice {
    /// A built-in map, by name.
    BuiltIn(String),
    /// A random map of the usual size with this seed, the same as in the preview.
    Random(i64),
    /// The text of a map.
    Own(String),
}

/// The bots of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bots {
    /// The number of bots.
    pub count: u8,
    /// The brain of all of them.
    pub brain: String,
    /// The mean time between two keys of a bot, in milliseconds.
    pub pace_ms: u64,
}

impl Default for Bots {
    fn default() -> Self {
        Self { count: 0, brain: BrainKind::Scout.to_string(), pace_ms: 1000 }
    }
}

/// The people who can find a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// All: the game is listed in the lobby.
    #[default]
    Public,
    /// Only people who have the link.
    Link,
}

/// The condition for the start: keys have no effect before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// Immediately.
    #[default]
    AtOnce,
    /// As soon as this many people (not bots) have joined.
    WithPlayers(u8),
    /// On the command of the creator.
    ByCreator,
}

impl Start {
    /// Returns the number of people who must still join; `None` if the start does not depend on it.
    pub(crate) fn missing(self, people: usize) -> Option<u8> {
        let Self::WithPlayers(needed) = self else { return None };
        Some(needed.saturating_sub(u8::try_from(people).unwrap_or(u8::MAX)))
    }
}

/// The metadata of a game, stored beside its journal. The journal contains map, rules, seed and all inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameMeta {
    /// The id of the game.
    pub id: GameId,
    /// The name of the map for people.
    pub map_name: String,
    /// The creator, who may start and end the game.
    pub creator: PlayerId,
    /// The name of the creator when the game was created.
    #[serde(default)]
    pub creator_name: String,
    /// The time of creation, in milliseconds since 1970.
    pub created_unix_ms: u64,
    /// The bots of the game.
    pub bots: Bots,
    /// The people who can find the game.
    pub visibility: Visibility,
    /// The condition for the start: keys have no effect before it.
    pub start: Start,
    /// The delay of watchers, in seconds.
    pub watch_delay_s: u32,
    /// True if the game changes ratings.
    pub rated: bool,
    /// The classic UDP port, if it has one.
    pub udp_port: Option<u16>,
    /// True if the game has started: keys have effect.
    pub has_started: bool,
    /// The next game of the same players.
    pub next: Option<GameId>,
    /// The end of the game; `None` while it runs.
    #[serde(default)]
    pub finished: Option<Finished>,
}

impl GameMeta {
    /// Creates the metadata of a public game that starts at once, without bots, delay and rating.
    pub fn new(id: GameId, map_name: String, creator: PlayerId, creator_name: String) -> Self {
        Self {
            id,
            map_name,
            creator,
            creator_name,
            created_unix_ms: 0,
            bots: Bots::default(),
            visibility: Visibility::Public,
            start: Start::AtOnce,
            watch_delay_s: 0,
            rated: false,
            udp_port: None,
            has_started: false,
            next: None,
            finished: None,
        }
    }
}

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    /// The number of the game among the finished games of the host, which are rated in this order.
    pub number: u64,
    /// The time of the end, in milliseconds since 1970.
    pub unix_ms: u64,
    /// The reason of the end.
    pub reason: EndReason,
}

/// The reason why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// By the rules: all gold was found, or no player could continue. Only such games are rated.
    Over,
    /// Its creator ended it.
    Creator,
    /// The operator ended it.
    Admin,
    /// It had no connection for too long.
    Abandoned,
    /// It failed because of a fault of the host.
    Failed,
}
