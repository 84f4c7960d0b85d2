//! Verification beside the product: rooms, hosts and clusters in memory and in virtual time. No sockets, no waiting.
//!
//! [`room`] plays games over a bad network (`net`) and compares every step with a naive model of the rules
//! (`checked_room`). [`host`] runs whole web hosts and [`cluster`] several on one database, by the code that runs in
//! production. [`kit`] is what they share. Everything goes through the real room as messages, so a brain sees exactly
//! what the wire would show it. [`fuzz`] has the fuzz entry points.

#[cfg_attr(not(feature = "simulations"), expect(dead_code, reason = "fuzz targets don't need all"))]
mod checked_room;
#[cfg(feature = "simulations")]
pub mod cluster;
pub mod fuzz;
#[cfg(feature = "simulations")]
pub mod host;
#[cfg(feature = "simulations")]
pub mod kit;
mod maps;
#[cfg(feature = "simulations")]
mod net;
#[cfg(feature = "simulations")]
pub mod room;
