//! The one place where the tester asks what time it is.

use std::time::{Duration, Instant};

/// A stage's own time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    started: Instant,
}

impl Clock {
    /// From now on.
    #[allow(clippy::disallowed_methods, reason = "this is the clock of the tester")]
    pub fn start() -> Self {
        Self { started: Instant::now() }
    }

    /// Since it was started.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}
