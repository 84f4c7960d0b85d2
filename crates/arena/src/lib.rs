//! Tournaments: many whole games between brains and programs, on several threads.
//!
//! In every game the contenders press one key each in turn, in the order in which they joined; that order is drawn for
//! every game. The seed fixes everything: the same tournament gives the same standings for any number of jobs, unless
//! an external program takes part.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use nuggets_bots::BrainKind;
//! use nuggets_game::shipped;
//! use nuggets_arena::{Arena, Entrant, MapSource};
//!
//! let entrants = vec![Entrant::brain(BrainKind::Scout, 1), Entrant::brain(BrainKind::Miner, 1)];
//! let arena = Arena::new(entrants, vec![MapSource::Map(shipped::find("main").unwrap().map())]);
//! let standings = arena.run(4, 2, &AtomicBool::new(false), |_| {}).unwrap();
//! assert_eq!(standings.games, 4);
//! assert_eq!(standings.rows.iter().map(|row| row.mean_purse).sum::<f64>(), 250.0);
//! ```

mod contender;
mod contest;
mod entrant;
mod parallel;
mod program;
pub mod ratings;
mod recorder;
mod standings;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use nuggets_bots::{AnswerLimits, BotProgram, ProgramFailure, ProgramFault, numbered};
use nuggets_game::{Game, Map, Name, Rng, Rules, Seed, Setup, Sight, SightRule, TooFewSpots};
use nuggets_protocol::Dialect;
use nuggets_server::{Room, RoomOptions};
use thiserror::Error;

pub use contest::FaultReport;
pub use entrant::{Entrant, EntrantError, EntrantKind};
pub use parallel::Parallel;
pub use standings::{PurseCurve, Standings, StandingsRow};

use contender::{Absent, Contender};
use contest::{Contest, PlayedGame};
use recorder::Recorder;

/// The source of the maps.
#[derive(Clone, Debug)]
pub enum MapSource {
    /// The same map for every game.
    Map(Map),
    /// A new map for every game, generated from the seed of the game.
    Generated(fn(Seed) -> Map),
}

/// The settings of a tournament.
#[derive(Clone, Debug)]
pub struct Arena {
    /// The brains and programs that take part.
    pub entrants: Vec<Entrant>,
    /// The maps, used in turn: one per game.
    pub maps: Vec<MapSource>,
    /// The rules of every game.
    pub rules: Rules,
    /// The dialect of every game.
    pub dialect: Dialect,
    /// The seed that fixes every random number.
    pub seed: Seed,
    /// Round limit: a longer game is stopped, and its purses count as they are.
    pub max_rounds: u32,
    /// The time limits for the answers of programs.
    pub answer_limits: AnswerLimits,
}

/// The reason why a tournament can't be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ArenaError {
    /// No bots, or more than the rules allow.
    #[error("{wanted} bots can't play together: the rules allow 1 to {allowed}. Enter fewer bots{}", raise_players(*allowed))]
    Seats {
        /// The bots that were entered.
        wanted: usize,
        /// The players that the rules allow.
        allowed: usize,
    },
    /// A map is too small for the rules.
    #[error(transparent)]
    TooFewSpots(#[from] TooFewSpots),
}

fn raise_players(allowed: usize) -> &'static str {
    if allowed < 26 { ", or raise --players" } else { "" }
}

/// A finished game with its recording.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedGame {
    /// Its number, counted from 1.
    pub number: u64,
    /// The nuggets of each entrant's bots together, in the order of entry.
    pub nuggets: Vec<u32>,
    /// The bytes of a recording file.
    pub bytes: Vec<u8>,
}

/// State that all games share.
struct Shared {
    maps: Vec<SightSource>,
    /// For each entrant, the number of games that it could not finish.
    failed_games: Vec<AtomicU32>,
    is_recorded: bool,
}

/// A map source with the lines of sight of a fixed map, which all games share.
enum SightSource {
    Fixed(Arc<Sight>),
    Generated(fn(Seed) -> Map),
}

