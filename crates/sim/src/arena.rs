//! Tournaments: many whole games between brains and programs, on as many cores as wanted.
//!
//! In every game each contender presses one key in turn, in the order in which they joined; that
//! order is drawn anew for every game. Everything is fixed by the seed: the same tournament gives
//! the same standings for any number of jobs, as far as no program of others takes part.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use nuggets_bots::BrainKind;
//! use nuggets_game::shipped;
//! use nuggets_sim::arena::{Arena, Entrant, Place};
//!
//! let entrants = vec![Entrant::brain(BrainKind::Scout, 1), Entrant::brain(BrainKind::Miner, 1)];
//! let arena = Arena::new(entrants, vec![Place::Map(shipped::find("main").unwrap().map())]);
//! let standings = arena.run(4, 2, &AtomicBool::new(false), |_| {}).unwrap();
//! assert_eq!(standings.games, 4);
//! assert_eq!(standings.rows.iter().map(|row| row.mean_purse).sum::<f64>(), 250.0);
//! ```

mod command;
mod contender;
mod contest;
mod entrant;
mod seeds;
mod standings;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc;

use nuggets_game::{Game, Map, Rules, Seed, Sight, TooFewSpots};
use nuggets_protocol::Dialect;
use nuggets_server::{Room, sight_rule};
use thiserror::Error;

pub use command::Patience;
pub use contest::Trouble;
pub use entrant::{BadEntrant, Entrant, Kind};
pub use standings::{Curve, Row, Standings};

use contender::{Absent, Contender};
use contest::{Contest, Played};
use seeds::Purpose;

/// What a game is played on.
#[derive(Clone, Debug)]
pub enum Place {
    /// This map.
    Map(Map),
    /// A new map for every game, drawn by the game's seed.
    New(fn(Seed) -> Map),
}

/// A tournament to be held.
#[derive(Clone, Debug)]
pub struct Arena {
    /// Who takes part, and with how many.
    pub entrants: Vec<Entrant>,
    /// Where: the games take these in turn.
    pub places: Vec<Place>,
    /// By which rules.
    pub rules: Rules,
    /// In which dialect.
    pub dialect: Dialect,
    /// What fixes all chance.
    pub seed: Seed,
    /// A game that has not ended after so many rounds is stopped; purses count as they are.
    pub max_rounds: u32,
    /// How long programs may think.
    pub patience: Patience,
}

/// Why a tournament can't be held.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ArenaError {
    /// Nobody, or more than may join.
    #[error("{wanted} bots can't play together: the rules allow 1 to {allowed}. Enter fewer bots{}", more(*allowed))]
    Seats {
        /// How many there are.
        wanted: usize,
        /// How many may join a game.
        allowed: usize,
    },
    /// A map is too small for the rules.
    #[error(transparent)]
    TooFewSpots(#[from] TooFewSpots),
}

fn more(allowed: usize) -> &'static str {
    if allowed < 26 { ", or raise --players" } else { "" }
}

/// What all games share.
struct Ready {
    grounds: Vec<Ground>,
    /// How many games each entrant has spoiled.
    spoiled: Vec<AtomicU32>,
}

/// A place with what is seen on it.
enum Ground {
    Sight(Arc<Sight>),
    New(fn(Seed) -> Map),
}

/// A program that has spoiled so many games is not asked any more.
const MOST_SPOILED_GAMES: u32 = 5;

impl Arena {
    /// A tournament by the rules of the seeds, with seed 1.
    pub fn new(entrants: Vec<Entrant>, places: Vec<Place>) -> Self {
        Self {
            entrants,
            places,
            rules: Rules::default(),
            dialect: Dialect::default(),
            seed: Seed::new(1),
            max_rounds: 10_000,
            patience: Patience::default(),
        }
    }

