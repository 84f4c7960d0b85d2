//! The conformance tester: runs any server or client as a black box and reports which
//! requirements of the specification it meets and which it breaks, with the evidence.
//!
//! A [`Check`] is one [`Requirement`] and the function that tests it in a [`suite::TestRun`] of its
//! own, with a fresh program. [`suite::run`] runs many; the result is a [`ConformanceReport`], which
//! [`report`] writes for people and programs.

mod catalogue;
mod causes;
mod check;
pub mod client;
mod loss;
pub mod report;
mod requirement;
pub mod server;
mod settings;
pub mod suite;
mod transcript;

pub use causes::find_causes;
pub use check::{Check, CheckFailure, Obstacle, Verdict};
pub use nuggets_time::Clock;
pub use report::{CheckOutcome, CheckResult, ConformanceReport, ProgramKind, Score};
pub use requirement::{Dialects, Requirement, Requirement2019, RequirementLevel};
pub use settings::TestSettings;
pub use transcript::{Exchange, ExchangeKind, Transcript};

pub(crate) use catalogue::CheckTable;
pub(crate) use check::{ensure, ensure_for_check, ensure_none, fail};

/// The reason why a program could not be tested at all, and a hint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CannotRun(pub String);

impl CannotRun {
    /// Creates the error for a program that lacks something that every check needs: `what` names both, `why` describes
    /// its behaviour instead, perhaps with the end of its stderr.
    pub(crate) fn failed_preflight(what: &str, why: &str) -> Self {
        let why = why.trim_end_matches(|end: char| end == '.' || end.is_whitespace());
        Self(format!("{what}: {why}. Start it in the same way by hand to see why"))
    }
}
