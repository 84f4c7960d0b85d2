//! Players: their letters and what each of them has.

use std::fmt;
use std::sync::Arc;

use crate::{Name, Point, PointSet};

/// The letter of a player, `A` to `Z` in the order of joining.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Letter(u8);

/// A player, on the map or gone.
#[derive(Clone, Debug)]
pub struct Player {
    pub(crate) letter: Letter,
    pub(crate) name: Name,
    pub(crate) purse: u32,
    pub(crate) at: Option<Point>,
    pub(crate) sees: Arc<PointSet>,
    pub(crate) known: PointSet,
    pub(crate) steps_left: Option<u32>,
}

impl Letter {
    /// The number of letters.
    pub const COUNT: usize = 26;

    /// The letter of the player with this index, counted from 0 in the order of joining.
    pub fn nth(index: usize) -> Option<Self> {
        u8::try_from(index).ok().filter(|&n| usize::from(n) < Self::COUNT).map(Self)
    }

    /// The letter for this character.
    pub fn from_byte(drawn: u8) -> Option<Self> {
        drawn.is_ascii_uppercase().then(|| Self(drawn - b'A'))
    }

    /// The index of this player in the order of joining.
    pub fn index(self) -> usize {
        self.0.into()
    }

    /// The letter as an ASCII character.
    pub fn as_byte(self) -> u8 {
        b'A' + self.0
    }

    /// The letter as a character.
    pub fn as_char(self) -> char {
        char::from(self.as_byte())
    }
}

impl fmt::Display for Letter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        char::from(self.as_byte()).fmt(f)
    }
}

impl Player {
    /// The letter.
    pub fn letter(&self) -> Letter {
        self.letter
    }

    /// The name.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// Nuggets collected.
    pub fn purse(&self) -> u32 {
        self.purse
    }

    /// The spot of the player; `None` after quitting.
    pub fn at(&self) -> Option<Point> {
        self.at
    }

    /// Every gridpoint that is visible now; after quitting, those that were visible last.
    pub fn sees(&self) -> &PointSet {
        &self.sees
    }

    /// The remaining steps, if the rules limit lifetimes.
    pub fn steps_left(&self) -> Option<u32> {
        self.steps_left
    }

    /// Every gridpoint that this player has ever seen.
    pub fn known(&self) -> &PointSet {
        &self.known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_26_letters_from_a_to_z() {
        let letters: String = (0..40).filter_map(Letter::nth).map(|l| l.to_string()).collect();
        assert_eq!(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        assert_eq!(Letter::nth(25).map(Letter::index), Some(25));
        assert_eq!(Letter::nth(256), None);
        let drawn: Vec<u8> = (0..=255).filter(|&c| Letter::from_byte(c).is_some()).collect();
        assert_eq!(drawn, letters.as_bytes());
        assert!(drawn.iter().all(|&c| Letter::from_byte(c).map(Letter::as_byte) == Some(c)));
    }
}
