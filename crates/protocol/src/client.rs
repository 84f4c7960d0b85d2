//! What a client says to a server. Parsing is exact: whatever is not in the form is malformed.

use thiserror::Error;

/// A message from a client to a server.
///
/// ```
/// use nuggets_protocol::ClientMessage;
///
/// let message = ClientMessage::parse(b"PLAY Ann Onymous").unwrap();
/// assert_eq!(message, ClientMessage::Play(b"Ann Onymous"));
/// assert_eq!(message.to_bytes(), b"PLAY Ann Onymous");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientMessage<'a> {
    /// `PLAY name`: join as a player. The name is what was sent, not yet cut or cleaned.
    Play(&'a [u8]),
    /// `SPECTATE`: join as the spectator.
    Spectate,
    /// `KEY k`: a keystroke, one ASCII character.
    Key(u8),
}

/// Why a client's message is malformed. The text is fit to be sent back as a complaint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Malformed {
    /// No bytes at all.
    #[error("malformed message: it is empty")]
    Empty,
    /// A NUL byte somewhere.
    #[error("malformed message: it holds a NUL byte")]
    Nul,
    /// The last byte is a newline.
    #[error("malformed message: it ends with a newline")]
    TrailingNewline,
    /// Bytes outside ASCII where no name stands.
    #[error("malformed message: it holds bytes outside ASCII")]
    NotAscii,
    /// A complaint, as servers send it.
    #[error("malformed message: it is a complaint")]
    Complaint,
    /// The first word is none of the three.
    #[error("malformed message: expected PLAY name, SPECTATE or KEY k")]
    UnknownWord,
    /// `PLAY` without the space that comes before a name.
    #[error("malformed message: expected PLAY, one space and a name")]
    PlayForm,
    /// `SPECTATE` with something behind it.
    #[error("malformed message: expected SPECTATE and nothing more")]
    SpectateForm,
    /// `KEY` without exactly one character.
    #[error("malformed message: expected KEY, one space and one character")]
    KeyForm,
}

impl Malformed {
    /// May it be answered? A complaint may not: two servers would complain to each other for ever
    /// as soon as somebody forges the first one.
    pub fn may_be_answered(self) -> bool {
        self != Self::Complaint
    }
}

impl<'a> ClientMessage<'a> {
    /// Reads one datagram.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        match bytes.last() {
            None => return Err(Malformed::Empty),
            Some(b'\n') => return Err(Malformed::TrailingNewline),
            Some(_) if bytes.contains(&0) => return Err(Malformed::Nul),
            Some(_) => {}
        }
        if let Some(name) = bytes.strip_prefix(b"PLAY ") {
            return Ok(Self::Play(name));
        }
        if !bytes.is_ascii() {
            return Err(Malformed::NotAscii);
        }
        match first_word(bytes) {
            b"PLAY" => Err(Malformed::PlayForm),
            b"SPECTATE" if bytes == b"SPECTATE" => Ok(Self::Spectate),
            b"SPECTATE" => Err(Malformed::SpectateForm),
            b"KEY" => match bytes.strip_prefix(b"KEY ") {
                Some(&[key]) => Ok(Self::Key(key)),
                _ => Err(Malformed::KeyForm),
            },
            b"ERROR" | b"NO" => Err(Malformed::Complaint),
            _ => Err(Malformed::UnknownWord),
        }
    }

    /// The datagram for this message.
    pub fn to_bytes(self) -> Vec<u8> {
        match self {
            Self::Play(name) => [b"PLAY ", name].concat(),
            Self::Spectate => b"SPECTATE".to_vec(),
            Self::Key(key) => vec![b'K', b'E', b'Y', b' ', key],
        }
    }
}

