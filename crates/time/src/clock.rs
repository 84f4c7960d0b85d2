//! The only caller of `Instant::now`.

use std::time::{Duration, Instant};

use crate::Timestamp;

/// A monotonic clock that continues from a given timestamp.
///
/// ```
/// use nuggets_time::{Clock, Timestamp};
///
/// let clock = Clock::starting_at(Timestamp(400));
/// assert!(clock.now() >= Timestamp(400));
/// assert!(clock.elapsed() <= clock.elapsed());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    started: Instant,
    from: Timestamp,
}

impl Clock {
    /// A clock that reads 0 now.
    pub fn start() -> Self {
        Self::starting_at(Timestamp(0))
    }

    /// A clock that reads `from` now.
    pub fn starting_at(from: Timestamp) -> Self {
        Self { started: instant_now(), from }
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        self.from.after(u64::try_from(self.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// Time since the clock was created.
    pub fn elapsed(&self) -> Duration {
        instant_now().duration_since(self.started)
    }
}

#[expect(clippy::disallowed_methods, reason = "every other crate gets the time as an argument")]
fn instant_now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_continues_from_the_given_timestamp() {
        let clock = Clock::starting_at(Timestamp(1000));
        let shown = clock.now();
        assert!(shown >= Timestamp(1000));
        while clock.now() == shown {
            std::thread::yield_now();
        }
        assert!(clock.now() > shown);
        assert!(
            clock.now().since(Timestamp(1000))
                <= u64::try_from(clock.elapsed().as_millis()).unwrap()
        );
    }
}
