//! The map in a `DISPLAY`, and the difference between two maps.

use std::fmt::Write as _;

use nuggets_game::Point;
use nuggets_protocol::DISPLAY_HEAD;

/// The maximum number of differences listed one by one.
const MAX_LISTED: usize = 8;

/// A gridpoint with unknown content. No server sends it.
pub(crate) const UNKNOWN: u8 = 0;

/// The stand-in for a NUL byte in a `DISPLAY`.
const NUL_SENT: u8 = 1;

/// The gridpoints of a `DISPLAY`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShownMap {
    pub(crate) rows: u16,
    pub(crate) cols: u16,
    /// Row by row, without newlines.
    pub(crate) cells: Vec<u8>,
}

/// The reason why a message is not a `DISPLAY` of the expected size.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PictureError {
    #[error("it does not begin with DISPLAY\\n")]
    Head,
    #[error("its last row has no newline")]
    Unterminated,
    #[error("it has {actual} rows instead of {expected}")]
    Rows { expected: u16, actual: usize },
    #[error("its row {row} is {actual} characters long, not {expected}")]
    Cols { row: usize, expected: u16, actual: usize },
}

impl ShownMap {
    /// Reads a `DISPLAY` that must have exactly this size and form.
    pub(crate) fn parse_strictly(
        message: &[u8],
        (rows, cols): (u16, u16),
    ) -> Result<Self, PictureError> {
        let text = message.strip_prefix(DISPLAY_HEAD).ok_or(PictureError::Head)?;
        let text = text.strip_suffix(b"\n").ok_or(PictureError::Unterminated)?;
        let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        if lines.len() != usize::from(rows) {
            return Err(PictureError::Rows { expected: rows, actual: lines.len() });
        }
        for (index, line) in lines.iter().enumerate() {
            if line.len() != usize::from(cols) {
                let row = index + 1;
                let actual = line.len();
                return Err(PictureError::Cols { row, expected: cols, actual });
            }
        }
        Ok(Self { rows, cols, cells: lines.concat() })
    }

    /// Reads a `DISPLAY` of about this size: one row or column too many and any number of blank ones are cut off,
    /// missing blanks at the end of rows and one missing row are added, rows without any newline are separated. The
    /// wrong size is the subject of one check, not of all.
    pub(crate) fn parse(message: &[u8], (rows, cols): (u16, u16)) -> Result<Self, PictureError> {
        let text = message.strip_prefix(DISPLAY_HEAD).ok_or(PictureError::Head)?;
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        let (height, width) = (usize::from(rows), usize::from(cols));
        if lines.len() == 1 && lines[0].len() == height * width {
            lines = lines[0].chunks(width).collect();
        }
        let is_blank = |line: &[u8]| line.trim_ascii_end().is_empty();
        let has_more_rows = lines.iter().skip(height + 1).any(|line| !is_blank(line));
        if lines.len() + 1 < height || has_more_rows {
            return Err(PictureError::Rows { expected: rows, actual: lines.len() });
        }
        let has_more_columns = |line: &[u8]| line.len() > width + 1 && !is_blank(&line[width..]);
        if let Some(index) = lines.iter().position(|line| has_more_columns(line)) {
            let (row, actual) = (index + 1, lines[index].len());
            return Err(PictureError::Cols { row, expected: cols, actual });
        }
        let mut cells = Vec::with_capacity(height * width);
        for (row, line) in (1..=height).zip(&lines) {
            // A map has no small letters of its own: they are players with small letters.
            cells.extend(line.iter().take(width).map(|cell| match *cell {
                UNKNOWN => NUL_SENT,
                cell => cell.to_ascii_uppercase(),
            }));
            cells.resize(row * width, b' ');
        }
        cells.resize(height * width, b' ');
        Ok(Self { rows, cols, cells })
    }

    pub(crate) fn at(&self, at: Point) -> u8 {
        self.cells[usize::from(at.row) * usize::from(self.cols) + usize::from(at.col)]
    }

