//! A whole cluster in memory: nodes with the ownership, the lobbies and the games of production, a model of their database, calls
//! between nodes, and people at any node, in virtual time from a seed. Nodes are killed, stopped, cut off and handed over; the
//! database stalls, restarts and fails over. Or a single host that keeps its games in files (`host`).
//!
//! Everything that a person is shown is compared with the journal that survives; after all faults every game must be
//! served again.

mod calls;
mod checks;
mod classic;
mod connections;
mod database;
mod faults;
mod game_cell;
mod node;
mod people;
mod plan;
mod run;
mod sabotage;
mod service;
mod statements;
#[cfg(test)]
mod tests;

use crate::kit::{RunLog, Sabotage, Simulation};

pub use plan::{ClusterFault, ClusterPlan, CutOff, DiskPlan, GamePlan};
pub(crate) use run::{START, WebRun};

/// The figures of a cluster or a host.
pub(crate) const FIGURES: &[&str] = &[
    "games",
    // Games that are over; in a cluster those whose results were stored.
    "over",
    "faults",
    // Connections that people broke.
    "drops",
    // Statements that were answered, and those whose answer was lost.
    "statements",
    "unanswered",
    // Claims that were committed, games that a node opened from their journal, and games that were handed over.
    "claims",
    "opened",
    "handed_over",
    // Keys that people pressed, and keys that acted.
    "keys",
    "acted",
    // Joins, returns and watches that were answered.
    "joined",
    "messages",
    // To and from clients of the specification.
    "datagrams",
    "datagrams_lost",
    // Pictures that were compared with the journal.
    "pictures",
    // Clients of a host that had the right picture in the end.
    "settled",
    // The time until all games were served again after the last fault.
    "longest_recovery_ms",
    "virtual_ms",
];

/// A run of a cluster.
#[derive(Debug)]
pub struct ClusterRun(WebRun);

impl Simulation for ClusterRun {
    const NOUN: &'static str = "cluster";
    const OPTION: Option<&'static str> = Some("--cluster");
    const FIGURES: &'static [&'static str] = FIGURES;
    const SABOTAGES: &'static [Sabotage<ClusterPlan>] = sabotage::ALL;
    type Plan = ClusterPlan;

    fn draw(seed: u64) -> ClusterPlan {
        ClusterPlan::draw(seed)
    }

    fn break_rule(plan: &mut ClusterPlan, word: &'static str) {
        plan.sabotage = Some(word);
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
