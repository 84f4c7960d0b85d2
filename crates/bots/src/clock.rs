//! The one place of this crate that asks what time it is.

use std::time::{Duration, Instant};

/// Time since a bot started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    start: Instant,
}

impl Clock {
    /// A clock that shows zero now.
    pub(crate) fn start() -> Self {
        Self { start: instant_now() }
    }

    /// What it shows now.
    pub(crate) fn now(self) -> Duration {
        instant_now().duration_since(self.start)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "everybody else is handed the time; it has to come from somewhere"
)]
fn instant_now() -> Instant {
    Instant::now()
}
