//! Time: a timestamp that can be recorded, the one clock, and the unix time.
//!
//! Pure crates only know [`Timestamp`]: the caller passes the current time as an argument. Shells
//! own a [`Clock`].

mod clock;
mod timestamp;
mod unix_time;

pub use clock::Clock;
pub use timestamp::Timestamp;
pub use unix_time::unix_time_ms;
