//! Player names: their limit, how a server cleans one, and how a client makes one fit to send.

use std::fmt;

/// A player's name is cut to this many bytes.
pub const MAX_NAME_BYTES: usize = 50;

/// A player's name as a server keeps it: 1 to 50 printable ASCII characters or tabs, not all of
/// them blank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    /// Cuts the bytes to the limit, then replaces each byte that is neither graphic nor blank by
    /// `_`. `None` for a blank name, one with nothing but white space.
    pub fn new(given: &[u8]) -> Option<Self> {
        let cut = &given[..given.len().min(MAX_NAME_BYTES)];
        if cut.iter().all(|&byte| is_space(byte)) {
            return None;
        }
        let clean = |&byte: &u8| {
            let is_kept = byte.is_ascii_graphic() || byte == b' ' || byte == b'\t';
            char::from(if is_kept { byte } else { b'_' })
        };
        Some(Self(cut.iter().map(clean).collect()))
    }

    /// The name as text.
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A name that a client can send in `PLAY`: cut to the limit, newlines replaced by `_`, because a
/// newline at the end would make the message malformed. The server replaces the other bytes.
///
/// ```
/// use nuggets_protocol::name_to_send;
///
/// assert_eq!(name_to_send(b"Ann\n"), b"Ann_");
/// ```
pub fn name_to_send(name: &[u8]) -> Vec<u8> {
    let cut = &name[..name.len().min(MAX_NAME_BYTES)];
    cut.iter().map(|&byte| if byte == b'\n' { b'_' } else { byte }).collect()
}

/// White space as defined by C's `isspace`.
fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(given: &[u8]) -> Option<String> {
        Name::new(given).map(|name| name.to_string())
    }

    #[test]
    fn a_name_is_free_text() {
        assert_eq!(named(b"Ann Onymous").as_deref(), Some("Ann Onymous"));
        assert_eq!(named(b" \ta ").as_deref(), Some(" \ta "));
    }

    #[test]
    fn a_name_is_cut_before_it_is_cleaned() {
        let long = [&[b'x'; 49][..], "é".as_bytes(), b"tail"].concat();
        assert_eq!(named(&long), Some("x".repeat(49) + "_"));
        assert_eq!(named(&[b'y'; 50]), Some("y".repeat(50)));
    }

    #[test]
    fn a_byte_that_is_neither_graphic_nor_blank_becomes_an_underscore() {
        assert_eq!(named(b"a\x1b[31m\x7f\xff\x0b").as_deref(), Some("a_[31m___"));
        assert_eq!(named(b"\x01").as_deref(), Some("_"));
    }

    #[test]
    fn a_blank_name_is_rejected() {
        for blank in [&b""[..], b" ", b" \t\n\x0b\x0c\r ", &[b' '; 60]] {
            assert_eq!(named(blank), None);
        }
        assert_eq!(named(&[&[b' '; 50][..], b"late"].concat()), None);
    }

    #[test]
    fn a_name_to_send_is_cut_and_has_no_newline() {
        assert_eq!(name_to_send(b"a\nb\n"), b"a_b_");
        assert_eq!(name_to_send(&[b'x'; 60]), [b'x'; 50]);
    }
}
