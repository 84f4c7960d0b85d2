//! Lenient parsing of a server's messages: a message with a wrong form is accepted if its meaning is clear, and
//! every deviation from the form is reported. Servers written by other people send such messages.
//!
//! [`ServerMessage::parse`] is the strict parser. A message without a clear meaning is malformed in both.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use crate::{ServerMessage, ServerMessageError};

/// The number of blanks that may stand between `DISPLAY` and its newline.
const MAX_HEAD_BLANKS: usize = 2;

/// A way in which the form of a message differs from the specification though its meaning is plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deviation {
    /// Blanks between `DISPLAY` and its newline.
    DisplayHead,
    /// An empty line before the first row of a `DISPLAY`.
    DisplayLeadingNewline,
    /// No newline after the last row of a `DISPLAY`.
    DisplayFinalNewline,
    /// The letter in `OK` is lower case.
    LowerCaseLetter,
    /// Whitespace other than one blank between words.
    Whitespace,
    /// Whitespace after the last word.
    TrailingWhitespace,
    /// A NUL byte, and perhaps others, after the end of the text.
    BytesAfterEnd,
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DisplayHead => "blanks after the word DISPLAY",
            Self::DisplayLeadingNewline => "an empty line before the map",
            Self::DisplayFinalNewline => "no newline after the last row",
            Self::LowerCaseLetter => "a lower-case letter in OK",
            Self::Whitespace => "wrong whitespace between words",
            Self::TrailingWhitespace => "whitespace at the end of a message",
            Self::BytesAfterEnd => "bytes after the end of a message",
        })
    }
}

/// A message that was read leniently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LenientMessage<'a> {
    /// The parsed message.
    pub message: ServerMessage<'a>,
    /// The deviations from the form that the specification demands; empty if there are none.
    pub deviations: BTreeSet<Deviation>,
}

impl<'a> ServerMessage<'a> {
    /// Reads one datagram of either dialect, and accepts a wrong form where the meaning is plain.
    ///
    /// ```
    /// use nuggets_protocol::{Deviation, ServerMessage};
    ///
    /// let read = ServerMessage::parse_leniently(b"GRID  21 80\n").unwrap();
    /// assert_eq!(read.message, ServerMessage::Grid { rows: 21, cols: 80 });
    /// assert!(read.deviations.contains(&Deviation::Whitespace));
    /// assert!(ServerMessage::parse_leniently(b"GRID 21").is_err(), "its meaning is not plain");
    /// ```
    pub fn parse_leniently(bytes: &'a [u8]) -> Result<LenientMessage<'a>, ServerMessageError> {
        let mut deviations = BTreeSet::new();
        let end = bytes.iter().position(|b| b.is_ascii_whitespace() || *b == 0);
        let word = &bytes[..end.unwrap_or(bytes.len())];
        let message = match word {
            b"OK" | b"GRID" | b"GOLD" => {
                let text = cut_at_nul(bytes, &mut deviations);
                parse_words(text, &mut deviations)?
            }
            b"DISPLAY" => {
                let picture = picture(&bytes[word.len()..], &mut deviations)?;
                Self::Display(Cow::Borrowed(picture))
            }
            _ => Self::parse(cut_at_nul(bytes, &mut deviations))?,
        };
        Ok(LenientMessage { message, deviations })
    }
}

fn note(deviations: &mut BTreeSet<Deviation>, deviation: Deviation, is_there: bool) {
    if is_there {
        deviations.insert(deviation);
    }
}

/// In C a NUL byte ends a text. Some servers send the whole buffer.
fn cut_at_nul<'a>(text: &'a [u8], deviations: &mut BTreeSet<Deviation>) -> &'a [u8] {
    let Some(end) = text.iter().position(|&byte| byte == 0) else {
        return text;
    };
    deviations.insert(Deviation::BytesAfterEnd);
    &text[..end]
}

/// A message of words: the whitespace around them is repaired before they are parsed strictly.
fn parse_words<'a>(
    text: &[u8],
    deviations: &mut BTreeSet<Deviation>,
) -> Result<ServerMessage<'a>, ServerMessageError> {
    let trimmed = text.trim_ascii_end();
    note(deviations, Deviation::TrailingWhitespace, trimmed.len() < text.len());
    let words = trimmed.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let mut repaired = words.collect::<Vec<_>>().join(&b' ');
    note(deviations, Deviation::Whitespace, repaired != trimmed);
    if let [b'O', b'K', b' ', letter @ b'a'..=b'z'] = &mut repaired[..] {
        letter.make_ascii_uppercase();
        deviations.insert(Deviation::LowerCaseLetter);
    }
    match ServerMessage::parse(&repaired)? {
        ServerMessage::Ok(letter) => Ok(ServerMessage::Ok(letter)),
        ServerMessage::Grid { rows, cols } => Ok(ServerMessage::Grid { rows, cols }),
        ServerMessage::Gold { found, purse, remaining } => {
            Ok(ServerMessage::Gold { found, purse, remaining })
        }
        _ => unreachable!("the first word is one of these three"),
    }
}

