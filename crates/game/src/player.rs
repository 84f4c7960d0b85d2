//! Who plays: letters, names and what a player has.

use std::fmt;
use std::sync::Arc;

use crate::{Point, PointSet};

/// A name is cut to this many bytes.
pub const MAX_NAME_BYTES: usize = 50;

/// The letter a player goes by, `A` to `Z` in the order of joining.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Letter(u8);

/// A player's name: 1 to 50 printable ASCII characters or tabs, not all of them blank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

/// A player, here or gone.
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
    /// How many there are.
    pub const COUNT: usize = 26;

    /// The letter of the player who joined after so many others.
    pub fn nth(others: usize) -> Option<Self> {
        u8::try_from(others).ok().filter(|&n| usize::from(n) < Self::COUNT).map(Self)
    }

    /// The letter that is drawn so.
    pub fn from_char(drawn: u8) -> Option<Self> {
        drawn.is_ascii_uppercase().then(|| Self(drawn - b'A'))
    }

    /// How many players joined before this one.
    pub fn index(self) -> usize {
        self.0.into()
    }

    /// The letter as it is drawn.
    pub fn as_char(self) -> u8 {
        b'A' + self.0
    }
}

impl fmt::Display for Letter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        char::from(self.as_char()).fmt(f)
    }
}

impl Name {
    /// The name that these bytes give: cut, then every byte that is neither graphic nor blank
    /// turned into `_`. None if nothing but white space is left.
    pub fn new(given: &[u8]) -> Option<Self> {
        let cut = &given[..given.len().min(MAX_NAME_BYTES)];
        if cut.iter().all(|&byte| is_space(byte)) {
            return None;
        }
        let clean = |&byte: &u8| {
            let fine = byte.is_ascii_graphic() || byte == b' ' || byte == b'\t';
            char::from(if fine { byte } else { b'_' })
        };
        Some(Self(cut.iter().map(clean).collect()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// White space as C's `isspace` has it.
fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
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

    /// Where the player stands; nowhere after quitting.
    pub fn at(&self) -> Option<Point> {
        self.at
    }

    /// Every gridpoint that is in sight; after quitting, those that were last.
    pub fn sees(&self) -> &PointSet {
        &self.sees
    }

    /// How many steps are left to it, where lifetimes are limited.
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

    fn named(given: &[u8]) -> Option<String> {
        Name::new(given).map(|name| name.to_string())
    }

    #[test]
    fn letters_go_from_a_to_z_and_no_further() {
        let letters: String = (0..40).filter_map(Letter::nth).map(|l| l.to_string()).collect();
        assert_eq!(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        assert_eq!(Letter::nth(25).map(Letter::index), Some(25));
        assert_eq!(Letter::nth(256), None);
        let drawn: Vec<u8> = (0..=255).filter(|&c| Letter::from_char(c).is_some()).collect();
        assert_eq!(drawn, letters.as_bytes());
        assert!(drawn.iter().all(|&c| Letter::from_char(c).map(Letter::as_char) == Some(c)));
    }

    #[test]
    fn a_name_is_free_text() {
        assert_eq!(named(b"Ann Onymous").as_deref(), Some("Ann Onymous"));
        assert_eq!(named(b" \ta ").as_deref(), Some(" \ta "));
    }

    #[test]
    fn a_name_is_cut_before_it_is_cleaned() {
        let long = [&[b'x'; 49][..], "é".as_bytes(), b"tail"].concat();
        assert_eq!(named(&long), Some("x".repeat(49) + "_"));
        assert_eq!(named(&[b'y'; 50]), Some("y".repeat(50)));
    }

    #[test]
    fn what_is_neither_graphic_nor_blank_becomes_an_underscore() {
        assert_eq!(named(b"a\x1b[31m\x7f\xff\x0b").as_deref(), Some("a_[31m___"));
        assert_eq!(named(b"\x01").as_deref(), Some("_"));
    }

    #[test]
    fn a_name_with_nothing_visible_is_none() {
        for blank in [&b""[..], b" ", b" \t\n\x0b\x0c\r ", &[b' '; 60]] {
            assert_eq!(named(blank), None);
        }
        assert_eq!(named(&[&[b' '; 50][..], b"late"].concat()), None);
    }
}
