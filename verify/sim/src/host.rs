//! A whole host in memory: lobby, games, and connections that drop, lag and come back, in virtual time from a seed.
//! From time to time the server is killed and restarted from its journals.
//!
//! Everything that a client is shown is compared with [`Truth`]: the journal, played by the naive model of the rules.
//! So no client sees history go backwards, sees gridpoints that it has not discovered or moves before their delay is
//! over, or loses a seat.

mod client;
mod plan;
mod run;
mod screen;
mod server;
#[cfg(test)]
mod tests;
mod truth;
mod watched_journal;

pub(crate) use client::{SimRole, StreamSource, attach};
pub use plan::{GamePlan, HostPlan};
pub use run::HostRun;
pub(crate) use run::{KEYS, START, person};
pub use screen::{Screen, Shown, ShownGold, ShownPicture};
pub(crate) use server::open_game;
pub use truth::{Seat, Truth, ViewLetter};
pub use watched_journal::WatchedJournal;
