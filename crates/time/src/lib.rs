//! Time: our own measure of it, so that it can be recorded, and the one clock.
//!
//! The inner rooms know [`Millis`] only: whoever calls them brings the moment along. The shells hold
//! a [`Clock`] and ask it.

mod clock;
mod millis;

pub use clock::Clock;
pub use millis::Millis;
