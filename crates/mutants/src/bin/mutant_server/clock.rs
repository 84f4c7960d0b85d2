//! The one place where the mutant asks what time it is.

use std::time::{Duration, Instant};

/// The mutant's own time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    started: Instant,
}

impl Clock {
    #[allow(clippy::disallowed_methods, reason = "this is the clock of the mutant's shell")]
    pub(crate) fn start() -> Self {
        Self { started: Instant::now() }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}
