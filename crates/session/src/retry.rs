//! The retry schedule (backoff) of `PLAY`, `SPECTATE` and `KEY Q`. It decides when to resend and when to give up, and knows
//! neither the message nor the server.

use nuggets_time::Timestamp;

/// The number of tries for an unanswered message, and the pauses between them.
///
/// ```
/// use nuggets_session::RetryPolicy;
///
/// let policy = RetryPolicy { first_pause_ms: 250, growth: 2, max_pause_ms: 400, max_tries: 3 };
/// assert_eq!(policy.total_ms(), 250 + 400 + 400);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Pause after the first try.
    pub first_pause_ms: u64,
    /// Factor from each pause to the next; 1 for a constant pause.
    pub growth: u32,
    /// Longest pause.
    pub max_pause_ms: u64,
    /// Total number of tries, at least 1. After the last one we wait for one more pause, then give up.
    pub max_tries: u32,
}

impl RetryPolicy {
    /// A policy with the same pause after each try.
    pub const fn steady(pause_ms: u64, max_tries: u32) -> Self {
        Self { first_pause_ms: pause_ms, growth: 1, max_pause_ms: pause_ms, max_tries }
    }

    /// Time from the first try until giving up.
    pub fn total_ms(self) -> u64 {
        let mut pause_ms = self.first_pause_ms;
        let mut total_ms = 0_u64;
        for _ in 0..self.max_tries {
            total_ms = total_ms.saturating_add(pause_ms);
            pause_ms = self.next_pause_ms(pause_ms);
        }
        total_ms
    }

    fn next_pause_ms(self, pause_ms: u64) -> u64 {
        pause_ms.saturating_mul(self.growth.into()).min(self.max_pause_ms)
    }
}

/// A message that was sent at least once and is waiting for its answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retry {
    policy: RetryPolicy,
    pause_ms: u64,
    next: Timestamp,
    tries: u32,
}

/// The next step when a pause is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RetryStep {
    /// Send the message again.
    Resend,
    /// Give up: the last try was not answered either.
    GiveUp,
}

impl Retry {
    /// Starts the schedule of a message whose first try is sent now.
    pub(crate) fn start(now: Timestamp, policy: RetryPolicy) -> Self {
        let pause_ms = policy.first_pause_ms;
        Self { policy, pause_ms, next: now.after(pause_ms), tries: 1 }
    }

    /// The time when `step` is due.
    pub(crate) fn next(&self) -> Timestamp {
        self.next
    }

    /// The number of tries so far.
    pub(crate) fn tries(&self) -> u32 {
        self.tries
    }

    /// Makes all tries available again without changing when the next one is due.
    pub(crate) fn renew(&mut self) {
        self.tries = 1;
    }

    /// Returns the step that is due now, if any. After a jump in time only one resend is due; missed ones are not
    /// made up for.
    pub(crate) fn step(&mut self, now: Timestamp) -> Option<RetryStep> {
        if now < self.next {
            return None;
        }
        if self.tries >= self.policy.max_tries {
            return Some(RetryStep::GiveUp);
        }
        self.tries += 1;
        self.pause_ms = self.policy.next_pause_ms(self.pause_ms);
        self.next = now.after(self.pause_ms);
        Some(RetryStep::Resend)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EACH_SECOND: RetryPolicy = RetryPolicy::steady(1_000, 3);

    #[test]
    fn resends_each_second_and_gives_up_a_second_after_the_last_try() {
        let mut retry = Retry::start(Timestamp(0), EACH_SECOND);
        assert_eq!(retry.step(Timestamp(999)), None);
        assert_eq!(retry.step(Timestamp(1_000)), Some(RetryStep::Resend));
        assert_eq!(retry.step(Timestamp(1_001)), None);
        assert_eq!(retry.step(Timestamp(2_000)), Some(RetryStep::Resend));
        assert_eq!(retry.step(Timestamp(2_999)), None);
        assert_eq!(retry.step(Timestamp(3_000)), Some(RetryStep::GiveUp));
        assert_eq!(EACH_SECOND.total_ms(), 3_000);
    }

    #[test]
    fn pauses_grow_up_to_the_longest() {
        let policy =
            RetryPolicy { first_pause_ms: 250, growth: 2, max_pause_ms: 800, max_tries: 6 };
        let mut retry = Retry::start(Timestamp(0), policy);
        let mut sent_at = vec![];
        while retry.step(retry.next()) == Some(RetryStep::Resend) {
            sent_at.push(retry.next().0 - retry.pause_ms);
        }
        assert_eq!(sent_at, [250, 750, 1_550, 2_350, 3_150]);
        assert_eq!(retry.next().0, policy.total_ms());
    }

    #[test]
    fn a_jump_in_time_does_not_cause_a_burst() {
        let mut retry = Retry::start(Timestamp(0), EACH_SECOND);
        assert_eq!(retry.step(Timestamp(60_000)), Some(RetryStep::Resend));
        assert_eq!(retry.step(Timestamp(60_000)), None);
        assert_eq!(retry.next(), Timestamp(61_000));
    }
}
