//! The eight directions, and the movement keys: a step or a sprint in a direction.

/// One of the eight directions of a step.
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

/// The movement that a key stands for.
///
/// ```
/// use nuggets_protocol::{Direction, Stroke};
///
/// assert_eq!(Stroke::from_key(b'h'), Some(Stroke::Step(Direction::Left)));
/// assert_eq!(Stroke::Sprint(Direction::Left).key(), b'H');
/// assert_eq!(Stroke::from_key(b'Q'), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stroke {
    /// A small letter: one step.
    Step(Direction),
    /// The capital letter: the same step again until the next gridpoint is not a spot.
    Sprint(Direction),
}

impl Direction {
    /// All eight, in the order of the keys `h l k j y u b n`: the straight ones first.
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

    /// The key of one step in this direction; its capital letter is the sprint.
    #[inline]
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

    /// The rows down and the columns to the right of one step.
    #[inline]
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
    /// The movement that a key stands for, if it is one of the sixteen movement keys.
    #[inline]
    pub fn from_key(key: u8) -> Option<Self> {
        let small = key.to_ascii_lowercase();
        let direction = Direction::ALL.into_iter().find(|d| d.key() == small)?;
        Some(if key == small { Self::Step(direction) } else { Self::Sprint(direction) })
    }

    /// The key for this movement.
    #[inline]
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
    use crate::Point;

    /// The specification draws the keys around the player.
    #[test]
    fn the_keys_lie_around_the_player_as_the_specification_draws_them() {
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
    fn only_the_sixteen_movement_keys_are_strokes() {
        let moving: Vec<u8> = (0..=255).filter(|&key| Stroke::from_key(key).is_some()).collect();
        assert_eq!(moving, b"BHJKLNUYbhjklnuy");
        for key in moving {
            assert_eq!(Stroke::from_key(key).map(Stroke::key), Some(key));
        }
    }
}
