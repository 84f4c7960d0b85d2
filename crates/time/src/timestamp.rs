//! A point in time that can be recorded. It knows no clock.

/// A point in time: milliseconds since an origin that the caller chooses.
///
/// ```
/// use nuggets_time::Timestamp;
///
/// let now = Timestamp(400);
/// assert_eq!(now.after(100), Timestamp(500));
/// assert_eq!(now.after(100).since(now), 100);
/// assert_eq!(now.since(now.after(100)), 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// The point in time `ms` milliseconds later; saturates.
    #[must_use]
    pub fn after(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Milliseconds from `earlier` to `self`; 0 if `earlier` is the later one.
    pub fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adding_saturates() {
        assert_eq!(Timestamp(u64::MAX).after(1), Timestamp(u64::MAX));
    }
}
