//! A clock that can be trusted to measure spans, made from one that can't: it never goes back, and a jump or a pause of
//! the process counts as one short step.

use nuggets_time::Timestamp;

/// The longest step between two readings. A longer one is a pause of the process, or a jump of the clock.
pub const MAX_STEP_MS: u64 = 1_000;

/// Turns readings of any clock into a time for the state machines of one node.
#[derive(Clone, Copy, Debug, Default)]
pub struct SteadyTime {
    last_reading: Option<Timestamp>,
    now: Timestamp,
}

impl SteadyTime {
    /// The time at this reading of the clock.
    pub fn advance(&mut self, reading: Timestamp) -> Timestamp {
        let step = self.last_reading.map_or(0, |last| reading.since(last));
        self.last_reading = Some(reading);
        self.now = self.now.after(step.min(MAX_STEP_MS));
        self.now
    }

    /// The reading of the clock at which it will be `time`, unless the clock jumps.
    pub fn reading_at(&self, time: Timestamp) -> Timestamp {
        self.last_reading.unwrap_or_default().after(time.since(self.now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_never_goes_back_and_takes_no_long_steps() {
        let mut time = SteadyTime::default();
        assert_eq!(time.advance(Timestamp(5_000)), Timestamp(0));
        assert_eq!(time.advance(Timestamp(5_100)), Timestamp(100));
        assert_eq!(time.advance(Timestamp(90)), Timestamp(100));
        assert_eq!(time.advance(Timestamp(100)), Timestamp(110));
        assert_eq!(time.advance(Timestamp(9_999_999)), Timestamp(1_110));
        assert_eq!(time.reading_at(Timestamp(1_120)), Timestamp(10_000_009));
    }
}
