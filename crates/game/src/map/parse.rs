//! Parsing map files: what is accepted, what is repaired with a warning, what is rejected.
//!
//! The bytes are an argument; opening files and naming them is up to the caller.

use std::fmt;

use nuggets_protocol::{DISPLAY_HEAD, MAX_MESSAGE_BYTES};
use thiserror::Error;

use super::Map;
use super::sprint_work::{LongestSprint, MAX_SPRINT_WORK, longest_sprint};
use super::text::Text;
use crate::Point;

/// A parsed map, and what had to be repaired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedMap {
    /// The map.
    pub map: Map,
    /// The deviations from the form that were accepted.
    pub repairs: Vec<FormDeviation>,
}

/// A deviation from the form of a map file that is accepted with a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FormDeviation {
    /// Lines end with a carriage return and a newline.
    #[error("lines that end in CR LF: {lines}; the CR is left off")]
    CarriageReturns {
        /// The number of these lines.
        lines: usize,
    },
    /// The last line has no newline.
    #[error("the last line has no newline")]
    NoFinalNewline,
    /// Some lines are shorter than others: editors strip trailing blanks.
    #[error(
        "lines shorter than the widest, which has {width} columns: {lines}, beginning with line \
         {first}; they are padded with rock"
    )]
    ShortLines {
        /// The number of these lines.
        lines: usize,
        /// The first of them, counted from 1.
        first: usize,
        /// The width of the widest line.
        width: usize,
    },
}

/// Why a file is not a map. The text names the position, what was found there, and how to correct it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MapError {
    /// No gridpoint.
    #[error("line 1, column 1: found nothing: the file is empty. Draw a map in it")]
    Empty,
    /// A character that is not a tile.
    #[error(
        "{at}: found {found}, which is no map character. A map is drawn with blanks and - | + . # \
         only: put one of these there"
    )]
    UnknownCharacter {
        /// The position of the first one.
        at: FilePosition,
        /// The character.
        found: Character,
    },
    /// More gridpoints than a message can show.
    #[error(
        "{at}: found a map of {rows}x{cols} (lines x columns); its picture must fit one datagram, \
         so from here on it is too large. Make it smaller: {advice}"
    )]
    TooLarge {
        /// The first gridpoint beyond the limit.
        at: FilePosition,
        /// Lines of the file.
        rows: usize,
        /// Columns of its widest line.
        cols: usize,
        /// Sizes that would fit.
        advice: String,
    },
    /// A sprint along which too many gridpoints are visible.
    #[error(
        "{from}: one sprint from here to {to} passes so much open ground that the server would be busy for \
         seconds, and all players would have to wait. Divide that ground with walls"
    )]
    TooOpen {
        /// One end of the sprint.
        from: FilePosition,
        /// The other end.
        to: FilePosition,
    },
}

/// A position in a file, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilePosition {
    /// The line number.
    pub line: usize,
    /// The column number.
    pub column: usize,
}

/// A character of a file; its `Display` is safe to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Character {
    /// A Unicode character.
    Char(char),
    /// A byte that is not UTF-8.
    Byte(u8),
}

impl fmt::Display for FilePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

impl fmt::Display for Character {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Char('\t') => f.write_str("a tab"),
            Self::Char('\r') => f.write_str("a carriage return"),
            Self::Char('\u{feff}') => f.write_str("a byte order mark (U+FEFF)"),
            Self::Char(c) if c.is_ascii_graphic() => write!(f, "'{c}'"),
            Self::Char(c) if c.is_alphanumeric() => write!(f, "'{c}' (U+{:04X})", u32::from(c)),
            Self::Char(c) => write!(f, "the character U+{:04X}", u32::from(c)),
            Self::Byte(byte) => write!(f, "the byte 0x{byte:02x}"),
        }
    }
}

impl Map {
    /// Parses the text of a map file.
    pub fn parse(text: &[u8]) -> Result<ParsedMap, MapError> {
        let text = Text::read(text);
        let (rows, cols) = text.size();
        if cols == 0 {
            return Err(MapError::Empty);
        }
        if let Some((at, found)) = text.unknown_characters().next() {
            return Err(MapError::UnknownCharacter { at, found });
        }
        let (rows, cols) = check_size(rows, cols)?;
        let map = text.map(rows, cols);
        check_sprints(&map)?;
        let mut repairs = text.repaired_endings();
        repairs.extend(short_lines(&text, cols.into()));
        Ok(ParsedMap { map, repairs })
    }
}

/// Checks that no key is too much work: a sprint that takes seconds would block the server for all players.
fn check_sprints(map: &Map) -> Result<(), MapError> {
    match longest_sprint(map).filter(|sprint| sprint.work > MAX_SPRINT_WORK) {
        None => Ok(()),
        Some(LongestSprint { from, to, .. }) => {
            Err(MapError::TooOpen { from: file_position(from), to: file_position(to) })
        }
    }
}

pub(super) fn file_position(at: Point) -> FilePosition {
    FilePosition { line: usize::from(at.row) + 1, column: usize::from(at.col) + 1 }
}

