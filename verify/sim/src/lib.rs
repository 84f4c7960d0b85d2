//! Verification beside the product: games, hosts and clusters in memory and in virtual time. No sockets, no waiting.
//!
//! [`run`] plays games over a bad network ([`net`]) and compares every step with a naive model of the rules
//! ([`checked_room`]). [`host`] runs whole web hosts and [`cluster`] several on one database, by the code that runs in
//! production. Everything goes through the real room as messages, so a brain sees exactly what the wire would show it.
//! [`fuzz`] has the fuzz entry points.

pub mod checked_room;
#[cfg(feature = "host")]
pub mod cluster;
pub mod fuzz;
#[cfg(feature = "host")]
pub mod host;
pub mod net;
pub mod run;
