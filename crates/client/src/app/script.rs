//! Keys that come out of a pipe: kept in order until the game can take them, and let go one by one
//! at a pace that no socket buffer overflows from.

use std::collections::VecDeque;

use crate::Millis;
use crate::key::is_sendable;

/// The time between two keys.
const PACE_MS: u64 = 5;

/// What was read and not played yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    bytes: VecDeque<u8>,
    ended: bool,
    over: bool,
    next: Millis,
}

/// The next thing that a script wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Press this key.
    Press(u8),
    /// There stood a byte that is no key.
    Unknown,
    /// There will be nothing more.
    End,
}

impl Script {
    /// Appends a byte. The newlines that editors put at the end of a line are no keys.
    pub(crate) fn push(&mut self, byte: u8) {
        if !matches!(byte, b'\n' | b'\r') {
            self.bytes.push_back(byte);
        }
    }

    /// Nothing will be appended any more.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    /// Whether everything so far has been played, and more may come.
    pub(crate) fn wants_more(&self) -> bool {
        self.bytes.is_empty() && !self.ended
    }

    /// When the next step is due, if there is one.
    pub(crate) fn next_due(&self) -> Option<Millis> {
        let waiting = !self.bytes.is_empty() || (self.ended && !self.over);
        waiting.then_some(self.next)
    }

    /// Takes the next step that is due; the end comes once.
    pub(crate) fn step(&mut self, now: Millis) -> Option<Step> {
        if self.next_due()? > now {
            return None;
        }
        let Some(byte) = self.bytes.pop_front() else {
            self.over = true;
            return Some(Step::End);
        };
        self.next = now.after(PACE_MS);
        Some(if is_sendable(byte) { Step::Press(byte) } else { Step::Unknown })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_in_order_at_their_pace_and_then_the_end_once() {
        let mut script = Script::default();
        b"l?\r\n5\x1b".iter().for_each(|&byte| script.push(byte));
        script.end();
        let mut steps = Vec::new();
        while let Some(at) = script.next_due() {
            steps.push((at.0, script.step(at).expect("a step is due now")));
            assert_eq!(script.step(at), None, "not two at a time");
        }
        assert_eq!(
            steps,
            [
                (0, Step::Press(b'l')),
                (5, Step::Press(b'?')),
                (10, Step::Press(b'5')),
                (15, Step::Unknown),
                (20, Step::End),
            ]
        );
    }

    #[test]
    fn a_script_asks_for_more_only_when_all_is_played() {
        let mut script = Script::default();
        assert!(script.wants_more());
        script.push(b'h');
        assert!(!script.wants_more());
        script.step(Millis(0));
        assert!(script.wants_more());
        script.end();
        assert!(!script.wants_more());
    }
}
