//! A whole world in memory: rooms, and those who play in them. No sockets, no waiting.
//!
//! [`arena`] plays tournaments. Everything goes through the real room as messages, so a brain sees
//! exactly what the wire would show it.

pub mod arena;
