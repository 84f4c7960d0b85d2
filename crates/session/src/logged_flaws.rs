//! The flaws of a server's messages. Each kind is logged once, because such a server keeps sending them.

use std::collections::BTreeSet;

use nuggets_atlas::{MessageError, SizeMismatch};
use nuggets_protocol::Deviation;
use tracing::warn;

use crate::Session;

/// Maximum number of kinds of malformed messages, so that a server that sends random bytes can't fill the log.
const MAX_KINDS: usize = 32;
/// Number of bytes of the first word that are compared.
const MAX_WORD_BYTES: usize = 16;
/// The maximum number of bytes of a malformed message that are logged.
const MAX_LOGGED_BYTES: usize = 80;

/// The flaws logged so far. Each function returns what is new, for a note to the player.
#[derive(Clone, Debug, Default)]
pub struct LoggedFlaws {
    /// The error and the first word of malformed messages.
    malformed: BTreeSet<(MessageError, Vec<u8>)>,
    deviations: BTreeSet<Deviation>,
    size_mismatch: Option<SizeMismatch>,
}

impl LoggedFlaws {
    /// Logs a malformed message. Returns true if it is the first of its kind.
    ///
    /// ```
    /// use nuggets_atlas::MessageError;
    /// use nuggets_session::LoggedFlaws;
    ///
    /// let mut flaws = LoggedFlaws::default();
    /// let mut is_new = |text: &str| flaws.add_malformed(MessageError::DisplaySize, text.as_bytes());
    /// assert!(is_new("HELLO Ann") && is_new("BYE"));
    /// assert!(!is_new("HELLO Bob"));
    /// ```
    pub fn add_malformed(&mut self, error: MessageError, message: &[u8]) -> bool {
        let word = message.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let word = &word[..word.len().min(MAX_WORD_BYTES)];
        let is_new =
            self.malformed.len() < MAX_KINDS && self.malformed.insert((error, word.to_vec()));
        if is_new {
            let start = &message[..message.len().min(MAX_LOGGED_BYTES)];
            warn!(message = %start.escape_ascii(), "{error}");
        }
        is_new
    }

    /// Logs the deviations from the specification that the last message has shown first.
    pub fn add_deviations(&mut self, session: &Session) -> Option<String> {
        let all = session.deviations();
        if all.len() == self.deviations.len() {
            return None;
        }
        let new: Vec<_> = all.difference(&self.deviations).map(ToString::to_string).collect();
        self.deviations.clone_from(all);
        let new = new.join(", ");
        warn!("the server's messages deviate from the specification and are understood: {new}");
        Some(new)
    }

    /// Logs a picture whose size is not that of the map.
    pub fn add_size_mismatch(&mut self, session: &Session) -> Option<SizeMismatch> {
        let mismatch = session.scene().size_mismatch();
        let new = mismatch.filter(|_| mismatch != self.size_mismatch)?;
        self.size_mismatch = mismatch;
        warn!("{new}: it is shown as far as it can be understood");
        Some(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_bytes_are_new_only_so_often() {
        let mut flaws = LoggedFlaws::default();
        let is_new =
            |number: usize| flaws.add_malformed(MessageError::DisplaySize, &number.to_le_bytes());
        assert_eq!((1000..2000).map(is_new).filter(|is_new| *is_new).count(), MAX_KINDS);
    }
}
