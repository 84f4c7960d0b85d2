//! A player of the load: it keeps its picture, and walks at random.

use std::time::Instant;

use anyhow::{Context, bail};
use nuggets_game::{Direction, Rng};
use nuggets_protocol::web::StreamLine;

/// What one connection knows of its game.
#[derive(Debug, Default)]
pub(crate) struct BenchPlayer {
    cols: usize,
    cells: Vec<u8>,
    /// Where it stands: row * columns + column.
    at: Option<usize>,
    /// Its key that is not answered yet: when it was sent, and its number.
    pub(crate) waiting: Option<(Instant, usize)>,
}

impl BenchPlayer {
    /// Whether it has a picture with itself in it.
    pub(crate) fn has_joined(&self) -> bool {
        self.at.is_some()
    }

    /// Does what a message says. True if the player stands elsewhere now.
    pub(crate) fn apply(&mut self, text: &str) -> anyhow::Result<bool> {
        let before = self.at;
        for line in text.lines() {
            if line.starts_with(r#"{"seq":"#) {
                let line = serde_json::from_str(line);
                self.apply_line(line.with_context(|| format!("no line of a stream: {text}"))?)?;
            } else if !line.starts_with(r#"{"hello":"#) {
                bail!("the host answered {line}");
            }
        }
        Ok(before.is_some() && before != self.at)
    }

    fn apply_line(&mut self, line: StreamLine) -> anyhow::Result<()> {
        if let Some(words) = line.notice {
            bail!("the host announced: {words}");
        }
        if let Some(whole) = line.whole {
            self.cols = whole.first().map_or(0, String::len);
            self.cells = whole.concat().into_bytes();
            self.at = self.cells.iter().position(|cell| *cell == b'@');
        }
        for (offset, text) in line.set.iter() {
            let start = offset as usize;
            if let Some(cells) = self.cells.get_mut(start..start + text.len()) {
                cells.copy_from_slice(text.as_bytes());
            }
            self.at = text.find('@').map(|index| start + index).or(self.at);
        }
        Ok(())
    }

    /// A random step to a spot without gold that no other player can reach: it always moves, and nobody else.
    pub(crate) fn choose_step(&self, rng: &mut Rng) -> Option<char> {
        let at = self.at?;
        let beside = |from: usize, direction: Direction| {
            let (rows, cols) = direction.offset();
            let by = isize::from(rows) * self.cols.cast_signed() + isize::from(cols);
            let spot = from.checked_add_signed(by)?;
            self.cells.get(spot).map(|cell| (spot, *cell))
        };
        let is_player = |(_, cell): (usize, u8)| cell.is_ascii_uppercase();
        let is_alone =
            |spot| !Direction::ALL.iter().any(|it| beside(spot, *it).is_some_and(is_player));
        let is_free = |direction: &Direction| {
            let to = beside(at, *direction).filter(|(_, cell)| matches!(cell, b'.' | b'#'));
            to.is_some_and(|(spot, _)| is_alone(spot))
        };
        let free: Vec<Direction> = Direction::ALL.into_iter().filter(is_free).collect();
        (!free.is_empty()).then(|| char::from(free[rng.index(free.len())].key()))
    }
}

/// The number of the last line of a stream in a message; none if it has no such line.
pub(crate) fn last_seq(text: &str) -> Option<u64> {
    let line = text.rsplit('\n').next()?.strip_prefix(r#"{"seq":"#)?;
    line.split([',', '}']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use nuggets_game::Seed;

    use super::*;

    #[test]
    fn a_player_knows_where_it_stands_and_steps_only_to_free_spots() {
        let mut player = BenchPlayer::default();
        let hello = r#"{"hello":{"game":"x"}}"#;
        let whole = r#"{"seq":1,"whole":["|.@*...|","|.....A|"]}"#;
        assert!(!player.apply(&format!("{hello}\n{whole}")).unwrap());
        let mut rng = Rng::new(Seed::new(1));
        let keys: BTreeSet<char> = (0..100).filter_map(|_| player.choose_step(&mut rng)).collect();
        assert_eq!(keys.into_iter().collect::<String>(), "bhjn", "the gold stays");
        assert!(player.apply(r#"{"seq":3,"set":[[2,"..@"]]}"#).unwrap());
        assert_eq!(player.at, Some(4));
        let keys: BTreeSet<char> = (0..100).filter_map(|_| player.choose_step(&mut rng)).collect();
        assert_eq!(keys.into_iter().collect::<String>(), "bhj", "a player is near");
        assert!(player.apply(r#"{"error":"too fast"}"#).is_err());
        assert!(player.apply(r#"{"seq":4,"notice":"The disk is full"}"#).is_err());
    }

    #[test]
    fn the_last_line_of_a_message_has_its_number() {
        assert_eq!(last_seq("{\"seq\":4,\"set\":[]}\n{\"seq\":15}"), Some(15));
        assert_eq!(last_seq(r#"{"hello":{}}"#), None);
    }
}
