//! `nuggets serve` as a process, over real WebSockets.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod client;
#[expect(dead_code, reason = "shared with the tests in a browser, which use more of it")]
#[path = "../browser/host.rs"]
mod host;
mod kills;

use std::time::Instant;

#[expect(clippy::disallowed_methods, reason = "a limit on waiting for another process")]
fn now() -> Instant {
    Instant::now()
}
