//! Keys from a pipe: queued in order until the game can handle them, and played at a pace that does not overflow a
//! socket's buffer.

use std::collections::VecDeque;

use nuggets_session::Timestamp;
use nuggets_tui::is_sendable;

/// The time between two keys.
const PACE_MS: u64 = 5;

/// The keys that were read but not played yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyScript {
    bytes: VecDeque<u8>,
    has_ended: bool,
    /// True once `step` has returned the end.
    is_over: bool,
    next: Timestamp,
}

/// The next step of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScriptStep {
    /// Press this key.
    Press(u8),
    /// A byte that is not a key.
    Unknown,
    /// The script is over.
    End,
}

impl KeyScript {
    /// Appends a byte. Newlines, which editors put at the end of a line, are not keys.
    pub(crate) fn push(&mut self, byte: u8) {
        if !matches!(byte, b'\n' | b'\r') {
            self.bytes.push_back(byte);
        }
    }

    /// Marks the end of the script: nothing more will be appended.
    pub(crate) fn end(&mut self) {
        self.has_ended = true;
    }

    /// True if everything read has been played and more may come.
    pub(crate) fn wants_more(&self) -> bool {
        self.bytes.is_empty() && !self.has_ended
    }

    /// Returns the time at which the next step is due, if there is one.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        let waiting = !self.bytes.is_empty() || (self.has_ended && !self.is_over);
        waiting.then_some(self.next)
    }

    /// Returns the next step if it is due. The end is returned once.
    pub(crate) fn step(&mut self, now: Timestamp) -> Option<ScriptStep> {
        if self.next_due()? > now {
            return None;
        }
        let Some(byte) = self.bytes.pop_front() else {
            self.is_over = true;
            return Some(ScriptStep::End);
        };
        self.next = now.after(PACE_MS);
        Some(if is_sendable(byte) { ScriptStep::Press(byte) } else { ScriptStep::Unknown })
    }
}
