//! The game over table: all purses, as they are shown at the end.

use std::fmt;

use crate::Player;

/// One row for every player who ever joined, in the order of letters; no newline after the last.
#[derive(Clone, Copy, Debug)]
pub struct GameOverTable<'a>(pub(crate) &'a [Player]);

impl fmt::Display for GameOverTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (row, player) in self.0.iter().enumerate() {
            let newline = if row == 0 { "" } else { "\n" };
            write!(f, "{newline}{} {:>10} {}", player.letter, player.purse, player.name)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Letter, Name, PointSet};

    /// The example of the specification.
    #[test]
    fn letter_purse_and_name_in_columns() {
        let players: Vec<Player> = [(4, "Alice"), (16, "Bob"), (230, "Carol")]
            .iter()
            .enumerate()
            .map(|(index, (purse, name))| Player {
                letter: Letter::nth(index).unwrap(),
                name: Name::new(name.as_bytes()).unwrap(),
                purse: *purse,
                at: None,
                sees: PointSet::empty(1).into(),
                known: PointSet::empty(1),
                steps_left: None,
            })
            .collect();
        let drawn = "
A          4 Alice
B         16 Bob
C        230 Carol";
        assert_eq!(format!("\n{}", GameOverTable(&players)), drawn);
        assert_eq!(GameOverTable(&[]).to_string(), "");
    }
}
