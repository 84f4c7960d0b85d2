//! The one place that asks what time it is.

use std::time::{Duration, Instant};

use crate::Millis;

/// A clock that goes on from where it was left.
///
/// ```
/// use nuggets_time::{Clock, Millis};
///
/// let clock = Clock::starting_at(Millis(400));
/// assert!(clock.now() >= Millis(400));
/// assert!(clock.elapsed() <= clock.elapsed());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    started: Instant,
    from: Millis,
}

impl Clock {
    /// A clock that shows zero now.
    pub fn start() -> Self {
        Self::starting_at(Millis(0))
    }

    /// A clock that shows this moment now.
    pub fn starting_at(from: Millis) -> Self {
        Self { started: instant_now(), from }
    }

    /// The moment it shows now.
    pub fn now(&self) -> Millis {
        self.from.after(u64::try_from(self.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// How long ago it was started.
    pub fn elapsed(&self) -> Duration {
        instant_now().duration_since(self.started)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "everybody else is handed the time; it has to come from somewhere"
)]
fn instant_now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_on_from_where_it_was_left() {
        let clock = Clock::starting_at(Millis(1000));
        let shown = clock.now();
        assert!(shown >= Millis(1000));
        while clock.now() == shown {
            std::thread::yield_now();
        }
        assert!(clock.now() > shown);
        assert!(
            clock.now().since(Millis(1000)) <= u64::try_from(clock.elapsed().as_millis()).unwrap()
        );
    }
}