    /// Returns the gridpoints whose character fits, row by row.
    pub(crate) fn all(&self, fits: impl Fn(u8) -> bool) -> Vec<Point> {
        let points = (0..self.rows).flat_map(|row| (0..self.cols).map(move |col| (row, col)));
        let points = points.map(|(row, col)| Point::new(row, col));
        points.filter(|at| fits(self.at(*at))).collect()
    }

    /// The gridpoint with this character, if there is exactly one.
    pub(crate) fn only(&self, character: u8) -> Option<Point> {
        match self.all(|cell| cell == character)[..] {
            [at] => Some(at),
            _ => None,
        }
    }

    /// Returns the gridpoints where the two pictures differ.
    pub(crate) fn differing(&self, other: &Self) -> Vec<Point> {
        let all = self.all(|_| true).into_iter();
        all.filter(|at| self.at(*at) != other.at(*at)).collect()
    }

    /// Returns this picture with unknown gridpoints taken from the other one, and unknown where the other one is.
    pub(crate) fn completed_by(&self, other: &Self) -> Self {
        let pairs = self.cells.iter().zip(&other.cells);
        let is_unknown = |own: u8, other: u8| own == UNKNOWN || other == UNKNOWN;
        let cell = |(&own, &other): (&u8, &u8)| if is_unknown(own, other) { other } else { own };
        Self { cells: pairs.map(cell).collect(), ..self.clone() }
    }

    /// Returns this picture with these gridpoints taken from the other one.
    pub(crate) fn with_cells_of(&self, other: &Self, points: &[Point]) -> Self {
        let mut picture = self.clone();
        for at in points {
            let index = usize::from(at.row) * usize::from(self.cols) + usize::from(at.col);
            picture.cells[index] = other.cells[index];
        }
        picture
    }

    /// Returns this picture with the player's own letter replaced by `@` where `@` is expected. Servers that show
    /// players their own letter fail one check, not all.
    pub(crate) fn with_own_sign(&self, expected: &Self, letter: u8) -> Self {
        let pairs = self.cells.iter().zip(&expected.cells);
        let is_own = |own: u8, expected: u8| own == letter && expected == b'@';
        let cell = |(&own, &expected): (&u8, &u8)| if is_own(own, expected) { b'@' } else { own };
        Self { cells: pairs.map(cell).collect(), ..self.clone() }
    }

    /// Returns the spot where a player sees itself, as `@` or, on servers with that deviation, by its letter.
    pub(crate) fn own_spot(&self, letter: u8) -> Option<Point> {
        if self.cells.contains(&b'@') { self.only(b'@') } else { self.only(letter) }
    }

    /// All piles of gold.
    pub(crate) fn gold(&self) -> Vec<Point> {
        self.all(|cell| cell == b'*')
    }

    /// True if a player or a pile is there.
    pub(crate) fn is_occupied(&self, at: Point) -> bool {
        let cell = self.at(at);
        cell == b'*' || cell == b'@' || cell.is_ascii_uppercase()
    }
}

/// Draws all rows.
pub(crate) fn drawn(picture: &ShownMap) -> String {
    let mut text = String::new();
    for (index, row) in picture.cells.chunks(usize::from(picture.cols).max(1)).enumerate() {
        let _ = writeln!(text, "{:>4} {}", index + 1, String::from_utf8_lossy(row).trim_end());
    }
    text
}

