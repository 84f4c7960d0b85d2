//! Time in a replay: its speed and its format.

use std::fmt;

use nuggets_record::Timestamp;

/// The speed of a replay: 0.25 to 64 times the recorded speed, in powers of two.
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

/// The number of doublings from 0.25 to 64.
const MAX_DOUBLINGS: u8 = 8;

impl Speed {
    /// Twice as fast, at most 64x.
    #[must_use]
    pub fn faster(self) -> Self {
        Self { doublings: (self.doublings + 1).min(MAX_DOUBLINGS) }
    }

    /// Half as fast, at least 0.25x.
    #[must_use]
    pub fn slower(self) -> Self {
        Self { doublings: self.doublings.saturating_sub(1) }
    }

    /// Quarters of a recorded millisecond per millisecond of real time.
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

/// A time within a recording, shown as minutes and seconds.
///
/// ```
/// use nuggets_record::Timestamp;
/// use nuggets_replay::PlayTime;
///
/// assert_eq!(PlayTime(Timestamp(133_900)).to_string(), "02:13");
/// assert_eq!(PlayTime(Timestamp(6_000_000)).to_string(), "100:00");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayTime(pub Timestamp);

impl fmt::Display for PlayTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.0 / 1000;
        write!(f, "{:02}:{:02}", seconds / 60, seconds % 60)
    }
}
