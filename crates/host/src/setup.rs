//! Turns the choices of a creator into the setup of a game: checks every choice, and names the field in errors. Pure.

use std::borrow::Cow;

use nuggets_bots::{BrainKind, UnknownBrain};
use nuggets_game::map::check::{RuleOutcome, check};
use nuggets_game::map::generate::{Blueprint, generate};
use nuggets_game::{BadRules, Map, Rules, Seed, Setup, TooFewSpots, shipped};
use nuggets_protocol::Dialect;
use serde::Serialize;
use thiserror::Error;

use crate::spec::rules::field;
use crate::{Bots, GameSpec, MapChoice, Start};

/// Maximum size of the text of a map. No map that fits into a datagram is larger, whatever its line endings.
pub const MAX_MAP_BYTES: usize = 1 << 17;
/// The maximum number of listed faults of a map.
pub const MAX_COMPLAINTS: usize = 100;
/// The maximum delay of watchers, in seconds.
pub const MAX_WATCH_DELAY_S: u32 = 600;
/// The shortest mean time between two keys of a bot, in milliseconds.
pub const MIN_PACE_MS: u64 = 50;
/// The longest mean time between two keys of a bot, in milliseconds.
pub const MAX_PACE_MS: u64 = 10_000;

/// The result of checking a [`GameSpec`]: a game that can be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedGame {
    /// The setup: map, rules and seed.
    pub setup: Setup,
    /// The name of the map for people.
    pub map_name: String,
}

/// A fault of a map, as `nuggets map check` reports it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Complaint {
    /// The line, from 1.
    pub line: usize,
    /// The first column, from 1.
    pub column: usize,
    /// The number of columns of the fault; 0 if it lies just before the column.
    pub length: usize,
    /// A description of the fault.
    pub message: String,
    /// Advice on how to correct it.
    pub help: String,
}

/// The reason why a [`GameSpec`] is rejected, with a message for the creator.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SpecError {
    /// There is no built-in map of this name.
    #[error("there is no built-in map of that name: choose one of {}", built_in_names())]
    UnknownMap,
    /// The creator's map is larger than [`MAX_MAP_BYTES`].
    #[error("the map is too long: no map has more than {MAX_MAP_BYTES} bytes")]
    MapTooLong,
    /// The creator's map has faults.
    #[error("the map has faults that must be corrected first: {}", first(.0))]
    BadMap(Vec<Complaint>),
    /// The house rules are out of range or contradict each other.
    #[error("{0}")]
    Rules(#[from] BadRules),
    /// The house rules need more room spots than a built-in or random map has.
    #[error(
        "these rules need {} room spots ({} for players, {} for gold, {} for food), but the map has only {}: \
         choose a larger map, or fewer players, piles or food", .0.needed, .0.players, .0.piles, .0.food, .0.found
    )]
    TooFewSpots(#[from] TooFewSpots),
    /// There is no brain of this name.
    #[error("{0}")]
    UnknownBrain(#[from] UnknownBrain),
    /// There are more bots than seats.
    #[error("{bots} bots don't fit: only {max_players} players can join this game")]
    TooManyBots {
        /// The number of bots.
        bots: u8,
        /// The number of seats.
        max_players: usize,
    },
    /// The pace of the bots is outside of [`MIN_PACE_MS`] to [`MAX_PACE_MS`].
    #[error("bots press a key every {MIN_PACE_MS} to {MAX_PACE_MS} milliseconds")]
    Pace,
    /// The start waits for 0 people.
    #[error("the game needs at least 1 person to wait for")]
    StartWithNobody,
    /// The start waits for more people than can join.
    #[error("the game can't wait for {people} people: only {seats} seats are left for them")]
    StartWithTooMany {
        /// The number of people to wait for.
        people: u8,
        /// The number of seats that bots don't take.
        seats: usize,
    },
    /// A rated game has a chosen seed, so its creator would know where the gold is.
    #[error("a rated game has a random seed: leave the seed empty, or don't rate the game")]
    RatedWithSeed,
    /// The delay of watchers exceeds [`MAX_WATCH_DELAY_S`].
    #[error("watchers can be at most {MAX_WATCH_DELAY_S} seconds behind")]
    WatchDelay,
}

impl SpecError {
    /// Returns the invalid field of [`GameSpec`], for example `map` or `bots.count`.
    pub fn field(&self) -> Cow<'static, str> {
        let field = match self {
            Self::UnknownMap | Self::MapTooLong | Self::BadMap(_) => "map",
            Self::Rules(why) => return format!("rules.{}", field(why.rule())).into(),
            Self::TooFewSpots(_) => "rules",
            Self::UnknownBrain(_) => "bots.brain",
            Self::TooManyBots { .. } => "bots.count",
            Self::Pace => "bots.pace_ms",
            Self::StartWithNobody | Self::StartWithTooMany { .. } => "start",
            Self::RatedWithSeed => "seed",
            Self::WatchDelay => "watch_delay_s",
        };
        field.into()
    }

    /// Returns the faults of the map, from the top down; empty if the map is not the problem.
    pub fn complaints(&self) -> &[Complaint] {
        match self {
            Self::BadMap(complaints) => complaints,
            _ => &[],
        }
    }
}

