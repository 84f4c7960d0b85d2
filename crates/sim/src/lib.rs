//! A whole world in memory: rooms, and those who play in them. No sockets, no waiting.
//!
//! [`arena`] plays tournaments. [`run`] plays games over a bad network ([`net`]) in virtual time and
//! holds every step against a naive model of the rules ([`beside`]). Everything goes through the real room as
//! messages, so a brain sees exactly what the wire would show it.

pub mod arena;
pub mod beside;
pub mod net;
pub mod run;
