//! Many runs, on several threads.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use nuggets_arena::Parallel;

use super::{Run, RunFailure, RunOutcome, RunPlan};
use crate::net::Tally;

/// The sums over many runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunTotal {
    /// Games played.
    pub games: u64,
    /// Games that ended.
    pub over: u64,
    /// Clients in all games.
    pub clients: u64,
    /// Clients that had a seat at the end of their game.
    pub seated: u64,
    /// Clients of these that know the result.
    pub informed: u64,
    /// Counts of datagrams.
    pub tally: Tally,
    /// Datagrams after which a room was compared with the model.
    pub compared: u64,
    /// Crashes of servers.
    pub crashes: u64,
    /// The virtual duration of all games.
    pub virtual_ms: u64,
    /// The failed runs, ordered by seed.
    pub failures: Vec<RunFailure>,
}

impl RunTotal {
    fn add(&mut self, played: Result<RunOutcome, Box<RunFailure>>) {
        self.games += 1;
        match played {
            Err(failure) => self.failures.push(*failure),
            Ok(outcome) => {
                self.over += u64::from(outcome.is_over);
                self.clients += outcome.clients as u64;
                self.seated += outcome.seated as u64;
                self.informed += outcome.informed as u64;
                self.tally = self.tally.plus(outcome.tally);
                self.compared += outcome.compared;
                self.crashes += outcome.crashes;
                self.virtual_ms += outcome.virtual_ms;
            }
        }
    }
}

/// Plays the games of these seeds on `jobs` threads, or until `stop` is set. `draw` makes the plan of a seed;
/// `progress` gets the number of games done after each one. The total does not depend on `jobs`.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use nuggets_sim::run::{RunPlan, play_many};
///
/// let total = play_many(0..10, 2, &AtomicBool::new(false), RunPlan::draw, |_| {});
/// assert_eq!((total.games, total.failures.len()), (10, 0));
/// ```
pub fn play_many(
    seeds: Range<u64>,
    jobs: usize,
    stop: &AtomicBool,
    draw: impl Fn(u64) -> RunPlan + Sync,
    progress: impl Fn(u64) + Sync,
) -> RunTotal {
    let mut total = RunTotal::default();
    Parallel { jobs, stop }.run(
        seeds,
        |seed| Some(Run::from_plan(draw(seed)).play()),
        progress,
        |_, played| total.add(played),
    );
    total.failures.sort_by_key(|failure| failure.seed);
    total
}