/// Draws the rows around the differences: the common character where both agree, a mark elsewhere.
pub(crate) fn difference(expected: &ShownMap, actual: &ShownMap) -> String {
    let differing = expected.differing(actual);
    let (Some(first), Some(last)) = (differing.first(), differing.last()) else {
        return "no difference\n".into();
    };
    let mut text = String::from(
        "! is missing, ? should not be shown, x should be something else; the rest is correct\n",
    );
    for row in first.row.saturating_sub(1)..=(last.row + 1).min(expected.rows - 1) {
        let cells = (0..expected.cols).map(|col| mark(expected, actual, Point::new(row, col)));
        let line: String = cells.map(char::from).collect();
        let _ = writeln!(text, "{:>4} {}", row + 1, line.trim_end());
    }
    for at in differing.iter().take(MAX_LISTED) {
        let want = char::from(expected.at(*at));
        let have = char::from(actual.at(*at));
        let _ = writeln!(text, "{at}: expected '{want}', actual '{}'", have.escape_default());
    }
    if differing.len() > MAX_LISTED {
        let _ = writeln!(text, "and {} more", differing.len() - MAX_LISTED);
    }
    text
}

fn mark(expected: &ShownMap, actual: &ShownMap, at: Point) -> u8 {
    match (expected.at(at), actual.at(at)) {
        (UNKNOWN, UNKNOWN) => b' ',
        (want, have) if want == have => want,
        (_, b' ') => b'!',
        (b' ', _) => b'?',
        _ => b'x',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_display_is_parsed_and_searched() {
        let picture = ShownMap::parse(b"DISPLAY\n|A*\n|..\n", (2, 3)).unwrap();
        assert_eq!(picture.only(b'A'), Some(Point::new(0, 1)));
        assert_eq!(picture.gold(), [Point::new(0, 2)]);
        assert_eq!(drawn(&picture), "   1 |A*\n   2 |..\n");
        assert!(picture.is_occupied(Point::new(0, 1)) && !picture.is_occupied(Point::new(1, 1)));
        assert_eq!(picture.only(b'.'), None);
    }

    #[test]
    fn the_error_says_why_a_message_is_no_display() {
        let strictly = |text: &str| ShownMap::parse_strictly(text.as_bytes(), (2, 3));
        let why = |text: &str| strictly(text).unwrap_err().to_string();
        assert!(why("DISPLAY\nabc\nabc").contains("newline"));
        assert!(why("DISPLAY\nabc\n").contains("1 rows instead of 2"));
        assert!(why("DISPLAY\nabc\nabcd\n").contains("row 2 is 4"));
        assert!(why("DISPLAY abc\nabc\n").contains("begin"));
    }

    #[test]
    fn a_size_that_is_wrong_by_one_or_by_blanks_is_corrected() {
        let read = |text: &str| ShownMap::parse(format!("DISPLAY\n{text}").as_bytes(), (2, 3));
        for text in [
            "|A*\n|..\n",
            "|A*x\n|..x\n",
            "|A*\n|..\n+--\n",
            "|A* \n|..",
            "|A*   \n|..\n\n  \n",
            "|A*|..",
        ] {
            assert_eq!(read(text).unwrap().cells, b"|A*|..", "{text:?}");
        }
        assert_eq!(read("|A\n").unwrap().cells, b"|A    ");
        assert_eq!(read("|a*\n|..\n").unwrap().cells, b"|A*|..");
        assert_eq!(
            read("|A*xy\n|..\n").unwrap_err(),
            PictureError::Cols { row: 1, expected: 3, actual: 5 }
        );
        assert_eq!(
            read("a\nb\nc\nd\n").unwrap_err(),
            PictureError::Rows { expected: 2, actual: 4 }
        );
    }

    #[test]
    fn rows_around_the_differences_are_drawn_with_marks() {
        let picture = |text: &str| ShownMap::parse(text.as_bytes(), (5, 4)).unwrap();
        let expected = picture("DISPLAY\n+--+\n|..|\n|.@|\n|. |\n+--+\n");
        let actual = picture("DISPLAY\n+--+\n|..|\n|*@|\n| .|\n+--+\n");
        let drawn = difference(&expected, &actual);
        let rows = "   2 |..|\n   3 |x@|\n   4 |!?|\n   5 +--+\n";
        assert!(drawn.contains(rows), "{drawn}");
        assert!(!drawn.contains("   1 "), "{drawn}");
        assert!(drawn.contains("line 3, column 2: expected '.', actual '*'"), "{drawn}");
    }
}
