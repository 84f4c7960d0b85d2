//! The eight ways to go, and the keys for them.

/// One of the eight ways to go.
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
    /// One step.
    Step(Direction),
    /// The same step again and again, as far as it goes.
    Sprint(Direction),
}

impl Direction {
    /// All eight, in the order of the letters `h l k j y u b n`: the straight ones first.
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

    /// The letter of one step this way; its capital is the sprint.
    pub fn letter(self) -> u8 {
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
    /// The key for it.
    ///
    /// ```
    /// use nuggets_atlas::{Direction, Stroke};
    ///
    /// assert_eq!(Stroke::Step(Direction::Left).key(), b'h');
    /// assert_eq!(Stroke::Sprint(Direction::Left).key(), b'H');
    /// ```
    pub fn key(self) -> u8 {
        match self {
            Self::Step(way) => way.letter(),
            Self::Sprint(way) => way.letter().to_ascii_uppercase(),
        }
    }

    /// What this key asks for, if it is a movement key.
    ///
    /// ```
    /// use nuggets_atlas::{Direction, Stroke};
    ///
    /// assert_eq!(Stroke::of(b'H'), Some(Stroke::Sprint(Direction::Left)));
    /// assert_eq!(Stroke::of(b'Q'), None);
    /// ```
    pub fn of(key: u8) -> Option<Self> {
        let strokes =
            Direction::ALL.into_iter().flat_map(|way| [Self::Step(way), Self::Sprint(way)]);
        strokes.into_iter().find(|stroke| stroke.key() == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The requirements draw the keys around the player.
    #[test]
    fn the_letters_lie_around_the_player_as_drawn() {
        let drawn = ["yku", "h@l", "bjn"];
        for way in Direction::ALL {
            let (down, right) = way.offset();
            let row = drawn[usize::try_from(1 + down).unwrap()].as_bytes();
            assert_eq!(row[usize::try_from(1 + right).unwrap()], way.letter());
        }
    }
}
