//! What a creator chooses for a game, and what is stored about it beside its journal.

pub(crate) mod rules;

use nuggets_bots::BrainKind;
use nuggets_game::RuleChoices;
use serde::{Deserialize, Serialize};

use crate::{GameId, PlayerId};

/// What a creator chooses: the form *New game* and `POST /api/games`.
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
    /// Who can find it.
    #[serde(default)]
    pub visibility: Visibility,
    /// When keys begin to act.
    #[serde(default)]
    pub start: Start,
    /// How far watchers are behind, in seconds.
    #[serde(default)]
    pub watch_delay_s: u32,
    /// Whether it changes ratings.
    #[serde(default)]
    pub rated: bool,
    /// Decides where gold and players are, and what bots do: the same seed, map and keys give the same game. Random if
    /// none was chosen; a rated game must not have one, since its creator could know where the gold is.
    #[serde(default)]
    pub seed: Option<i64>,
}

/// Where the map comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MapChoice {
    /// A built-in map, by name.
    BuiltIn(String),
    /// A random map of the usual size; the seed makes it the same as in the preview.
    Random(i64),
    /// The text of a map.
    Own(String),
}

/// Bots of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bots {
    /// How many.
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

/// Who can find a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// It is listed in the lobby.
    #[default]
    Public,
    /// Only who has its link can find it.
    Link,
}

/// When keys begin to act.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// At once.
    #[default]
    AtOnce,
    /// When this many people (not bots) have joined.
    WithPlayers(u8),
    /// When its creator says so.
    ByCreator,
}

/// What is stored about a game beside its journal, which has map, rules, seed and everything that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameMeta {
    /// Its id.
    pub id: GameId,
    /// What people call its map.
    pub map_name: String,
    /// Who created it; may start and end it.
    pub creator: PlayerId,
    /// The name of the creator at that time.
    #[serde(default)]
    pub creator_name: String,
    /// When, in milliseconds since 1970.
    pub created_unix_ms: u64,
    /// Its bots.
    pub bots: Bots,
    /// Who can find it.
    pub visibility: Visibility,
    /// When keys begin to act.
    pub start: Start,
    /// How far watchers are behind, in seconds.
    pub watch_delay_s: u32,
    /// Whether it changes ratings.
    pub rated: bool,
    /// Its classic port.
    pub udp_port: Option<u16>,
    /// Whether keys act.
    pub has_started: bool,
    /// The game that its people play next.
    pub next: Option<GameId>,
    /// How it ended; none while it runs.
    #[serde(default)]
    pub finished: Option<Finished>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    /// Counts the finished games of the host: they are rated in this order.
    pub number: u64,
    /// When, in milliseconds since 1970.
    pub unix_ms: u64,
    /// Why.
    pub reason: EndReason,
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// By the rules: all gold was found, or no player could continue. Only such games are rated.
    Over,
    /// Its creator ended it.
    Creator,
    /// The person who hosts ended it.
    Admin,
    /// It had no connection for too long.
    Abandoned,
    /// A fault of the host.
    Failed,
}
