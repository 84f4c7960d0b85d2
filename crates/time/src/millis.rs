//! Our own measure of time. It knows no clock.

/// A moment, in milliseconds since some beginning that only the bringer of the time knows.
///
/// ```
/// use nuggets_time::Millis;
///
/// let now = Millis(400);
/// assert_eq!(now.after(100), Millis(500));
/// assert_eq!(now.after(100).since(now), 100);
/// assert_eq!(now.since(now.after(100)), 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub u64);

impl Millis {
    /// The moment `ms` milliseconds later.
    #[must_use]
    pub fn after(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// How many milliseconds have passed from `earlier` until now; none when that is yet to come.
    pub fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_time_is_not_passed() {
        assert_eq!(Millis(u64::MAX).after(1), Millis(u64::MAX));
    }
}
