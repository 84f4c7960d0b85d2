//! Who or what stands where: at most one player, pile or food on each gridpoint, found at once.

use crate::{Letter, Map};

/// The character of the occupant of each gridpoint, or nothing.
#[derive(Clone, Debug)]
pub(crate) struct Occupants {
    symbols: Box<[u8]>,
}

/// Who or what can stand or lie on a gridpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occupant {
    Player(Letter),
    Gold,
    Food,
}

/// How a pile of gold is drawn.
const GOLD: u8 = b'*';
/// How a piece of food is drawn.
const FOOD: u8 = b'%';
/// How nobody is drawn: not at all.
const NOBODY: u8 = 0;

impl Occupants {
    pub(crate) fn none(map: &Map) -> Self {
        Self { symbols: vec![NOBODY; map.tiles().len()].into_boxed_slice() }
    }

    /// The character of whoever or whatever is here.
    pub(crate) fn symbol(&self, index: usize) -> Option<u8> {
        Some(self.symbols[index]).filter(|&symbol| symbol != NOBODY)
    }

    /// Who or what is here.
    pub(crate) fn at(&self, index: usize) -> Option<Occupant> {
        match self.symbols[index] {
            NOBODY => None,
            GOLD => Some(Occupant::Gold),
            FOOD => Some(Occupant::Food),
            letter => Letter::from_char(letter).map(Occupant::Player),
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
        self.symbols[index] = letter.as_char();
    }

    pub(crate) fn clear(&mut self, index: usize) {
        self.symbols[index] = NOBODY;
    }
}
