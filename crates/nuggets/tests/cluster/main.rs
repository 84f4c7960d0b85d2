//! Several hosts on one PostgreSQL database, or one without, as processes, with clients of every kind.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod accounts;
mod cluster;
mod faults;
mod http;
mod journals;
mod kills;
mod patroni;
mod players;
mod status;

const NUGGETS: &str = env!("CARGO_BIN_EXE_nuggets");
