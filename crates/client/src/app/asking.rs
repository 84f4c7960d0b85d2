//! Asking again while nobody answers: once a second, a fixed number of times, then no more.
//! It knows neither what is asked nor of whom.

use crate::Millis;

const PERIOD_MS: u64 = 1_000;

/// A question that has been put at least once and waits for its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asking {
    next: Millis,
    asked: u32,
    at_most: u32,
}

/// What to do when the time to wait is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Put the question again.
    Again,
    /// It was put often enough: there won't be an answer.
    GiveUp,
}

impl Asking {
    /// The question is put now, and will be put at most so many times altogether.
    pub(crate) fn new(now: Millis, at_most: u32) -> Self {
        Self { next: now.after(PERIOD_MS), asked: 1, at_most }
    }

    /// The moment at which `due` will have something to say.
    pub(crate) fn next(&self) -> Millis {
        self.next
    }

    /// How often the question has been put so far.
    pub(crate) fn asked(&self) -> u32 {
        self.asked
    }

    /// What is to be done now, if anything.
    pub(crate) fn due(&mut self, now: Millis) -> Option<Due> {
        if now < self.next {
            return None;
        }
        if self.asked == self.at_most {
            return Some(Due::GiveUp);
        }
        self.asked += 1;
        self.next = now.after(PERIOD_MS);
        Some(Due::Again)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_each_second_and_gives_up_a_second_after_the_last() {
        let mut asking = Asking::new(Millis(0), 3);
        assert_eq!(asking.due(Millis(999)), None);
        assert_eq!(asking.due(Millis(1_000)), Some(Due::Again));
        assert_eq!(asking.due(Millis(1_001)), None);
        assert_eq!(asking.due(Millis(2_000)), Some(Due::Again));
        assert_eq!(asking.due(Millis(2_999)), None);
        assert_eq!(asking.due(Millis(3_000)), Some(Due::GiveUp));
    }

    #[test]
    fn a_leap_in_time_is_not_made_up_for_by_asking_in_a_rush() {
        let mut asking = Asking::new(Millis(0), 3);
        assert_eq!(asking.due(Millis(60_000)), Some(Due::Again));
        assert_eq!(asking.due(Millis(60_000)), None);
        assert_eq!(asking.next(), Millis(61_000));
    }
}
