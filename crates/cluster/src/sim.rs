//! A whole cluster in memory and virtual time, from a seed: nodes, three brokers, links and clients. Processes crash, are
//! paused and have wrong clocks, links are cut in one or both directions, brokers crash and lose the end of their disks,
//! acknowledgements are lost or late, publishes arrive twice, and somebody forges keys.
//!
//! Checked: nobody opens a log without knowing all of it, or in the epoch of another; no record of an earlier epoch is
//! stored after that; nothing is shown that is not stored; nothing that was shown or answered is lost; no client sees the
//! game go back; no key is applied twice, too late or forged; every game answers within 3 s after the faults end, or after its
//! owner has died; a hand-over takes at most 300 ms.
//!
//! ```
//! use nuggets_cluster::sim::{ClusterPlan, ClusterRun, ClusterSabotage};
//!
//! let outcome = ClusterRun::new(1).play().unwrap();
//! assert!(outcome.answered > 0);
//!
//! let broken = |seed| ClusterPlan::draw(seed).sabotaged(ClusterSabotage::Ack);
//! assert!((0..20).any(|seed| ClusterRun::from_plan(broken(seed)).play().is_err()));
//! ```

mod brokers;
mod client;
mod effects;
mod faults;
mod followed;
mod game;
mod links;
mod outcome;
mod owned_game;
mod people;
mod plan;
mod process;
mod rng;
mod run;
mod sabotage;
mod stream;
#[cfg(test)]
mod tests;
mod truth;
mod world;

pub use outcome::{ClusterFailure, ClusterOutcome, ClusterTotal};
pub use plan::{ClusterPlan, PowerLoss};
pub use run::ClusterRun;
pub use sabotage::{ClusterSabotage, UnknownClusterSabotage};
