//! A cluster as processes: three brokers, three nodes, and clients of every kind.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod accounts;
mod brokers;
mod cluster;
mod faults;
#[path = "../programs/free_port.rs"]
mod free_port;
/// What the module of terminals expects.
mod host {
    pub(crate) use crate::LIMIT;
}
mod log;
mod network;
mod nodes;
mod players;
mod status;
#[expect(dead_code, reason = "shared with the tests of the programs, which use more of it")]
#[path = "../programs/terminal.rs"]
mod terminal;

use std::path::Path;
use std::time::{Duration, Instant};

/// Long enough for the slowest machine; only a test that fails waits for it.
const LIMIT: Duration = Duration::from_secs(60);

#[expect(
    clippy::disallowed_methods,
    reason = "a limit on waiting for another process, and times that are reported"
)]
fn now() -> Instant {
    Instant::now()
}

/// Prints the end of a log, to find out why a test failed.
fn show_end_of(path: &Path) {
    let log = std::fs::read_to_string(path).unwrap_or_default();
    let lines: Vec<&str> = log.lines().collect();
    let end = lines[lines.len().saturating_sub(60)..].join("\n");
    #[expect(clippy::print_stderr, reason = "helps to find out why a test failed")]
    {
        eprintln!("{}:\n{end}", path.display());
    }
}
