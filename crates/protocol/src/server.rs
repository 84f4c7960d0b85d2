//! What a server says to a client, the messages of both dialects together.
//!
//! Writing is exact. Reading is a little wider, because servers written by other people are: blanks
//! behind the numbers are taken, as one of the public designs sends them.

use std::borrow::Cow;
use std::io::Write;

use thiserror::Error;

use crate::MAX_MESSAGE_BYTES;
use crate::client::first_word;

/// What stands before the picture in a `DISPLAY` message, for whoever keeps the whole message.
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
    /// `GOLD n p r`: what was just found, what is in your purse, what is left to find.
    Gold {
        /// Nuggets you have just collected.
        found: u32,
        /// Nuggets in your purse.
        purse: u32,
        /// Nuggets still to be found by anybody.
        remaining: u32,
    },
    /// `DISPLAY`, a newline and the picture, each row with a newline of its own.
    Display(Cow<'a, [u8]>),
    /// `QUIT`, with an explanation in the 2021 dialect: you are out.
    Quit(Cow<'a, [u8]>),
    /// `ERROR explanation`: a complaint of the 2021 dialect.
    Error(Cow<'a, [u8]>),
    /// `NO`, perhaps with an explanation: a complaint or refusal of the 2019 dialect.
    No(Cow<'a, [u8]>),
    /// `GAMEOVER`, a newline and the table: the end of a game in the 2019 dialect.
    GameOver(Cow<'a, [u8]>),
}

/// Why a client can't make sense of a server's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Misread {
    /// The first word is no message of either dialect.
    #[error("unknown message")]
    UnknownWord,
    /// The word is known; what follows is not in its form.
    #[error("malformed {0} message")]
    Form(&'static str),
}

impl<'a> ServerMessage<'a> {
    /// Reads one datagram of either dialect.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Misread> {
        let word = first_word(bytes);
        let rest = bytes.get(word.len() + 1..).unwrap_or_default();
        let text = Cow::Borrowed(rest);
        match word {
            b"OK" => letter(rest).map(Self::Ok).ok_or(Misread::Form("OK")),
            b"GRID" => grid(rest).ok_or(Misread::Form("GRID")),
            b"GOLD" => gold(rest).ok_or(Misread::Form("GOLD")),
            b"DISPLAY" if bytes.starts_with(DISPLAY_HEAD) => Ok(Self::Display(text)),
            b"DISPLAY" => Err(Misread::Form("DISPLAY")),
            b"QUIT" => Ok(Self::Quit(text)),
            b"ERROR" => Ok(Self::Error(text)),
            b"NO" => Ok(Self::No(text)),
            b"GAMEOVER" => Ok(Self::GameOver(text)),
            _ => Err(Misread::UnknownWord),
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
            Self::Quit(text) => put_words(out, b"QUIT", text),
            Self::Error(text) => put_words(out, b"ERROR", text),
            Self::No(text) => put_words(out, b"NO", text),
            Self::GameOver(table) => put_text(out, b"GAMEOVER", b'\n', table),
        }
    }
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to memory can't fail");
}

fn put_text(out: &mut Vec<u8>, word: &[u8], separator: u8, text: &[u8]) {
    out.extend_from_slice(word);
    out.push(separator);
    out.extend_from_slice(text);
}

/// A word alone when there is nothing to add to it.
fn put_words(out: &mut Vec<u8>, word: &[u8], text: &[u8]) {
    if text.is_empty() {
        out.extend_from_slice(word);
    } else {
        put_text(out, word, b' ', text);
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

/// Exactly `N` numbers, one blank between them, blanks behind them allowed.
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
    fn blanks_behind_the_numbers_are_taken() {
        assert_eq!(
            ServerMessage::parse(b"GRID 21 79 "),
            Ok(ServerMessage::Grid { rows: 21, cols: 79 })
        );
        assert_eq!(ServerMessage::parse(b"OK A\n"), Ok(ServerMessage::Ok('A')));
    }

    #[test]
    fn what_is_not_in_the_form_is_misread() {
        let cases: &[(&[u8], Misread)] = &[
            (b"", Misread::UnknownWord),
            (b"HELLO", Misread::UnknownWord),
            (b"ok A", Misread::UnknownWord),
            (b"OK", Misread::Form("OK")),
            (b"OK a", Misread::Form("OK")),
            (b"OK AB", Misread::Form("OK")),
            (b"GRID 21", Misread::Form("GRID")),
            (b"GRID 21 79 3", Misread::Form("GRID")),
            (b"GRID 0 79", Misread::Form("GRID")),
            (b"GRID 21 65536", Misread::Form("GRID")),
            (b"GRID 21 99999999999", Misread::Form("GRID")),
            (b"GRID -1 79", Misread::Form("GRID")),
            (b"GRID +1 79", Misread::Form("GRID")),
            (b"GOLD 1 2", Misread::Form("GOLD")),
            (b"GOLD 1 2 x", Misread::Form("GOLD")),
            (b"GOLD 1  2 3", Misread::Form("GOLD")),
            (b"DISPLAY", Misread::Form("DISPLAY")),
            (b"DISPLAY x", Misread::Form("DISPLAY")),
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
        fn numbers_survive_the_wire(found: u32, purse: u32, remaining: u32, rows in 1..9999u16, cols in 1..9999u16) {
            survives(&ServerMessage::Gold { found, purse, remaining })?;
            survives(&ServerMessage::Grid { rows, cols })?;
        }

        #[test]
        fn pictures_and_words_survive_the_wire(bytes in prop::collection::vec(any::<u8>(), 1..200)) {
            let text = Cow::Borrowed(&bytes[..]);
            survives(&ServerMessage::Display(text.clone()))?;
            survives(&ServerMessage::Quit(text.clone()))?;
            survives(&ServerMessage::Error(text.clone()))?;
            survives(&ServerMessage::No(text.clone()))?;
            survives(&ServerMessage::GameOver(text))?;
        }
    }

    fn survives(message: &ServerMessage) -> Result<(), TestCaseError> {
        let bytes = message.to_bytes();
        let read = ServerMessage::parse(&bytes);
        prop_assert_eq!(read.as_ref(), Ok(message));
        Ok(())
    }
}