/// The rows of a picture; `rest` is what follows the word `DISPLAY`.
fn picture<'a>(
    rest: &'a [u8],
    deviations: &mut BTreeSet<Deviation>,
) -> Result<&'a [u8], ServerMessageError> {
    let newline = rest.iter().position(|&byte| byte == b'\n');
    // More blanks are the first row of the map, after a blank in place of the newline.
    let is_head = |at: &usize| *at <= MAX_HEAD_BLANKS && rest[..*at].trim_ascii().is_empty();
    let newline = newline.filter(is_head);
    let newline = newline.ok_or(ServerMessageError::Form("DISPLAY"))?;
    note(deviations, Deviation::DisplayHead, newline > 0);
    let mut rows = &rest[newline + 1..];
    while let Some(after) = rows.strip_prefix(b"\n") {
        deviations.insert(Deviation::DisplayLeadingNewline);
        rows = after;
    }
    // Within a row a NUL byte is a damaged gridpoint, after one it is the end of a C text.
    if let Some(last) = rows.windows(2).position(|pair| pair == b"\n\0") {
        deviations.insert(Deviation::BytesAfterEnd);
        rows = &rows[..=last];
    }
    note(deviations, Deviation::DisplayFinalNewline, !rows.ends_with(b"\n"));
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &str) -> (ServerMessage<'_>, Vec<Deviation>) {
        let read = ServerMessage::parse_leniently(bytes.as_bytes())
            .unwrap_or_else(|why| panic!("{bytes:?}: {why}"));
        (read.message, read.deviations.into_iter().collect())
    }

    fn display(rows: &str) -> ServerMessage<'_> {
        ServerMessage::Display(Cow::Borrowed(rows.as_bytes()))
    }

    #[test]
    fn what_has_the_right_form_deviates_in_nothing() {
        for text in
            ["OK A", "GRID 21 79", "GOLD 0 7 243", "DISPLAY\n+-\n|@\n", "QUIT", "QUIT Bye \n", "NO"]
        {
            let (message, deviations) = read(text);
            assert_eq!(Ok(message), ServerMessage::parse(text.as_bytes()), "{text:?}");
            assert_eq!(deviations, [], "{text:?}");
        }
    }

    #[test]
    fn a_plain_meaning_is_understood_in_a_wrong_form() {
        use Deviation as D;
        let grid = ServerMessage::Grid { rows: 21, cols: 80 };
        let gold = ServerMessage::Gold { found: 1, purse: 2, remaining: 3 };
        let cases = [
            ("GRID  21 80", grid.clone(), vec![D::Whitespace]),
            ("GRID 21 80 ", grid.clone(), vec![D::TrailingWhitespace]),
            ("GRID\t21\n80\n", grid, vec![D::Whitespace, D::TrailingWhitespace]),
            ("GOLD 1\t2  3", gold.clone(), vec![D::Whitespace]),
            ("GOLD 1 2 3\0\x07rest", gold, vec![D::BytesAfterEnd]),
            ("OK c", ServerMessage::Ok('C'), vec![D::LowerCaseLetter]),
            ("OK A\n", ServerMessage::Ok('A'), vec![D::TrailingWhitespace]),
            ("DISPLAY \n+-\n|@\n", display("+-\n|@\n"), vec![D::DisplayHead]),
            ("DISPLAY\r\n+-\n|@\n", display("+-\n|@\n"), vec![D::DisplayHead]),
            ("DISPLAY\n\n+-\n|@\n", display("+-\n|@\n"), vec![D::DisplayLeadingNewline]),
            ("DISPLAY\n+-\n|@", display("+-\n|@"), vec![D::DisplayFinalNewline]),
            ("DISPLAY\n+-\n|@\n\0junk", display("+-\n|@\n"), vec![D::BytesAfterEnd]),
            ("QUIT Bye\0junk", ServerMessage::Quit(Cow::Borrowed(b"Bye")), vec![D::BytesAfterEnd]),
        ];
        for (text, message, deviations) in cases {
            assert_eq!(read(text), (message, deviations), "{text:?}");
        }
    }

    #[test]
    fn what_has_no_plain_meaning_stays_malformed() {
        for text in [
            "",
            " ",
            "HELLO",
            "ok A",
            "OK",
            "OK AB",
            "OK 1",
            "GRID 21",
            "GRID 21 79 3",
            "GRID 0 79",
            "GRID -1 79",
            "GRID 21 65536",
            "GOLD 1 2",
            "GOLD 1 2 x",
            "GOLD,1,2,3",
            "DISPLAY",
            "DISPLAY x",
            "DISPLAY x\n+-\n",
            "DISPLAY    \n+--+\n",
            "DISPLAYS\n+-\n",
        ] {
            assert!(ServerMessage::parse_leniently(text.as_bytes()).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn without_a_deviation_the_strict_reading_agrees(
            word in prop::sample::select(vec!["", "OK ", "GRID ", "GOLD ", "DISPLAY\n", "DISPLAY", "QUIT", "NO "]),
            rest in prop::collection::vec(prop::sample::select(b" \n\0\tAa@.012\xff".to_vec()), 0..12),
        ) {
            let bytes = [word.as_bytes(), &rest].concat();
            let strict = ServerMessage::parse(&bytes);
            match ServerMessage::parse_leniently(&bytes) {
                Ok(read) if read.deviations.is_empty() => prop_assert_eq!(Ok(read.message), strict),
                Ok(_) => {}
                Err(_) => prop_assert!(strict.is_err(), "the lenient reading takes whatever the strict one takes"),
            }
        }

        #[test]
        fn whatever_we_write_deviates_in_nothing(found: u32, purse: u32, remaining: u32, rows in 1..99u16, cols in 1..99u16) {
            let gold = ServerMessage::Gold { found, purse, remaining }.to_bytes();
            let grid = ServerMessage::Grid { rows, cols }.to_bytes();
            for bytes in [gold, grid] {
                prop_assert!(ServerMessage::parse_leniently(&bytes).unwrap().deviations.is_empty());
            }
        }
    }
}
