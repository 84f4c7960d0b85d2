//! Waiting for other processes: polls a condition within a generous limit.

use std::thread;
use std::time::{Duration, Instant};

/// The maximum wait, long enough for the slowest machine. Only a failing test waits that long.
pub const LIMIT: Duration = Duration::from_secs(120);
/// The polling interval, long enough that a host does not take a waiting visitor for a flood.
const POLL: Duration = Duration::from_millis(20);

/// Returns the time.
#[expect(
    clippy::disallowed_methods,
    reason = "limits on waiting for other processes, and measurements"
)]
pub fn now() -> Instant {
    Instant::now()
}

/// Polls until there is a value, and returns it.
pub fn wait_for<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let started = now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(started.elapsed() < LIMIT, "waited too long for {what}");
        thread::sleep(POLL);
    }
}

/// Waits until a condition holds.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    wait_for(what, || is_so().then_some(()));
}
