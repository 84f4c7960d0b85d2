//! Several hosts on one PostgreSQL database, as processes, with clients of every kind.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod accounts;
mod cluster;
mod faults;
#[path = "../programs/free_port.rs"]
mod free_port;
mod http;
/// The limit that the module of terminals expects.
mod host {
    pub(crate) use crate::LIMIT;
}
mod journals;
mod nodes;
mod patroni;
mod players;
mod status;
#[expect(dead_code, reason = "shared with the tests of the programs, which use more of it")]
#[path = "../programs/terminal.rs"]
mod terminal;

use std::thread;
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

/// Asks again until there is an answer.
fn wait_for<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let started = now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(started.elapsed() < LIMIT, "waited too long for {what}");
        thread::sleep(Duration::from_millis(20));
    }
}
