//! Occupants of gridpoints: at most one player, pile or piece of food on each, in constant time.

use crate::{Letter, Map};

/// The character of the occupant of each gridpoint, or `NOBODY`.
#[derive(Clone, Debug)]
pub(crate) struct Occupants {
    symbols: Box<[u8]>,
}

/// An occupant of a gridpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occupant {
    Player(Letter),
    Gold,
    Food,
}

const GOLD: u8 = b'*';
const FOOD: u8 = b'%';
const NOBODY: u8 = 0;

impl Occupants {
    pub(crate) fn none(map: &Map) -> Self {
        Self { symbols: vec![NOBODY; map.tiles().len()].into_boxed_slice() }
    }

    /// The character of the occupant, if there is one.
    pub(crate) fn symbol(&self, index: usize) -> Option<u8> {
        Some(self.symbols[index]).filter(|&symbol| symbol != NOBODY)
    }

    pub(crate) fn at(&self, index: usize) -> Option<Occupant> {
        match self.symbols[index] {
            NOBODY => None,
            GOLD => Some(Occupant::Gold),
            FOOD => Some(Occupant::Food),
            letter => Letter::from_byte(letter).map(Occupant::Player),
        }
    }

    pub(crate) fn is_free(&self, index: usize) -> bool {
        self.symbols[index] == NOBODY
    }

    pub(crate) fn put_gold(&mut self, index: usize) {
        self.symbols[index] = GOLD;
    }

    pub(crate) fn put_food(&mut self, index: usize) {
        self.symbols[index] = FOOD;
    }

    pub(crate) fn put_player(&mut self, index: usize, letter: Letter) {
        self.symbols[index] = letter.as_byte();
    }

    pub(crate) fn clear(&mut self, index: usize) {
        self.symbols[index] = NOBODY;
    }
}
