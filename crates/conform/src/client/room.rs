//! The game that the client is made to believe in: what a server would have to say about it.

use nuggets_protocol::Dialect;

/// An ordinary picture. The `B` in it walks to and fro whenever something new is to be seen.
const PICTURE: [&str; 5] = [
    "  +------------------+                  ",
    "  |.......*..........|      +-------+   ",
    "  |...@..............########.......|   ",
    "  |..............B...|      |...C...|   ",
    "  +------------------+      +-------+   ",
];

/// What the client should know by now.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    /// The spectator has none.
    pub(crate) letter: Option<char>,
    pub(crate) found: u32,
    pub(crate) purse: u32,
    pub(crate) left: u32,
    pub(crate) rows: Vec<String>,
}

impl Room {
    /// For a player with this letter, or for the spectator.
    pub(crate) fn new(letter: Option<char>) -> Self {
        let own = if letter.is_some() { "@" } else { "A" };
        let rows = PICTURE.iter().map(|row| row.replace('@', own)).collect();
        Self { letter, found: 0, purse: 0, left: 250, rows }
    }

    /// With another picture, `rows` by `cols`: a room that fills it, and people in it.
    pub(crate) fn large(rows: usize, cols: usize) -> Self {
        let edge = format!("+{}+", "-".repeat(cols - 2));
        let floor = |row: usize| {
            let cells =
                (0..cols - 2).map(|col| if (row + col).is_multiple_of(7) { '#' } else { '.' });
            format!("|{}|", cells.collect::<String>())
        };
        let mut picture: Vec<String> = (0..rows).map(floor).collect();
        picture[0].clone_from(&edge);
        picture[rows - 1] = edge;
        picture[1].replace_range(2..3, "@");
        picture[rows - 2].replace_range(cols - 4..cols - 3, "B");
        Self { rows: picture, ..Self::new(Some('A')) }
    }

    /// Everything that a newcomer is told.
    pub(crate) fn welcome(&self) -> Vec<Vec<u8>> {
        let ok = self.letter.map(|letter| format!("OK {letter}").into_bytes());
        ok.into_iter().chain([self.grid(), self.gold(), self.display()]).collect()
    }

    pub(crate) fn grid(&self) -> Vec<u8> {
        let cols = self.rows.first().map_or(0, String::len);
        format!("GRID {} {cols}", self.rows.len()).into_bytes()
    }

    pub(crate) fn gold(&self) -> Vec<u8> {
        format!("GOLD {} {} {}", self.found, self.purse, self.left).into_bytes()
    }

    pub(crate) fn display(&self) -> Vec<u8> {
        format!("DISPLAY\n{}\n", self.rows.join("\n")).into_bytes()
    }

    /// So much was found, so much is in the purse, so much is left.
    pub(crate) fn set_gold(&mut self, found: u32, purse: u32, left: u32) {
        (self.found, self.purse, self.left) = (found, purse, left);
    }

    /// The status line in the words of the documents.
    pub(crate) fn status(&self) -> String {
        let Self { purse, left, .. } = self;
        match self.letter {
            Some(letter) => {
                format!("Player {letter} has {purse} nuggets ({left} nuggets unclaimed).")
            }
            None => format!("Spectator: {left} nuggets unclaimed."),
        }
    }

    /// Lets the `B` walk on, so that the picture is one that was not there before.
    pub(crate) fn stir(&mut self) {
        let Some(row) = self.rows.iter_mut().find(|row| row.contains('B')) else { return };
        let old = row.find('B').unwrap_or(0);
        let free = |at: &usize| row.as_bytes()[*at] == b'.';
        let next = (old + 1..row.len()).find(free).or_else(|| (0..old).find(free));
        if let Some(next) = next {
            row.replace_range(old..=old, ".");
            row.replace_range(next..=next, "B");
        }
    }

    /// The row by which this picture is known from others.
    pub(crate) fn marker(&self) -> &str {
        let row = self.rows.iter().find(|row| row.contains('B'));
        row.or(self.rows.first()).map_or("", |row| row.trim())
    }
}

/// A complaint of the server's.
pub(crate) fn complaint(dialect: Dialect, text: &str) -> Vec<u8> {
    match dialect {
        Dialect::V2021 => format!("ERROR {text}"),
        Dialect::V2019 => format!("NO {text}"),
    }
    .into_bytes()
}

/// The server's last word: with an explanation where the dialect has one.
pub(crate) fn farewell(dialect: Dialect, text: &str) -> Vec<u8> {
    match dialect {
        Dialect::V2021 => format!("QUIT {text}").into_bytes(),
        Dialect::V2019 => b"QUIT".to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stir_gives_a_new_picture_of_the_same_shape() {
        for room in [Room::new(Some('A')), Room::new(None), Room::large(21, 79)] {
            let mut stirred = room.clone();
            for _ in 0..5 {
                let before = stirred.marker().to_owned();
                stirred.stir();
                assert_ne!(stirred.marker(), before);
            }
            assert!(stirred.rows.iter().all(|row| row.len() == room.rows[0].len()));
        }
    }

    #[test]
    fn a_newcomer_is_told_everything_in_order() {
        let told = Room::new(Some('C')).welcome();
        let told: Vec<_> = told.iter().map(|message| String::from_utf8_lossy(message)).collect();
        assert_eq!(told[..3], ["OK C", "GRID 5 40", "GOLD 0 0 250"]);
        assert!(told[3].starts_with("DISPLAY\n  +---"));
        assert_eq!(Room::new(None).welcome().len(), 3);
    }
}