    /// Plays so many games on so many threads, or until `stop` is set. `progress` is told after each
    /// game how many are done.
    pub fn run(
        &self,
        games: u64,
        jobs: usize,
        stop: &AtomicBool,
        progress: impl Fn(u64) + Sync,
    ) -> Result<Standings, ArenaError> {
        let ready = self.make_ready()?;
        let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
        let (sender, results) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..jobs.max(1) {
                let sender = sender.clone();
                let (ready, next, done, progress) = (&ready, &next, &done, &progress);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let game = next.fetch_add(1, Ordering::Relaxed);
                        if game >= games {
                            return;
                        }
                        if let Some(played) = self.play(game, ready, stop) {
                            // The receiver outlives all senders.
                            let _ = sender.send((game, played));
                            progress(done.fetch_add(1, Ordering::Relaxed) + 1);
                        }
                    }
                });
            }
            drop(sender);
            let mut played: Vec<(u64, Played)> = results.iter().collect();
            played.sort_unstable_by_key(|(game, _)| *game);
            Ok(Standings::of(&self.entrants, &played))
        })
    }

    fn make_ready(&self) -> Result<Ready, ArenaError> {
        let (wanted, allowed) = (self.seats().count(), self.rules.max_players);
        if !(1..=allowed).contains(&wanted) {
            return Err(ArenaError::Seats { wanted, allowed });
        }
        let grounds: Result<Vec<Ground>, ArenaError> =
            self.places.iter().map(|place| self.ground(place)).collect();
        let spoiled = self.entrants.iter().map(|_| AtomicU32::new(0)).collect();
        Ok(Ready { grounds: grounds?, spoiled })
    }

    fn ground(&self, place: &Place) -> Result<Ground, ArenaError> {
        Ok(match place {
            Place::New(make) => Ground::New(*make),
            Place::Map(map) => {
                self.rules.check_room(map)?;
                Ground::Sight(self.look(map.clone()))
            }
        })
    }

    fn look(&self, map: Map) -> Arc<Sight> {
        Arc::new(Sight::new(map, sight_rule(self.dialect)).within(self.rules.vision))
    }

    /// Which entrant sits on each seat, before the order is drawn.
    fn seats(&self) -> impl Iterator<Item = usize> + '_ {
        let entrants = self.entrants.iter().enumerate();
        entrants.flat_map(|(index, entrant)| std::iter::repeat_n(index, entrant.count))
    }

    /// One whole game; none if it was stopped or its map can't hold it.
    fn play(&self, game: u64, ready: &Ready, stop: &AtomicBool) -> Option<Played> {
        let ground = usize::try_from(game % ready.grounds.len() as u64).ok()?;
        let sight = match &ready.grounds[ground] {
            Ground::Sight(sight) => Arc::clone(sight),
            Ground::New(make) => self.look(make(seeds::derive(self.seed, game, Purpose::Map))),
        };
        let seed = seeds::derive(self.seed, game, Purpose::Game);
        let room = Room::new(Game::new(sight, self.rules, seed).ok()?, self.dialect);
        let contest = Contest::new(room.changed_only(true), self.contenders(game, ready), stop);
        let played = contest.play(self.max_rounds, stop)?;
        for seat in played.seats.iter().filter(|seat| seat.was_put_out) {
            ready.spoiled[seat.entrant].fetch_add(1, Ordering::Relaxed);
        }
        Some(played)
    }

    /// Everybody who plays in a game, with its entrant, in the order of joining.
    fn contenders(&self, game: u64, ready: &Ready) -> Vec<(usize, Box<dyn Contender>)> {
        let seats: Vec<usize> = self.seats().collect();
        let order = seeds::order(self.seed, game, seats.len()).into_iter();
        let contender = |seat: usize| {
            let entrant = seats[seat];
            if ready.spoiled[entrant].load(Ordering::Relaxed) >= MOST_SPOILED_GAMES {
                return (entrant, Box::new(Absent) as Box<dyn Contender>);
            }
            let seed = seeds::of_seat(self.seed, game, seat);
            (entrant, self.entrants[entrant].contender(seed, self.patience))
        };
        order.map(contender).collect()
    }
}
