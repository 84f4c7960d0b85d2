//! How fast a recording is played.

use std::fmt;

/// From a quarter of the recorded speed to 64 times of it, in steps of two.
///
/// ```
/// use nuggets_replay::Speed;
///
/// assert_eq!(Speed::default().to_string(), "1x");
/// assert_eq!(Speed::default().faster().to_string(), "2x");
/// assert_eq!(Speed::default().slower().slower().slower().to_string(), "0.25x");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed {
    doublings: u8,
}

/// The number of doublings from a quarter to 64.
const FASTEST: u8 = 8;

impl Speed {
    /// Twice as fast, if there is such a speed.
    #[must_use]
    pub fn faster(self) -> Self {
        Self { doublings: (self.doublings + 1).min(FASTEST) }
    }

    /// Half as fast, if there is such a speed.
    #[must_use]
    pub fn slower(self) -> Self {
        Self { doublings: self.doublings.saturating_sub(1) }
    }

    /// Quarters of a recorded millisecond for each that passes.
    pub(crate) fn quarters(self) -> u64 {
        1 << self.doublings
    }
}

impl Default for Speed {
    fn default() -> Self {
        Self { doublings: 2 }
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.quarters() {
            1 => f.write_str("0.25x"),
            2 => f.write_str("0.5x"),
            quarters => write!(f, "{}x", quarters / 4),
        }
    }
}
