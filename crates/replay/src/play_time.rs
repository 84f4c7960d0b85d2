//! A time within a recording, as people read it.

use std::fmt;

use nuggets_record::Millis;

/// Minutes and seconds.
///
/// ```
/// use nuggets_record::Millis;
/// use nuggets_replay::PlayTime;
///
/// assert_eq!(PlayTime(Millis(133_900)).to_string(), "02:13");
/// assert_eq!(PlayTime(Millis(6_000_000)).to_string(), "100:00");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayTime(pub Millis);

impl fmt::Display for PlayTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.0 / 1000;
        write!(f, "{:02}:{:02}", seconds / 60, seconds % 60)
    }
}