/// Checks every choice. `random_seed` is the seed of the game unless its creator chose one. It must differ from the seed
/// of a random map, which the creator knows.
///
/// ```
/// use nuggets_game::Seed;
/// use nuggets_host::{GameSpec, setup};
///
/// let spec: GameSpec = serde_json::from_str(r#"{"map":{"built_in":"main"},"bots":{"count":3}}"#).unwrap();
/// let game = setup::prepare(&spec, Seed::new(7)).unwrap();
/// assert_eq!((game.map_name.as_str(), game.setup.map.cols()), ("main", 79));
///
/// let spec: GameSpec = serde_json::from_str(r#"{"map":{"built_in":"main"},"bots":{"count":30}}"#).unwrap();
/// assert_eq!(setup::prepare(&spec, Seed::new(7)).unwrap_err().field(), "bots.count");
/// ```
pub fn prepare(spec: &GameSpec, random_seed: Seed) -> Result<PreparedGame, SpecError> {
    let rules = spec.rules.rules()?;
    check_seats(spec, &rules)?;
    if spec.watch_delay_s > MAX_WATCH_DELAY_S {
        return Err(SpecError::WatchDelay);
    }
    if spec.rated && spec.seed.is_some() {
        return Err(SpecError::RatedWithSeed);
    }
    let seed = spec.seed.map_or(random_seed, Seed::new);
    let (map, map_name) = map(&spec.map, &rules)?;
    rules.check_room(&map)?;
    Ok(PreparedGame { setup: Setup::new(map, rules, seed, Dialect::V2021), map_name })
}

/// Returns every fault of the text of a map in a game with these rules, from the top down; empty if it can be played.
pub fn check_map(text: &str, rules: &Rules) -> Vec<Complaint> {
    if text.len() > MAX_MAP_BYTES {
        let message = SpecError::MapTooLong.to_string();
        let help = "Paste the text of one map".to_owned();
        return vec![Complaint { line: 1, column: 1, length: 0, message, help }];
    }
    let outcomes = check(text.as_bytes(), rules).findings.into_iter().map(|found| found.outcome);
    let broken = outcomes.filter_map(|outcome| match outcome {
        RuleOutcome::Broken(flaws) => Some(flaws),
        RuleOutcome::Holds | RuleOutcome::NotChecked(_) => None,
    });
    let complaint = |flaw: nuggets_game::map::check::Flaw| Complaint {
        line: flaw.at.line,
        column: flaw.at.column,
        length: flaw.length,
        message: flaw.what,
        help: flaw.advice,
    };
    let mut complaints: Vec<Complaint> = broken.flatten().map(complaint).collect();
    complaints.sort_by_key(|complaint| (complaint.line, complaint.column));
    complaints.truncate(MAX_COMPLAINTS);
    complaints
}

/// Generates the random map of this seed: the same as `nuggets map new --seed N`.
pub fn random_map(seed: i64) -> Map {
    generate(&Blueprint::default(), Seed::new(seed))
}

fn map(choice: &MapChoice, rules: &Rules) -> Result<(Map, String), SpecError> {
    match choice {
        MapChoice::BuiltIn(name) => {
            let found = shipped::find(name).ok_or(SpecError::UnknownMap)?;
            Ok((found.map(), found.name.to_owned()))
        }
        // The name omits the seed: players could generate the whole map from it.
        MapChoice::Random(seed) => Ok((random_map(*seed), "random map".to_owned())),
        MapChoice::Own(text) if text.len() > MAX_MAP_BYTES => Err(SpecError::MapTooLong),
        MapChoice::Own(text) => match check_map(text, rules) {
            faults if faults.is_empty() => {
                let parsed = Map::parse(text.as_bytes());
                Ok((parsed.expect("a map without faults can be read").map, "own map".to_owned()))
            }
            faults => Err(SpecError::BadMap(faults)),
        },
    }
}

fn check_seats(spec: &GameSpec, rules: &Rules) -> Result<(), SpecError> {
    let Bots { count, ref brain, pace_ms } = spec.bots;
    brain.parse::<BrainKind>()?;
    let max_players = rules.max_players;
    let Some(seats) = max_players.checked_sub(count.into()) else {
        return Err(SpecError::TooManyBots { bots: count, max_players });
    };
    if !(MIN_PACE_MS..=MAX_PACE_MS).contains(&pace_ms) {
        return Err(SpecError::Pace);
    }
    match spec.start {
        Start::WithPlayers(0) => Err(SpecError::StartWithNobody),
        Start::WithPlayers(people) if usize::from(people) > seats => {
            Err(SpecError::StartWithTooMany { people, seats })
        }
        Start::WithPlayers(_) | Start::AtOnce | Start::ByCreator => Ok(()),
    }
}

fn built_in_names() -> String {
    shipped::ALL.map(|map| map.name).join(", ")
}

fn first(complaints: &[Complaint]) -> String {
    let Some(Complaint { line, column, message, .. }) = complaints.first() else {
        return String::new();
    };
    format!("line {line}, column {column}: {message}")
}

#[cfg(test)]
mod tests;
