//! A whole cluster in memory: nodes with the ownership and the games of production, a model of their database, calls between
//! nodes, and people at any node, in virtual time from a seed. Nodes are killed, stopped, cut off and handed over; the
//! database stalls, restarts and fails over.
//!
//! Everything that a person is shown is compared with the journal that survives; after all faults every game must be
//! served again.

mod calls;
mod checks;
mod database;
mod faults;
mod game_cell;
mod node;
mod people;
mod plan;
mod run;
mod sabotage;
mod statements;
#[cfg(test)]
mod tests;

pub use plan::{ClusterFault, ClusterPlan, CutOff};
pub use run::ClusterRun;
