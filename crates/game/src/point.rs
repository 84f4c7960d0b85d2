//! Where things are and which way they go: gridpoints, the eight directions, steps and sprints.

use std::fmt;

/// A gridpoint: row and column, counted from 0 at the upper left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    /// Rows count downward.
    pub row: u16,
    /// Columns count to the right.
    pub col: u16,
}

/// One of the eight ways to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// `h`
    Left,
    /// `l`
    Right,
    /// `k`
    Up,
    /// `j`
    Down,
    /// `y`
    UpLeft,
    /// `u`
    UpRight,
    /// `b`
    DownLeft,
    /// `n`
    DownRight,
}

/// What a movement key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stroke {
    /// A small letter: one step.
    Step(Direction),
    /// The capital: the same step again and again, as far as it goes.
    Sprint(Direction),
}

impl Point {
    /// The gridpoint at this row and column.
    pub fn new(row: u16, col: u16) -> Self {
        Self { row, col }
    }

    /// The neighbour in this direction, unless it lies above or left of the grid.
    pub fn step(self, direction: Direction) -> Option<Self> {
        let (down, right) = direction.offset();
        Some(Self {
            row: self.row.checked_add_signed(down)?,
            col: self.col.checked_add_signed(right)?,
        })
    }
}

/// As people count: from 1.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", u32::from(self.row) + 1, u32::from(self.col) + 1)
    }
}

impl Direction {
    /// All eight, the straight ones first.
    pub const ALL: [Self; 8] = [
        Self::Left,
        Self::Right,
        Self::Up,
        Self::Down,
        Self::UpLeft,
        Self::UpRight,
        Self::DownLeft,
        Self::DownRight,
    ];

    /// The four along rows and columns.
    pub const STRAIGHT: [Self; 4] = [Self::Left, Self::Right, Self::Up, Self::Down];

    /// The small letter for this direction.
    pub fn key(self) -> u8 {
        match self {
            Self::Left => b'h',
            Self::Right => b'l',
            Self::Up => b'k',
            Self::Down => b'j',
            Self::UpLeft => b'y',
            Self::UpRight => b'u',
            Self::DownLeft => b'b',
            Self::DownRight => b'n',
        }
    }

    /// How far one step goes down and to the right.
    pub fn offset(self) -> (i16, i16) {
        match self {
            Self::Left => (0, -1),
            Self::Right => (0, 1),
            Self::Up => (-1, 0),
            Self::Down => (1, 0),
            Self::UpLeft => (-1, -1),
            Self::UpRight => (-1, 1),
            Self::DownLeft => (1, -1),
            Self::DownRight => (1, 1),
        }
    }
}

impl Stroke {
    /// The movement that a key stands for, if it is one of the sixteen.
    pub fn from_key(key: u8) -> Option<Self> {
        let small = key.to_ascii_lowercase();
        let direction = Direction::ALL.into_iter().find(|d| d.key() == small)?;
        Some(if key == small { Self::Step(direction) } else { Self::Sprint(direction) })
    }

    /// The key that asks for this movement.
    pub fn key(self) -> u8 {
        match self {
            Self::Step(direction) => direction.key(),
            Self::Sprint(direction) => direction.key().to_ascii_uppercase(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The seeds draw the keys around the player.
    #[test]
    fn the_keys_lie_around_the_player_as_drawn() {
        let drawn = ["yku", "h@l", "bjn"];
        for (row, line) in (0u16..).zip(drawn) {
            for (col, key) in (0u16..).zip(line.bytes()).filter(|(_, key)| *key != b'@') {
                let Some(Stroke::Step(direction)) = Stroke::from_key(key) else {
                    panic!("{} is no step", char::from(key));
                };
                assert_eq!(Point::new(1, 1).step(direction), Some(Point::new(row, col)));
            }
        }
    }

    #[test]
    fn sixteen_keys_move_and_no_other() {
        let moving: Vec<u8> = (0..=255).filter(|&key| Stroke::from_key(key).is_some()).collect();
        assert_eq!(moving, b"BHJKLNUYbhjklnuy");
        for key in moving {
            assert_eq!(Stroke::from_key(key).map(Stroke::key), Some(key));
        }
    }

    #[test]
    fn nobody_steps_off_the_top_or_the_left() {
        assert_eq!(Point::new(0, 3).step(Direction::Up), None);
        assert_eq!(Point::new(3, 0).step(Direction::DownLeft), None);
        assert_eq!(Point::new(0, 0).step(Direction::DownRight), Some(Point::new(1, 1)));
    }
}
