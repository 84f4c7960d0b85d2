//! Many games, on as many cores as wanted.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

use super::{Failure, Outcome, Plan, Run};
use crate::net::Tally;

/// What came of many games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// How many were played.
    pub games: u64,
    /// How many of them came to their end.
    pub over: u64,
    /// How many took part in them.
    pub clients: u64,
    /// How many had a seat at the end.
    pub seated: u64,
    /// How many of them know the result.
    pub informed: u64,
    /// What became of the datagrams.
    pub tally: Tally,
    /// Datagrams after which a room was compared with the model.
    pub compared: u64,
    /// The games' own time.
    pub virtual_ms: u64,
    /// What went wrong, by seed.
    pub failures: Vec<Failure>,
}

impl Total {
    fn add(&mut self, played: Result<Outcome, Box<Failure>>) {
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
                self.virtual_ms += outcome.virtual_ms;
            }
        }
    }
}

/// Plays the games of these seeds on so many threads, or until `stop` is set. `draw` says what a seed
/// stands for; `progress` is told after each game how many are done. The total is the same for any
/// number of threads.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use nuggets_sim::run::{Plan, play_many};
///
/// let total = play_many(0..10, 2, &AtomicBool::new(false), Plan::draw, |_| {});
/// assert_eq!((total.games, total.failures.len()), (10, 0));
/// ```
pub fn play_many(
    seeds: Range<u64>,
    jobs: usize,
    stop: &AtomicBool,
    draw: impl Fn(u64) -> Plan + Sync,
    progress: impl Fn(u64) + Sync,
) -> Total {
    let (next, done) = (AtomicU64::new(seeds.start), AtomicU64::new(0));
    let (sender, results) = mpsc::channel();
    let mut total = std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            let sender = sender.clone();
            let (next, done, draw, progress) = (&next, &done, &draw, &progress);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    // The receiver outlives all senders.
                    let _ = sender.send(Run::of(draw(seed)).play());
                    progress(done.fetch_add(1, Ordering::Relaxed) + 1);
                }
            });
        }
        drop(sender);
        let mut total = Total::default();
        for played in results {
            total.add(played);
        }
        total
    });
    total.failures.sort_by_key(|failure| failure.seed);
    total
}
