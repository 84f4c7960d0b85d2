//! A world in memory: rooms and the clients that play in them. No sockets, no waiting.
//!
//! [`arena`] plays tournaments. [`run`] plays games over a bad network ([`net`]) in virtual time and compares
//! every step with a naive model of the rules ([`checked_room`]). Everything goes through the real room as
//! messages, so a brain sees exactly what the wire would show it. `fuzz` has the fuzz entry points (in tests and
//! with the feature `fuzz`).

pub mod arena;
pub mod checked_room;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
pub mod net;
pub mod parallel;
pub mod run;
