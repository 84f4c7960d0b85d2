//! The checks that the tests of every simulation make.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use nuggets_arena::Parallel;

use super::{Simulation, Total, play, play_many};

/// Plays the runs of these seeds on two threads.
pub(crate) fn play_seeds<S: Simulation>(
    seeds: Range<u64>,
    draw: impl Fn(u64) -> S::Plan + Sync,
) -> Total {
    let parallel = Parallel { jobs: 2, stop: &AtomicBool::new(false) };
    play_many::<S>(seeds, parallel, draw, |_| {})
}

/// The same. Panics if a run fails.
pub(crate) fn play_all<S: Simulation>(
    seeds: Range<u64>,
    draw: impl Fn(u64) -> S::Plan + Sync,
) -> Total {
    let total = play_seeds::<S>(seeds, draw);
    if let Some(first) = total.failures.first() {
        panic!("{} failures, the first is\n{first}", total.failures.len());
    }
    total
}

/// Panics unless every broken rule makes one of these seeds fail for its own reason, and the same plan passes with the rule.
pub(crate) fn check_sabotages<S: Simulation>(seeds: &Range<u64>) {
    for it in S::SABOTAGES {
        let is_noticed = |seed: &u64| {
            let played = play(S::new(it.broken::<S>(*seed)));
            played.is_err_and(|failure| it.is_noticed(&failure.fault))
        };
        let Some(seed) = seeds.clone().find(is_noticed) else {
            panic!("without the rule '{}' nothing fails for its reason", it.word)
        };
        if let Err(failure) = play(S::new(it.staged::<S>(seed))) {
            panic!("with the rule '{}': {failure}", it.word);
        }
    }
}
