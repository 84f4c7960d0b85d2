//! A picture from a `DISPLAY`, row after row.

use nuggets_game::Point;
use nuggets_protocol::DISPLAY_HEAD;

/// The gridpoints of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) rows: u16,
    pub(crate) cols: u16,
    /// Row after row, without newlines.
    pub(crate) cells: Vec<u8>,
}

impl Picture {
    /// Reads a whole message; why it is no picture of this size, otherwise.
    pub(crate) fn read(message: &[u8], rows: u16, cols: u16) -> Result<Self, String> {
        let text = message.strip_prefix(DISPLAY_HEAD).ok_or("it does not begin with DISPLAY\\n")?;
        let text = text.strip_suffix(b"\n").ok_or("its last row has no newline")?;
        let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        if lines.len() != usize::from(rows) {
            return Err(format!("it has {} rows instead of {rows}", lines.len()));
        }
        let wrong = lines.iter().enumerate().find(|(_, line)| line.len() != usize::from(cols));
        if let Some((place, line)) = wrong {
            let long = line.len();
            return Err(format!("its row {} is {long} characters long, not {cols}", place + 1));
        }
        Ok(Self { rows, cols, cells: lines.concat() })
    }

    /// What is drawn there.
    pub(crate) fn at(&self, at: Point) -> u8 {
        self.cells[usize::from(at.row) * usize::from(self.cols) + usize::from(at.col)]
    }

    /// Where this is drawn, row after row.
    pub(crate) fn all(&self, drawn: impl Fn(u8) -> bool) -> Vec<Point> {
        let cols = usize::from(self.cols);
        let places = self.cells.iter().enumerate().filter(|(_, cell)| drawn(**cell));
        let point = |place: usize| {
            let number = |n: usize| u16::try_from(n).expect("no map is larger");
            Point::new(number(place / cols), number(place % cols))
        };
        places.map(|(place, _)| point(place)).collect()
    }

    /// Where this is drawn, if it is drawn just once.
    pub(crate) fn only(&self, drawn: u8) -> Option<Point> {
        match self.all(|cell| cell == drawn)[..] {
            [at] => Some(at),
            _ => None,
        }
    }

    /// All piles of gold.
    pub(crate) fn gold(&self) -> Vec<Point> {
        self.all(|cell| cell == b'*')
    }

    /// Is somebody or something there?
    pub(crate) fn is_taken(&self, at: Point) -> bool {
        let cell = self.at(at);
        cell == b'*' || cell == b'@' || cell.is_ascii_uppercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_read_and_searched() {
        let picture = Picture::read(b"DISPLAY\n|A*\n|..\n", 2, 3).unwrap();
        assert_eq!(picture.only(b'A'), Some(Point::new(0, 1)));
        assert_eq!(picture.gold(), [Point::new(0, 2)]);
        assert!(picture.is_taken(Point::new(0, 1)) && !picture.is_taken(Point::new(1, 1)));
        assert_eq!(picture.only(b'.'), None);
    }

    #[test]
    fn what_is_no_picture_says_why() {
        let read = |text: &str| Picture::read(text.as_bytes(), 2, 3).unwrap_err();
        assert!(read("DISPLAY\nabc\nabc").contains("newline"));
        assert!(read("DISPLAY\nabc\n").contains("1 rows instead of 2"));
        assert!(read("DISPLAY\nabc\nabcd\n").contains("row 2 is 4"));
        assert!(read("DISPLAY abc\nabc\n").contains("begin"));
    }
}
