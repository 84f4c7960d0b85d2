//! The kit of all simulations: from a seed a plan, from a plan a run, from a run an outcome or a failure with its trace; rules
//! that are broken on purpose; many seeds in parallel. It knows no game.
//!
//! ```
//! use nuggets_sim::kit::{Simulation, play};
//! use nuggets_sim::room::RoomRun;
//!
//! let run = || RoomRun::new(RoomRun::draw(7));
//! let outcome = play(run()).unwrap();
//! assert_eq!(outcome, play(run()).unwrap());
//! assert!(outcome.figures.get("compared") > 0);
//! ```

mod figures;
mod outcome;
mod run_log;
mod sabotage;
#[cfg(test)]
pub(crate) mod testing;

use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use nuggets_arena::Parallel;

pub use figures::Figures;
pub use outcome::{Failure, Outcome, Total};
pub use run_log::RunLog;
pub use sabotage::Sabotage;

/// A simulation. Its value is one run; the seed fixes every byte of it.
pub trait Simulation: Sized + 'static {
    /// One run, in reports.
    const NOUN: &'static str;
    /// The option of the program that chooses this simulation; none for the default.
    const OPTION: Option<&'static str>;
    /// The names of all figures, in the order of reports.
    const FIGURES: &'static [&'static str];
    /// The rules that can be broken on purpose.
    const SABOTAGES: &'static [Sabotage<Self::Plan>];
    /// Everything that the seed decides before a run begins, shown in one line. It may be changed for an experiment.
    type Plan: fmt::Display + 'static;

    /// Draws the plan of this seed.
    fn draw(seed: u64) -> Self::Plan;

    /// Breaks the rule of this word, one of [`Self::SABOTAGES`].
    fn break_rule(plan: &mut Self::Plan, word: &'static str);

    /// Prepares the run of this plan.
    fn new(plan: Self::Plan) -> Self;

    /// Returns time, trace and figures.
    fn log(&mut self) -> &mut RunLog;

    /// Plays the run to its end. The error describes the broken rule.
    fn play_through(&mut self) -> Result<(), String>;
}

/// Plays a run. A panic in it is a failure like any other.
pub fn play<S: Simulation>(mut run: S) -> Result<Outcome, Box<Failure>> {
    let played = catch_unwind(AssertUnwindSafe(|| run.play_through()));
    let fault = match played {
        Ok(Ok(())) => return Ok(run.log().outcome()),
        Ok(Err(fault)) => fault,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            format!("panic: {}", text.unwrap_or("without a message"))
        }
    };
    Err(run.log().failure(fault).into())
}

/// Plays the runs of these seeds; `draw` makes the plan of a seed. `progress` gets the number of runs done after each one.
/// The total does not depend on the number of threads.
pub fn play_many<S: Simulation>(
    seeds: Range<u64>,
    parallel: Parallel<'_>,
    draw: impl Fn(u64) -> S::Plan + Sync,
    progress: impl Fn(u64) + Sync,
) -> Total {
    let mut total = Total::new(S::FIGURES);
    let play = |seed| Some(play(S::new(draw(seed))));
    parallel.run(seeds, play, progress, |_, played| total.add(played));
    total.failures.sort_by_key(|failure| failure.seed);
    total
}
