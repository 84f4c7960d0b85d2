//! Who or what stands where: at most one player or pile on each gridpoint, found at once.

use crate::{Letter, Map, Point};

/// The character of the occupant of each gridpoint, or nothing.
#[derive(Clone, Debug)]
pub(crate) struct Occupants {
    symbols: Box<[u8]>,
}

/// How a pile of gold is drawn.
const GOLD: u8 = b'*';
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

    pub(crate) fn player(&self, index: usize) -> Option<Letter> {
        Letter::from_char(self.symbols[index])
    }

    pub(crate) fn is_gold(&self, index: usize) -> bool {
        self.symbols[index] == GOLD
    }

    pub(crate) fn is_free(&self, index: usize) -> bool {
        self.symbols[index] == NOBODY
    }

    pub(crate) fn put_gold(&mut self, map: &Map, at: Point) {
        self.symbols[map.index(at)] = GOLD;
    }

    pub(crate) fn put_player(&mut self, index: usize, letter: Letter) {
        self.symbols[index] = letter.as_char();
    }

    pub(crate) fn clear(&mut self, index: usize) {
        self.symbols[index] = NOBODY;
    }
}