/// The number of failed games after which a program is not started again.
const MAX_FAILED_GAMES: u32 = 5;

impl Arena {
    /// Creates a tournament by the rules of the specification, with seed 1.
    pub fn new(entrants: Vec<Entrant>, maps: Vec<MapSource>) -> Self {
        Self {
            entrants,
            maps,
            rules: Rules::default(),
            dialect: Dialect::default(),
            seed: Seed::new(1),
            max_rounds: 10_000,
            answer_limits: AnswerLimits::default(),
        }
    }

    /// Plays this many games on `jobs` threads, or until `stop` is set. Calls `progress` after each game with the
    /// number of games done.
    pub fn run(
        &self,
        games: u64,
        jobs: usize,
        stop: &AtomicBool,
        progress: impl Fn(u64) + Sync,
    ) -> Result<Standings, ArenaError> {
        self.run_recorded(games, Parallel { jobs, stop }, progress, None)
    }

    /// Like [`Arena::run`]; passes the recording of each game to `keep`, in the order in which the games end.
    pub fn run_recorded(
        &self,
        games: u64,
        parallel: Parallel<'_>,
        progress: impl Fn(u64) + Sync,
        mut keep: Option<&mut dyn FnMut(RecordedGame)>,
    ) -> Result<Standings, ArenaError> {
        let shared = Shared { is_recorded: keep.is_some(), ..self.prepare()? };
        let mut played: Vec<(u64, PlayedGame)> = Vec::new();
        parallel.run(
            0..games,
            |game| self.play(game, &shared, parallel.stop),
            progress,
            |game, mut result| {
                if let (Some(keep), Some(bytes)) = (&mut keep, result.recording.take()) {
                    let nuggets = self.nuggets(&result);
                    keep(RecordedGame { number: game + 1, nuggets, bytes });
                }
                played.push((game, result));
            },
        );
        played.sort_unstable_by_key(|(game, _)| *game);
        Ok(Standings::new(&self.entrants, &played))
    }

    /// Starts every program once, before any game, and fails if one can't be started or does not send its name. The
    /// standings will show the names that the programs play under, numbered where two entrants have the same name.
    pub fn introduce(&mut self, stop: &AtomicBool) -> Result<(), ProgramFailure> {
        for entrant in &mut self.entrants {
            if let EntrantKind::Command(line) = &entrant.kind {
                let mut program = BotProgram::start(line, self.answer_limits, stop)?;
                let Some(name) = Name::new(program.name()) else {
                    let why = "PLAY without a name".to_owned();
                    return Err(program.failure(ProgramFault::InvalidMessage(why)));
                };
                entrant.name = name.to_string();
            }
        }
        let names: Vec<String> = self.entrants.iter().map(|entrant| entrant.name.clone()).collect();
        for (entrant, name) in self.entrants.iter_mut().zip(numbered(&names)) {
            entrant.name = name;
        }
        Ok(())
    }

    fn nuggets(&self, played: &PlayedGame) -> Vec<u32> {
        let mut nuggets = vec![0; self.entrants.len()];
        for seat in &played.seats {
            nuggets[seat.entrant] += seat.purse;
        }
        nuggets
    }

    /// Fails if this tournament can't be played.
    pub fn check(&self) -> Result<(), ArenaError> {
        self.prepare().map(drop)
    }

    fn prepare(&self) -> Result<Shared, ArenaError> {
        let wanted = self.seats().count();
        let allowed = self.rules.max_players;
        if !(1..=allowed).contains(&wanted) {
            return Err(ArenaError::Seats { wanted, allowed });
        }
        let maps: Result<Vec<SightSource>, ArenaError> =
            self.maps.iter().map(|source| self.sight_source(source)).collect();
        let failed_games = self.entrants.iter().map(|_| AtomicU32::new(0)).collect();
        Ok(Shared { maps: maps?, failed_games, is_recorded: false })
    }

