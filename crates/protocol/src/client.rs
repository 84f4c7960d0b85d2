//! Messages from a client to a server. Parsing is exact: any deviation from the form is malformed.

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
    /// `PLAY name`: join as a player. The name as it was sent, not yet cut or cleaned (see `Name`).
    Play(&'a [u8]),
    /// `SPECTATE`: join as the spectator.
    Spectate,
    /// `KEY k`: a keystroke, one ASCII character.
    Key(u8),
}

/// Why a client's message is malformed. The text can be sent back in an error reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ClientMessageError {
    /// No bytes at all.
    #[error("malformed message: it is empty")]
    Empty,
    /// A NUL byte somewhere.
    #[error("malformed message: it holds a NUL byte")]
    Nul,
    /// The last byte is a newline.
    #[error("malformed message: it ends with a newline")]
    TrailingNewline,
    /// Bytes outside ASCII, elsewhere than in a name.
    #[error("malformed message: it holds bytes outside ASCII")]
    NotAscii,
    /// `ERROR` or `NO`, which only servers send.
    #[error("malformed message: it is an error reply")]
    ErrorReply,
    /// The first word is none of the three.
    #[error("malformed message: expected PLAY name, SPECTATE or KEY k")]
    UnknownWord,
    /// `PLAY` without the space that comes before a name.
    #[error("malformed message: expected PLAY, one space and a name")]
    PlayForm,
    /// `SPECTATE` with something after it.
    #[error("malformed message: expected SPECTATE and nothing more")]
    SpectateForm,
    /// `KEY` without exactly one character.
    #[error("malformed message: expected KEY, one space and one character")]
    KeyForm,
}

impl ClientMessageError {
    /// True unless the message is itself an error reply. Answering one would let a spoofed source
    /// set two servers to send error replies to each other without end.
    pub fn may_be_answered(self) -> bool {
        self != Self::ErrorReply
    }
}

impl<'a> ClientMessage<'a> {
    /// Reads one datagram.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ClientMessageError> {
        match bytes.last() {
            None => return Err(ClientMessageError::Empty),
            Some(b'\n') => return Err(ClientMessageError::TrailingNewline),
            Some(_) if bytes.contains(&0) => return Err(ClientMessageError::Nul),
            Some(_) => {}
        }
        if let Some(name) = bytes.strip_prefix(b"PLAY ") {
            return Ok(Self::Play(name));
        }
        if !bytes.is_ascii() {
            return Err(ClientMessageError::NotAscii);
        }
        match first_word(bytes) {
            b"PLAY" => Err(ClientMessageError::PlayForm),
            b"SPECTATE" if bytes == b"SPECTATE" => Ok(Self::Spectate),
            b"SPECTATE" => Err(ClientMessageError::SpectateForm),
            b"KEY" => match bytes.strip_prefix(b"KEY ") {
                Some(&[key]) => Ok(Self::Key(key)),
                _ => Err(ClientMessageError::KeyForm),
            },
            b"ERROR" | b"NO" => Err(ClientMessageError::ErrorReply),
            _ => Err(ClientMessageError::UnknownWord),
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

/// The first word, which names the message: it ends at a space, a newline or the end.
pub(crate) fn first_word(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&b| b == b' ' || b == b'\n').unwrap_or(bytes.len());
    &bytes[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_three_messages_are_parsed_in_their_exact_form() {
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
    fn any_deviation_is_malformed_with_its_reason() {
        let cases: &[(&[u8], ClientMessageError)] = &[
            (b"", ClientMessageError::Empty),
            (b"\n", ClientMessageError::TrailingNewline),
            (b"PLAY Ann\n", ClientMessageError::TrailingNewline),
            (b"KEY h\n", ClientMessageError::TrailingNewline),
            (b"KEY \n", ClientMessageError::TrailingNewline),
            (b"SPECTATE\n", ClientMessageError::TrailingNewline),
            (b"PLAY A\0nn", ClientMessageError::Nul),
            (b"KEY \0", ClientMessageError::Nul),
            (b"KEY h\0", ClientMessageError::Nul),
            (b"KEY \xe9", ClientMessageError::NotAscii),
            (b"SPECTATE\xff", ClientMessageError::NotAscii),
            (b"\xff\xfe", ClientMessageError::NotAscii),
            (b"PLAY", ClientMessageError::PlayForm),
            (b"PLAY\nAnn", ClientMessageError::PlayForm),
            (b"PLAYAnn", ClientMessageError::UnknownWord),
            (b"SPECTATE ", ClientMessageError::SpectateForm),
            (b"SPECTATE now", ClientMessageError::SpectateForm),
            (b"KEY", ClientMessageError::KeyForm),
            (b"KEY ", ClientMessageError::KeyForm),
            (b"KEY hh", ClientMessageError::KeyForm),
            (b"KEY  h", ClientMessageError::KeyForm),
            (b"KEYh", ClientMessageError::UnknownWord),
            (b"key h", ClientMessageError::UnknownWord),
            (b"play Ann", ClientMessageError::UnknownWord),
            (b"spectate", ClientMessageError::UnknownWord),
            (b" KEY h", ClientMessageError::UnknownWord),
            (b"HELLO", ClientMessageError::UnknownWord),
            (b"OK A", ClientMessageError::UnknownWord),
            (b"ERROR unknown keystroke", ClientMessageError::ErrorReply),
            (b"NO", ClientMessageError::ErrorReply),
            (b"NO way", ClientMessageError::ErrorReply),
            (b"NOBODY", ClientMessageError::UnknownWord),
        ];
        for (bytes, why) in cases {
            assert_eq!(ClientMessage::parse(bytes), Err(*why), "{}", bytes.escape_ascii());
        }
    }

    proptest! {
        #[test]
        fn a_parsed_message_is_written_back_byte_for_byte(bytes: Vec<u8>) {
            if let Ok(message) = ClientMessage::parse(&bytes) {
                prop_assert_eq!(message.to_bytes(), bytes);
            }
        }

        #[test]
        fn no_bytes_after_a_known_word_make_the_parser_panic(
            word in prop::sample::select(vec!["PLAY", "PLAY ", "SPECTATE", "KEY", "KEY "]),
            rest: Vec<u8>,
        ) {
            let bytes = [word.as_bytes(), &rest].concat();
            if let Ok(message) = ClientMessage::parse(&bytes) {
                prop_assert_eq!(message.to_bytes(), bytes);
            }
        }

        #[test]
        fn every_message_survives_a_round_trip(name in "[ -~]{0,60}", key in b' '..=b'~') {
            for message in
                [ClientMessage::Play(name.as_bytes()), ClientMessage::Spectate, ClientMessage::Key(key)]
            {
                let bytes = message.to_bytes();
                prop_assert_eq!(ClientMessage::parse(&bytes), Ok(message));
            }
        }
    }
}
