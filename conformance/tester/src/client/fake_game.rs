//! A made-up game for the client, and the messages that a server would send about it.

use nuggets_protocol::Dialect;

/// The usual map. Player `B` moves whenever a new map is needed.
const MAP: [&str; 5] = [
    "  +------------------+                  ",
    "  |.......*..........|      +-------+   ",
    "  |...@..............########.......|   ",
    "  |..............B...|      |...C...|   ",
    "  +------------------+      +-------+   ",
];

/// The state of the game that the client should know.
#[derive(Clone, Debug)]
pub(crate) struct FakeGame {
    /// `None` for the spectator.
    pub(crate) letter: Option<char>,
    pub(crate) found: u32,
    pub(crate) purse: u32,
    pub(crate) left: u32,
    pub(crate) rows: Vec<String>,
}

impl FakeGame {
    /// Creates the game for a player with this letter, or for the spectator.
    pub(crate) fn new(letter: Option<char>) -> Self {
        let own = if letter.is_some() { "@" } else { "A" };
        let rows = MAP.iter().map(|row| row.replace('@', own)).collect();
        Self { letter, found: 0, purse: 0, left: 250, rows }
    }

    /// Creates a game with a map of this size: one room that fills it, and two players.
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

    /// Everything that a new client is sent.
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

    pub(crate) fn set_gold(&mut self, found: u32, purse: u32, left: u32) {
        (self.found, self.purse, self.left) = (found, purse, left);
    }

    /// The status line with the text of the specification.
    pub(crate) fn status(&self) -> String {
        let Self { purse, left, .. } = self;
        match self.letter {
            Some(letter) => {
                format!("Player {letter} has {purse} nuggets ({left} nuggets unclaimed).")
            }
            None => format!("Spectator: {left} nuggets unclaimed."),
        }
    }

    /// Moves `B`, so that the map differs from the one before.
    pub(crate) fn change(&mut self) {
        let Some(row) = self.rows.iter_mut().find(|row| row.contains('B')) else { return };
        let old = row.find('B').unwrap_or(0);
        let free = |at: &usize| row.as_bytes()[*at] == b'.';
        let next = (old + 1..row.len()).find(free).or_else(|| (0..old).find(free));
        if let Some(next) = next {
            row.replace_range(old..=old, ".");
            row.replace_range(next..=next, "B");
        }
    }

    /// The row that differs from those of other maps.
    pub(crate) fn marker(&self) -> &str {
        let row = self.rows.iter().find(|row| row.contains('B'));
        row.or(self.rows.first()).map_or("", |row| row.trim())
    }
}

/// The server's last message, with an explanation where the dialect has one.
pub(crate) fn quit_message(dialect: Dialect, text: &str) -> Vec<u8> {
    match dialect {
        Dialect::V2021 => format!("QUIT {text}").into_bytes(),
        Dialect::V2019 => b"QUIT".to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_gives_a_new_map_of_the_same_size() {
        for game in [FakeGame::new(Some('A')), FakeGame::new(None), FakeGame::large(21, 79)] {
            let mut changed = game.clone();
            for _ in 0..5 {
                let before = changed.marker().to_owned();
                changed.change();
                assert_ne!(changed.marker(), before);
            }
            assert!(changed.rows.iter().all(|row| row.len() == game.rows[0].len()));
        }
    }

    #[test]
    fn a_new_client_is_sent_everything_in_order() {
        let sent = FakeGame::new(Some('C')).welcome();
        let sent: Vec<_> = sent.iter().map(|message| String::from_utf8_lossy(message)).collect();
        assert_eq!(sent[..3], ["OK C", "GRID 5 40", "GOLD 0 0 250"]);
        assert!(sent[3].starts_with("DISPLAY\n  +---"));
        assert_eq!(FakeGame::new(None).welcome().len(), 3);
    }
}
