//! A whole host in memory: lobby, games in files, and connections that drop, lag and come back, in virtual time from a seed.
//! From time to time the host is killed and restarted from its journals. It runs like a node of the simulation of clusters,
//! without a database.
//!
//! Everything that a client is shown is compared with [`Truth`]: the journal, played by the naive model of the rules.
//! So no client sees history go backwards, sees gridpoints that it has not discovered or moves before their delay is
//! over, or loses a seat.

mod screen;
#[cfg(test)]
mod tests;
mod truth;
mod watched_journal;

use crate::cluster::{ClusterPlan, FIGURES, START, WebRun};
use crate::kit::{RunLog, Sabotage, Simulation};

pub use screen::{Screen, Shown, ShownGold, ShownPicture};
pub use truth::{Seat, Truth, ViewLetter};
pub use watched_journal::WatchedJournal;

/// A run of a host.
#[derive(Debug)]
pub struct HostRun(WebRun);

impl Simulation for HostRun {
    const NOUN: &'static str = "host";
    const OPTION: Option<&'static str> = Some("--host");
    const FIGURES: &'static [&'static str] = FIGURES;
    const SABOTAGES: &'static [Sabotage<ClusterPlan>] = &[
        // A killed server loses the end of its journals.
        Sabotage::new("journals", &["has lost"]),
    ];
    type Plan = ClusterPlan;

    fn draw(seed: u64) -> ClusterPlan {
        ClusterPlan::draw_host(seed)
    }

    fn break_rule(plan: &mut ClusterPlan, _: &'static str) {
        plan.disk.as_mut().expect("a host has a disk").loses_journals = true;
    }

    fn new(plan: ClusterPlan) -> Self {
        Self(WebRun::new(RunLog::new::<Self>(plan.seed, &plan, START), plan))
    }

    fn log(&mut self) -> &mut RunLog {
        self.0.log()
    }

    fn play_through(&mut self) -> Result<(), String> {
        self.0.play_through()
    }
}
