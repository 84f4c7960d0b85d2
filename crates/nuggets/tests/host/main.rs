//! `nuggets serve` as a process, over real WebSockets.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod client;
mod kills;
