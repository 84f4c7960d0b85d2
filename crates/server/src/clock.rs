//! The one place where the server asks what time it is.

use std::time::Instant;

use crate::Millis;

/// A room's own time, going on from where it was left.
#[derive(Debug)]
pub(crate) struct Clock {
    started: Instant,
    from: Millis,
}

impl Clock {
    #[allow(clippy::disallowed_methods, reason = "this is the clock of the server's shell")]
    pub(crate) fn start(from: Millis) -> Self {
        Self { started: Instant::now(), from }
    }

    pub(crate) fn now(&self) -> Millis {
        self.from.after(u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}
