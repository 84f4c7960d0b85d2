//! Our own measure of time. It knows no clock: whoever calls brings the moment along.

/// A moment, in milliseconds since some start that only the bringer of the time knows.
///
/// ```
/// use nuggets_client::Millis;
///
/// let now = Millis(400);
/// assert_eq!(now.after(100), Millis(500));
/// assert_eq!(now.ms_until(Millis(500)), 100);
/// assert_eq!(now.ms_until(Millis(300)), 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub u64);

impl Millis {
    /// The moment `ms` milliseconds later.
    #[must_use]
    pub fn after(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// How long it is from here to `later`; nothing when that has passed.
    pub fn ms_until(self, later: Self) -> u64 {
        later.0.saturating_sub(self.0)
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