/// Checks that a map of this size fits a datagram.
pub(super) fn check_size(rows: usize, cols: usize) -> Result<(u16, u16), MapError> {
    if let (Ok(r), Ok(c)) = (u16::try_from(rows), u16::try_from(cols))
        && fits(rows, cols)
    {
        return Ok((r, c));
    }
    let max_rows = (1..rows).rev().find(|&fewer| fits(fewer, cols));
    let max_cols = (1..cols).rev().find(|&fewer| fits(rows, fewer));
    let at = match max_rows {
        Some(rows) => FilePosition { line: rows + 1, column: 1 },
        None => FilePosition { line: 1, column: max_cols.map_or(1, |cols| cols + 1) },
    };
    let advice = match (max_rows, max_cols) {
        (Some(r), Some(c)) => format!("{r}x{cols} fits, and so does {rows}x{c}"),
        (Some(r), None) => format!("{r}x{cols} fits"),
        (None, Some(c)) => format!("{rows}x{c} fits"),
        (None, None) => "255x255 fits".to_string(),
    };
    Err(MapError::TooLarge { at, rows, cols, advice })
}

/// Both limits: the one that the specification states, and the true size of the message.
pub(super) fn fits(rows: usize, cols: usize) -> bool {
    let gridpoints = rows.saturating_mul(cols);
    let message = rows.saturating_mul(cols + 1).saturating_add(DISPLAY_HEAD.len());
    gridpoints.saturating_add(10) < MAX_MESSAGE_BYTES && message <= MAX_MESSAGE_BYTES
}

fn short_lines(text: &Text, width: usize) -> Option<FormDeviation> {
    let mut short = (1..).zip(&text.lines).filter(|(_, line)| line.len() < width);
    let (first, _) = short.next()?;
    Some(FormDeviation::ShortLines { lines: 1 + short.count(), first, width })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rejection(text: &[u8]) -> String {
        Map::parse(text).unwrap_err().to_string()
    }

    fn repaired(text: &[u8]) -> (String, Vec<String>) {
        let parsed = Map::parse(text).unwrap();
        (parsed.map.to_string(), parsed.repairs.iter().map(FormDeviation::to_string).collect())
    }

    #[test]
    fn a_valid_map_file_is_parsed_without_repairs() {
        let text = "+--+ \n|..###\n+--+ #\n".replace("+ \n", "+  \n");
        assert_eq!(repaired(text.as_bytes()), (text.clone(), vec![]));
    }

    #[test]
    fn crlf_a_missing_newline_and_stripped_blanks_are_repaired() {
        let (map, repairs) = repaired(b"+--+\r\n|..#\r\n+--+##\r");
        assert_eq!(map, "+--+  \n|..#  \n+--+##\n");
        assert_eq!(
            repairs,
            [
                "lines that end in CR LF: 3; the CR is left off",
                "the last line has no newline",
                "lines shorter than the widest, which has 6 columns: 2, beginning with line 1; they \
                 are padded with rock",
            ]
        );
    }

    #[test]
    fn an_empty_line_is_a_row_of_rock() {
        let (map, _) = repaired(b"\n.#\n\n");
        assert_eq!(map, "  \n.#\n  \n");
    }

    #[test]
    fn an_empty_file_is_no_map() {
        for text in [&b""[..], b"\n", b"\n\n\n", b"\r\n"] {
            assert_eq!(
                rejection(text),
                "line 1, column 1: found nothing: the file is empty. Draw a map in it"
            );
        }
    }

    #[test]
    fn an_unknown_character_is_reported_with_its_position() {
        let found = |text: &[u8]| {
            let text = rejection(text);
            text.split(", which").next().unwrap().to_string()
        };
        assert_eq!(found(b"...\n..x\n"), "line 2, column 3: found 'x'");
        assert_eq!(found(b"@..\n"), "line 1, column 1: found '@'");
        assert_eq!(found(b".\t.\n"), "line 1, column 2: found a tab");
        assert_eq!(found(b".\r.\n"), "line 1, column 2: found a carriage return");
        assert_eq!(found("..é\n".as_bytes()), "line 1, column 3: found 'é' (U+00E9)");
        assert_eq!(
            found("\u{feff}..\n".as_bytes()),
            "line 1, column 1: found a byte order mark (U+FEFF)"
        );
        assert_eq!(found(b"..\n.\xff\n"), "line 2, column 2: found the byte 0xff");
        assert_eq!(found(b".\0.\n"), "line 1, column 2: found the character U+0000");
    }

    #[test]
    fn a_map_must_fit_a_datagram() {
        let field = |rows: usize, cols: usize| (" ".repeat(cols) + "\n").repeat(rows);
        for (rows, cols) in [(255, 255), (1, 65_496), (32_749, 1)] {
            assert!(Map::parse(field(rows, cols).as_bytes()).is_ok(), "{rows} x {cols} fits");
        }
        for (rows, cols) in [(256, 255), (255, 256), (1, 65_497), (32_750, 1), (300, 70_000)] {
            assert!(Map::parse(field(rows, cols).as_bytes()).is_err(), "{rows} x {cols} does not");
        }
        assert_eq!(
            rejection(field(300, 300).as_bytes()),
            "line 218, column 1: found a map of 300x300 (lines x columns); its picture must fit one \
             datagram, so from here on it is too large. Make it smaller: 217x300 fits, and so does \
             300x217"
        );
        assert!(rejection(field(1, 70_000).as_bytes()).starts_with("line 1, column 65497: found "));
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_parser_panic(text: Vec<u8>) {
            let _ = Map::parse(&text);
        }

        #[test]
        fn a_printed_map_is_parsed_back(
            text in prop::collection::vec(prop::sample::select(b" -|+.#\n".to_vec()), 0..200)
        ) {
            if let Ok(parsed) = Map::parse(&text) {
                let again = Map::parse(parsed.map.to_string().as_bytes()).unwrap();
                prop_assert_eq!(again, ParsedMap { map: parsed.map, repairs: vec![] });
            }
        }
    }
}
