//! The kinds of malformed messages that a server has sent. Each kind is logged once, because such a server keeps
//! sending them.

use std::collections::BTreeSet;

use nuggets_atlas::MessageError;

/// Maximum number of kinds, so that a server that sends random bytes can't fill the log.
const MAX_KINDS: usize = 32;
/// Number of bytes of the first word that are compared.
const MAX_WORD_BYTES: usize = 16;

/// The kinds of malformed messages so far; a kind is the error and the first word.
///
/// ```
/// use nuggets_atlas::MessageError;
/// use nuggets_session::MalformedKinds;
///
/// let mut kinds = MalformedKinds::default();
/// let mut is_new = |message: &str| kinds.insert(MessageError::DisplaySize, message.as_bytes());
/// assert!(is_new("HELLO Ann") && is_new("BYE"));
/// assert!(!is_new("HELLO Bob"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct MalformedKinds(BTreeSet<(MessageError, Vec<u8>)>);

impl MalformedKinds {
    /// Adds the kind of this message; returns true if it is new.
    pub fn insert(&mut self, error: MessageError, message: &[u8]) -> bool {
        let word = message.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let word = &word[..word.len().min(MAX_WORD_BYTES)];
        self.0.len() < MAX_KINDS && self.0.insert((error, word.to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_bytes_are_new_only_so_often() {
        let mut kinds = MalformedKinds::default();
        let is_new = |number: usize| kinds.insert(MessageError::DisplaySize, &number.to_le_bytes());
        assert_eq!((1000..2000).map(is_new).filter(|is_new| *is_new).count(), MAX_KINDS);
    }
}
