//! A datagram from the server: its time, its meaning, and its quotation.

use std::collections::BTreeSet;
use std::time::Duration;

use nuggets_protocol::{DISPLAY_HEAD, Deviation, LenientMessage, ServerMessage};

/// A datagram from the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReceivedDatagram {
    /// Time since the start of the test run.
    pub(crate) at: Duration,
    /// The message with form errors corrected where its meaning is plain, so that only the checks of the form fail
    /// because of them.
    pub(crate) bytes: Vec<u8>,
    /// The datagram as it arrived.
    pub(crate) raw: Vec<u8>,
    /// The defects of its form.
    pub(crate) deviations: BTreeSet<Deviation>,
}

impl ReceivedDatagram {
    pub(crate) fn new(at: Duration, raw: &[u8]) -> Self {
        let raw = raw.to_vec();
        match ServerMessage::parse_leniently(&raw) {
            Ok(LenientMessage { message, deviations }) if !deviations.is_empty() => {
                let mut bytes = message.to_bytes();
                if deviations.contains(&Deviation::DisplayFinalNewline) {
                    bytes.push(b'\n');
                }
                Self { at, bytes, raw, deviations }
            }
            _ => Self::with_text(at, raw),
        }
    }

    /// Reads a message that ends with free text, or has no meaning: whitespace after one line is excess. A table may
    /// end with a newline.
    fn with_text(at: Duration, raw: Vec<u8>) -> Self {
        let text = raw.trim_ascii_end();
        let is_line = has_word(text, &["QUIT", "ERROR", "NO"]) && !text.contains(&b'\n');
        let has_reason = text.contains(&b' ');
        let (bytes, deviation) = if is_line && has_reason && text.len() < raw.len() {
            (text.to_vec(), Some(Deviation::TrailingWhitespace))
        } else {
            (raw.clone(), None)
        };
        Self { at, bytes, raw, deviations: deviation.into_iter().collect() }
    }

    /// True if excess bytes follow the message.
    pub(crate) fn has_excess(&self) -> bool {
        self.deviations.iter().any(|deviation| is_excess(*deviation))
    }

    /// True if its form is right, except for excess bytes.
    pub(crate) fn is_well_formed(&self) -> bool {
        self.deviations.iter().all(|deviation| is_excess(*deviation))
    }
}

/// True if the deviation is about excess bytes. They have their own check, for all messages.
fn is_excess(deviation: Deviation) -> bool {
    matches!(deviation, Deviation::TrailingWhitespace | Deviation::BytesAfterEnd)
}

/// The three numbers of a `GOLD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReceivedGold {
    pub(crate) found: u32,
    pub(crate) purse: u32,
    pub(crate) remaining: u32,
}

impl ReceivedGold {
    pub(crate) fn new(found: u32, purse: u32, remaining: u32) -> Self {
        Self { found, purse, remaining }
    }

    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        match ServerMessage::parse(bytes) {
            Ok(ServerMessage::Gold { found, purse, remaining }) => {
                Some(Self { found, purse, remaining })
            }
            _ => None,
        }
    }
}

impl std::fmt::Display for ReceivedGold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "'GOLD {} {} {}'", self.found, self.purse, self.remaining)
    }
}

/// True if the message is of one of these types.
pub(crate) fn has_word(message: &[u8], words: &[&str]) -> bool {
    let first = message.split(|byte| b" \n".contains(byte)).next().unwrap_or_default();
    words.iter().any(|word| word.as_bytes() == first)
}

/// A message for a failure about its form: the slip itself is shown and named.
pub(crate) fn brief_raw(received: &ReceivedDatagram) -> String {
    const MAX_END: usize = 30;
    let raw = &received.raw;
    let shown = match raw.len() {
        0..=60 => format!("'{}'", raw.escape_ascii()),
        length => {
            let (start, end) = (&raw[..MAX_END], &raw[length - MAX_END..]);
            format!("'{} … {}'", start.escape_ascii(), end.escape_ascii())
        }
    };
    let named: Vec<String> = received.deviations.iter().map(ToString::to_string).collect();
    if named.is_empty() { shown } else { format!("{shown}: {}", named.join(", ")) }
}

/// A message for a failure. Of a `DISPLAY` only the word is shown.
pub(crate) fn brief(bytes: &[u8]) -> String {
    if bytes.starts_with(DISPLAY_HEAD) {
        return "DISPLAY".into();
    }
    let text = bytes[..bytes.len().min(200)].escape_ascii().to_string().replace("\\'", "'");
    format!("'{text}'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_form_is_corrected_and_named() {
        let received = |raw: &[u8]| ReceivedDatagram::new(Duration::ZERO, raw);
        assert_eq!(received(b"DISPLAY \n+-\n|@").bytes, b"DISPLAY\n+-\n|@\n");
        assert_eq!(received(b"GRID  21 80\0x").bytes, b"GRID 21 80");
        assert_eq!(received(b"HELLO ").bytes, b"HELLO ");
        assert_eq!(brief_raw(&received(b"OK a")), "'OK a': a lower-case letter in OK");
        assert_eq!(brief_raw(&received(b"OK A")), "'OK A'");
        let newline = received(b"OK A\n");
        assert!(newline.has_excess() && newline.is_well_formed());
        let line = received(b"QUIT Game is full.\n");
        assert!(line.has_excess() && line.bytes == b"QUIT Game is full.");
        assert!(!received(b"QUIT GAME OVER:\nA 250 Ann\n").has_excess());
        let lower_case = received(b"OK a");
        assert!(!lower_case.has_excess() && !lower_case.is_well_formed());
    }
}
