//! The conformance tester: plays with somebody's server or client as a black box, and tells which
//! clauses of the documents it keeps and which it breaks, with the evidence.
//!
//! A [`Check`] is one clause and the deed that tries it, on a stage of its own. [`suite::run`] lets
//! many be judged; what comes out is a [`Report`], and [`report`] writes it for people and programs.

mod chapter;
mod check;
mod clause;
pub mod client;
pub mod report;
pub mod server;
pub mod suite;
mod transcript;

pub use check::{Check, Failure, Verdict};
pub use clause::{Clause, Dialects, Level, Older};
pub use nuggets_time::Clock;
pub use report::{Judged, Kind, Outcome, Report, Score};
pub use transcript::{Exchange, LastSent, Transcript, Way};