    fn sight_source(&self, source: &MapSource) -> Result<SightSource, ArenaError> {
        Ok(match source {
            MapSource::Generated(generate) => SightSource::Generated(*generate),
            MapSource::Map(map) => {
                self.rules.check_room(map)?;
                SightSource::Fixed(self.sight(map.clone()))
            }
        })
    }

    fn sight(&self, map: Map) -> Arc<Sight> {
        Arc::new(Sight::new(map, SightRule::of(self.dialect)).within(self.rules.vision))
    }

    /// Returns the entrant of each seat, before the order is drawn.
    fn seats(&self) -> impl Iterator<Item = usize> + '_ {
        let entrants = self.entrants.iter().enumerate();
        entrants.flat_map(|(index, entrant)| std::iter::repeat_n(index, entrant.count))
    }

    /// Plays one whole game; `None` if it was stopped or its map is too small.
    fn play(&self, game: u64, shared: &Shared, stop: &AtomicBool) -> Option<PlayedGame> {
        let index = usize::try_from(game % shared.maps.len() as u64).ok()?;
        let sight = match &shared.maps[index] {
            SightSource::Fixed(sight) => Arc::clone(sight),
            SightSource::Generated(generate) => {
                self.sight(generate(derive_seed(self.seed, game, Purpose::Map)))
            }
        };
        let seed = derive_seed(self.seed, game, Purpose::Game);
        let setup = shared
            .is_recorded
            .then(|| Setup::new(sight.map().clone(), self.rules, seed, self.dialect));
        let room = Room::with_game(Game::with_sight(sight, self.rules, seed).ok()?, self.dialect);
        let room = room.with_options(RoomOptions { changed_only: true, ..RoomOptions::default() });
        let recorder = setup.map(|setup| Recorder::new(setup, &room));
        let contest = Contest::new(room, self.contenders(game, shared), recorder, stop);
        let played = contest.play(self.max_rounds, stop)?;
        for seat in played.seats.iter().filter(|seat| seat.was_removed) {
            shared.failed_games[seat.entrant].fetch_add(1, Ordering::Relaxed);
        }
        Some(played)
    }

    /// Returns the contenders of a game with their entrants, in the order of joining.
    fn contenders(&self, game: u64, shared: &Shared) -> Vec<(usize, Box<dyn Contender>)> {
        let seats: Vec<usize> = self.seats().collect();
        let mut order = Rng::new(derive_seed(self.seed, game, Purpose::Order));
        let order = order.distinct(seats.len(), seats.len()).into_iter();
        let contender = |seat: usize| {
            let entrant = seats[seat];
            if shared.failed_games[entrant].load(Ordering::Relaxed) >= MAX_FAILED_GAMES {
                return (entrant, Box::new(Absent) as Box<dyn Contender>);
            }
            let seed = derive_seed(self.seed, game, Purpose::Seat(seat as u64));
            let seed = seed.number().cast_unsigned();
            (entrant, self.entrants[entrant].contender(seed, self.answer_limits))
        };
        order.map(contender).collect()
    }
}

/// The purpose of a derived seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Game,
    Map,
    /// The order in which the seats join.
    Order,
    /// The brain on this seat.
    Seat(u64),
}

/// Derives the seed of a game for a purpose. It is positive, so that users can enter it again.
fn derive_seed(seed: Seed, game: u64, purpose: Purpose) -> Seed {
    let stream = match purpose {
        Purpose::Game => 0,
        Purpose::Map => 1,
        Purpose::Order => 2,
        Purpose::Seat(seat) => 3 + seat,
    };
    let mixed = mix(mix(mix(seed.number().cast_unsigned()) ^ game) ^ stream);
    Seed::new((mixed >> 1).cast_signed().max(1))
}

/// Spreads neighbouring numbers far apart, one to one (the finisher of splitmix64).
fn mix(number: u64) -> u64 {
    let z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
