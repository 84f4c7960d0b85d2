//! Messages from a server to a client, those of both dialects together.
//!
//! Writing is exact. Parsing accepts trailing blanks after numbers too, because servers written by
//! other people send them.

use std::borrow::Cow;
use std::io::Write;

use thiserror::Error;

use crate::MAX_MESSAGE_BYTES;
use crate::client::first_word;

/// The beginning of a `DISPLAY` message; the picture follows.
pub const DISPLAY_HEAD: &[u8] = b"DISPLAY\n";

/// A message from a server to a client, of either dialect.
///
/// ```
/// use nuggets_protocol::ServerMessage;
///
/// let gold = ServerMessage::Gold { found: 39, purse: 39, remaining: 211 };
/// assert_eq!(gold.to_bytes(), b"GOLD 39 39 211");
/// assert_eq!(ServerMessage::parse(b"GOLD 39 39 211"), Ok(gold));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerMessage<'a> {
    /// `OK L`: you play as this letter.
    Ok(char),
    /// `GRID nrows ncols`: the size of the map.
    Grid {
        /// Number of rows.
        rows: u16,
        /// Number of columns.
        cols: u16,
    },
    /// `GOLD n p r`: nuggets just found, in your purse, and left to find.
    Gold {
        /// Nuggets you have just collected.
        found: u32,
        /// Nuggets in your purse.
        purse: u32,
        /// Nuggets that no player has collected.
        remaining: u32,
    },
    /// `DISPLAY`, a newline and the picture, each row with a newline of its own.
    Display(Cow<'a, [u8]>),
    /// `QUIT`, with an explanation in the 2021 dialect: you are out.
    Quit(Cow<'a, [u8]>),
    /// `ERROR explanation`: an error reply of the 2021 dialect.
    Error(Cow<'a, [u8]>),
    /// `NO`, perhaps with an explanation: an error reply or a rejection of the 2019 dialect.
    No(Cow<'a, [u8]>),
    /// `GAMEOVER`, a newline and the table: the end of a game in the 2019 dialect.
    GameOver(Cow<'a, [u8]>),
}

/// Why a client can't parse a message from a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Error)]
pub enum ServerMessageError {
    /// The first word does not name a message of either dialect.
    #[error("unknown message")]
    UnknownWord,
    /// The first word is known, but the rest does not have the form of that message.
    #[error("malformed {0} message")]
    Form(&'static str),
}

impl<'a> ServerMessage<'a> {
    /// Parses one datagram of either dialect.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ServerMessageError> {
        let word = first_word(bytes);
        let rest = bytes.get(word.len() + 1..).unwrap_or_default();
        let text = Cow::Borrowed(rest);
        match word {
            b"OK" => letter(rest).map(Self::Ok).ok_or(ServerMessageError::Form("OK")),
            b"GRID" => grid(rest).ok_or(ServerMessageError::Form("GRID")),
            b"GOLD" => gold(rest).ok_or(ServerMessageError::Form("GOLD")),
            b"DISPLAY" if bytes.starts_with(DISPLAY_HEAD) => Ok(Self::Display(text)),
            b"DISPLAY" => Err(ServerMessageError::Form("DISPLAY")),
            b"QUIT" => Ok(Self::Quit(text)),
            b"ERROR" => Ok(Self::Error(text)),
            b"NO" => Ok(Self::No(text)),
            b"GAMEOVER" => Ok(Self::GameOver(text)),
            _ => Err(ServerMessageError::UnknownWord),
        }
    }

    /// The datagram for this message.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_to(&mut out);
        out
    }

    /// Appends the datagram for this message to `out`.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        match self {
            Self::Ok(letter) => put(out, format_args!("OK {letter}")),
            Self::Grid { rows, cols } => put(out, format_args!("GRID {rows} {cols}")),
            Self::Gold { found, purse, remaining } => {
                put(out, format_args!("GOLD {found} {purse} {remaining}"));
            }
            Self::Display(picture) => out.extend([DISPLAY_HEAD, picture].into_iter().flatten()),
            Self::Quit(text) => put_with_text(out, b"QUIT", text),
            Self::Error(text) => put_with_text(out, b"ERROR", text),
            Self::No(text) => put_with_text(out, b"NO", text),
            Self::GameOver(table) => put_separated(out, b"GAMEOVER", b'\n', table),
        }
    }
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to memory can't fail");
}

fn put_separated(out: &mut Vec<u8>, word: &[u8], separator: u8, text: &[u8]) {
    out.extend_from_slice(word);
    out.push(separator);
    out.extend_from_slice(text);
}

/// The word alone when the text is empty.
fn put_with_text(out: &mut Vec<u8>, word: &[u8], text: &[u8]) {
    if text.is_empty() {
        out.extend_from_slice(word);
    } else {
        put_separated(out, word, b' ', text);
    }
}

fn letter(rest: &[u8]) -> Option<char> {
    match rest.trim_ascii_end() {
        &[letter @ b'A'..=b'Z'] => Some(char::from(letter)),
        _ => None,
    }
}

fn grid<'a>(rest: &[u8]) -> Option<ServerMessage<'a>> {
    let [rows, cols] = numbers(rest)?;
    let fits = |n: u32| {
        let n = u16::try_from(n).ok()?;
        (n > 0 && usize::from(n) < MAX_MESSAGE_BYTES).then_some(n)
    };
    Some(ServerMessage::Grid { rows: fits(rows)?, cols: fits(cols)? })
}

fn gold<'a>(rest: &[u8]) -> Option<ServerMessage<'a>> {
    let [found, purse, remaining] = numbers(rest)?;
    Some(ServerMessage::Gold { found, purse, remaining })
}

/// Exactly `N` numbers, one blank between them, trailing blanks allowed.
fn numbers<const N: usize>(rest: &[u8]) -> Option<[u32; N]> {
    let mut words = rest.trim_ascii_end().split(|&b| b == b' ');
    let mut found = [0; N];
    for number in &mut found {
        *number = whole_number(words.next()?)?;
    }
    words.next().is_none().then_some(found)
}

/// Digits only: no sign, no blanks.
fn whole_number(word: &[u8]) -> Option<u32> {
    if !word.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(word).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(words: &str) -> Cow<'_, [u8]> {
        Cow::Borrowed(words.as_bytes())
    }

    #[test]
    fn each_message_has_exactly_one_spelling() {
        let cases: &[(ServerMessage, &str)] = &[
            (ServerMessage::Ok('A'), "OK A"),
            (ServerMessage::Grid { rows: 21, cols: 79 }, "GRID 21 79"),
            (ServerMessage::Gold { found: 0, purse: 7, remaining: 243 }, "GOLD 0 7 243"),
            (ServerMessage::Display(text("+-\n|@\n")), "DISPLAY\n+-\n|@\n"),
            (ServerMessage::Quit(text("Thanks for playing!")), "QUIT Thanks for playing!"),
            (ServerMessage::Quit(text("GAME OVER:\nA 1 B")), "QUIT GAME OVER:\nA 1 B"),
            (ServerMessage::Quit(text("")), "QUIT"),
            (ServerMessage::Error(text("unknown keystroke")), "ERROR unknown keystroke"),
            (ServerMessage::No(text("")), "NO"),
            (ServerMessage::No(text("why")), "NO why"),
            (ServerMessage::GameOver(text("A          4 Ann")), "GAMEOVER\nA          4 Ann"),
        ];
        for (message, spelling) in cases {
            assert_eq!(message.to_bytes(), spelling.as_bytes());
            assert_eq!(ServerMessage::parse(spelling.as_bytes()).as_ref(), Ok(message));
        }
    }

    #[test]
    fn trailing_blanks_are_accepted() {
        assert_eq!(
            ServerMessage::parse(b"GRID 21 79 "),
            Ok(ServerMessage::Grid { rows: 21, cols: 79 })
        );
        assert_eq!(ServerMessage::parse(b"OK A\n"), Ok(ServerMessage::Ok('A')));
    }

    #[test]
    fn any_other_form_is_an_error() {
        let cases: &[(&[u8], ServerMessageError)] = &[
            (b"", ServerMessageError::UnknownWord),
            (b"HELLO", ServerMessageError::UnknownWord),
            (b"ok A", ServerMessageError::UnknownWord),
            (b"OK", ServerMessageError::Form("OK")),
            (b"OK a", ServerMessageError::Form("OK")),
            (b"OK AB", ServerMessageError::Form("OK")),
            (b"GRID 21", ServerMessageError::Form("GRID")),
            (b"GRID 21 79 3", ServerMessageError::Form("GRID")),
            (b"GRID 0 79", ServerMessageError::Form("GRID")),
            (b"GRID 21 65536", ServerMessageError::Form("GRID")),
            (b"GRID 21 99999999999", ServerMessageError::Form("GRID")),
            (b"GRID -1 79", ServerMessageError::Form("GRID")),
            (b"GRID +1 79", ServerMessageError::Form("GRID")),
            (b"GOLD 1 2", ServerMessageError::Form("GOLD")),
            (b"GOLD 1 2 x", ServerMessageError::Form("GOLD")),
            (b"GOLD 1  2 3", ServerMessageError::Form("GOLD")),
            (b"DISPLAY", ServerMessageError::Form("DISPLAY")),
            (b"DISPLAY x", ServerMessageError::Form("DISPLAY")),
        ];
        for (bytes, why) in cases {
            assert_eq!(ServerMessage::parse(bytes), Err(*why), "{}", bytes.escape_ascii());
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_parser_panic(
            word in prop::sample::select(vec!["", "OK ", "GRID ", "GOLD ", "DISPLAY\n", "QUIT", "NO"]),
            rest: Vec<u8>,
        ) {
            let _ = ServerMessage::parse(&[word.as_bytes(), &rest].concat());
        }

        #[test]
        fn numbers_survive_a_round_trip(found: u32, purse: u32, remaining: u32, rows in 1..9999u16, cols in 1..9999u16) {
            check_round_trip(&ServerMessage::Gold { found, purse, remaining })?;
            check_round_trip(&ServerMessage::Grid { rows, cols })?;
        }

        #[test]
        fn pictures_and_texts_survive_a_round_trip(bytes in prop::collection::vec(any::<u8>(), 1..200)) {
            let text = Cow::Borrowed(&bytes[..]);
            check_round_trip(&ServerMessage::Display(text.clone()))?;
            check_round_trip(&ServerMessage::Quit(text.clone()))?;
            check_round_trip(&ServerMessage::Error(text.clone()))?;
            check_round_trip(&ServerMessage::No(text.clone()))?;
            check_round_trip(&ServerMessage::GameOver(text))?;
        }
    }

    fn check_round_trip(message: &ServerMessage) -> Result<(), TestCaseError> {
        let bytes = message.to_bytes();
        let read = ServerMessage::parse(&bytes);
        prop_assert_eq!(read.as_ref(), Ok(message));
        Ok(())
    }
}
