//! The one place that asks what time it is.

use std::time::Instant;

use crate::Millis;

/// Time since the client started.
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
    pub(crate) fn now(self) -> Millis {
        let elapsed = instant_now().duration_since(self.start);
        Millis(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "everybody else is handed the time; it has to come from somewhere"
)]
fn instant_now() -> Instant {
    Instant::now()
}