/// The word that says what a message is: it ends at a space, a newline or the end.
pub(crate) fn first_word(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&b| b == b' ' || b == b'\n').unwrap_or(bytes.len());
    &bytes[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_three_messages_in_their_exact_form() {
        assert_eq!(ClientMessage::parse(b"PLAY Ann"), Ok(ClientMessage::Play(b"Ann")));
        assert_eq!(ClientMessage::parse(b"PLAY  A  b "), Ok(ClientMessage::Play(b" A  b ")));
        assert_eq!(ClientMessage::parse(b"PLAY "), Ok(ClientMessage::Play(b"")));
        assert_eq!(ClientMessage::parse(b"PLAY \xc3\xa9"), Ok(ClientMessage::Play(b"\xc3\xa9")));
        assert_eq!(ClientMessage::parse(b"PLAY a\nb"), Ok(ClientMessage::Play(b"a\nb")));
        assert_eq!(ClientMessage::parse(b"SPECTATE"), Ok(ClientMessage::Spectate));
        assert_eq!(ClientMessage::parse(b"KEY h"), Ok(ClientMessage::Key(b'h')));
        assert_eq!(ClientMessage::parse(b"KEY  "), Ok(ClientMessage::Key(b' ')));
    }

    #[test]
    fn everything_else_is_malformed_and_says_why() {
        let cases: &[(&[u8], Malformed)] = &[
            (b"", Malformed::Empty),
            (b"\n", Malformed::TrailingNewline),
            (b"PLAY Ann\n", Malformed::TrailingNewline),
            (b"KEY h\n", Malformed::TrailingNewline),
            (b"KEY \n", Malformed::TrailingNewline),
            (b"SPECTATE\n", Malformed::TrailingNewline),
            (b"PLAY A\0nn", Malformed::Nul),
            (b"KEY \0", Malformed::Nul),
            (b"KEY h\0", Malformed::Nul),
            (b"KEY \xe9", Malformed::NotAscii),
            (b"SPECTATE\xff", Malformed::NotAscii),
            (b"\xff\xfe", Malformed::NotAscii),
            (b"PLAY", Malformed::PlayForm),
            (b"PLAY\nAnn", Malformed::PlayForm),
            (b"PLAYAnn", Malformed::UnknownWord),
            (b"SPECTATE ", Malformed::SpectateForm),
            (b"SPECTATE now", Malformed::SpectateForm),
            (b"KEY", Malformed::KeyForm),
            (b"KEY ", Malformed::KeyForm),
            (b"KEY hh", Malformed::KeyForm),
            (b"KEY  h", Malformed::KeyForm),
            (b"KEYh", Malformed::UnknownWord),
            (b"key h", Malformed::UnknownWord),
            (b"play Ann", Malformed::UnknownWord),
            (b"spectate", Malformed::UnknownWord),
            (b" KEY h", Malformed::UnknownWord),
            (b"HELLO", Malformed::UnknownWord),
            (b"OK A", Malformed::UnknownWord),
            (b"ERROR unknown keystroke", Malformed::Complaint),
            (b"NO", Malformed::Complaint),
            (b"NO way", Malformed::Complaint),
            (b"NOBODY", Malformed::UnknownWord),
        ];
        for (bytes, why) in cases {
            assert_eq!(ClientMessage::parse(bytes), Err(*why), "{}", bytes.escape_ascii());
        }
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_written_back_to_the_byte(bytes: Vec<u8>) {
            if let Ok(message) = ClientMessage::parse(&bytes) {
                prop_assert_eq!(message.to_bytes(), bytes);
            }
        }

        #[test]
        fn no_bytes_behind_a_known_word_make_the_parser_panic(
            word in prop::sample::select(vec!["PLAY", "PLAY ", "SPECTATE", "KEY", "KEY "]),
            rest: Vec<u8>,
        ) {
            let bytes = [word.as_bytes(), &rest].concat();
            if let Ok(message) = ClientMessage::parse(&bytes) {
                prop_assert_eq!(message.to_bytes(), bytes);
            }
        }

        #[test]
        fn every_message_survives_the_wire(name in "[ -~]{0,60}", key in b' '..=b'~') {
            for message in
                [ClientMessage::Play(name.as_bytes()), ClientMessage::Spectate, ClientMessage::Key(key)]
            {
                let bytes = message.to_bytes();
                prop_assert_eq!(ClientMessage::parse(&bytes), Ok(message));
            }
        }
    }
}
