//! Breadth-first search in keys: one key is a step or a whole sprint.
//!
//! Of all paths with the fewest keys the one with the highest worth is taken.

use nuggets_atlas::{Direction, Stroke};

use super::board::{Board, Place};

/// The number of keys to each spot, and the worth of the path there.
#[derive(Clone, Debug, Default)]
pub(super) struct KeySearch {
    paths: Vec<KeyPath>,
    /// The spots reached so far, the nearest first.
    reached: Vec<Place>,
    /// The number of reached spots that have been expanded.
    expanded: usize,
}

/// The best path to a spot.
#[derive(Clone, Copy, Debug)]
struct KeyPath {
    keys: u32,
    worth: u32,
    from: Place,
    stroke: Option<Stroke>,
}

const NOT_REACHED: u32 = u32::MAX;
const UNREACHED: KeyPath = KeyPath { keys: NOT_REACHED, worth: 0, from: 0, stroke: None };

impl KeySearch {
    /// Starts a search from these places.
    pub(super) fn begin(&mut self, board: &Board, starts: impl Iterator<Item = Place>) {
        self.paths.clear();
        self.paths.resize(board.area(), UNREACHED);
        self.reached.clear();
        self.expanded = 0;
        for start in starts {
            self.paths[start as usize].keys = 0;
            self.reached.push(start);
        }
    }

    /// Returns and expands the next nearest spot. All spots one key nearer have been returned before, so the path to it
    /// is final.
    pub(super) fn next(&mut self, board: &Board) -> Option<Place> {
        let &place = self.reached.get(self.expanded)?;
        self.expanded += 1;
        let path = self.paths[place as usize];
        if !self.is_farthest(board, path.keys) {
            self.expand(board, place, path);
        }
        Some(place)
    }

    /// True if expanding spots at this distance finds nothing, because every spot is reached.
    fn is_farthest(&self, board: &Board, keys: u32) -> bool {
        self.reached.len() == board.spots().len()
            && self.reached.last().is_some_and(|&last| self.keys(last) == keys)
    }

    fn expand(&mut self, board: &Board, place: Place, path: KeyPath) {
        let keys = path.keys + 1;
        for (index, (direction, run)) in
            Direction::ALL.into_iter().zip(board.runs(place)).enumerate()
        {
            if run.end == place {
                continue;
            }
            let beside = board.beside(place, index);
            let worth = path.worth + board.worth(beside);
            self.reach(
                beside,
                KeyPath { keys, worth, from: place, stroke: Some(Stroke::Step(direction)) },
            );
            let worth = path.worth + run.worth;
            // If both end at the same spot, the sprint may continue into the unknown.
            if run.end != beside || run.worth > board.worth(beside) {
                let stroke = Some(Stroke::Sprint(direction));
                self.reach(run.end, KeyPath { keys, worth, from: place, stroke });
            }
        }
    }

    #[inline]
    fn reach(&mut self, place: Place, path: KeyPath) {
        let known = &mut self.paths[place as usize];
        if known.keys < path.keys {
            return;
        }
        if known.keys == NOT_REACHED {
            self.reached.push(place);
        } else if known.worth >= path.worth {
            return;
        }
        *known = path;
    }

    /// Continues until everything is reached that takes at most this many keys.
    pub(super) fn reach_within(&mut self, board: &Board, keys: u32) {
        while let Some(&place) = self.reached.get(self.expanded)
            && self.keys(place) < keys
        {
            self.next(board);
        }
    }

    /// The spots reached so far, the start included, the nearest first.
    pub(super) fn reached(&self) -> &[Place] {
        &self.reached
    }

    /// Returns the number of keys to a spot; `u32::MAX` if it is not reached.
    pub(super) fn keys(&self, place: Place) -> u32 {
        self.paths[place as usize].keys
    }

    /// Returns the worth of the best path to a spot.
    pub(super) fn worth(&self, place: Place) -> u32 {
        self.paths[place as usize].worth
    }

    /// Returns the number of keys until a player has stood on this spot or sprinted over it.
    pub(super) fn keys_over(&self, board: &Board, to: Place) -> u32 {
        let mut min_keys = self.keys(to);
        for direction in 0..8 {
            let mut from = board.beside(to, direction);
            while board.tile(from).is_spot() {
                min_keys = min_keys.min(self.keys(from).saturating_add(1));
                from = board.beside(from, direction);
            }
        }
        min_keys
    }

    /// Returns the first key of the best path to a spot.
    pub(super) fn first_stroke(&self, to: Place) -> Option<Stroke> {
        let mut path = self.paths[to as usize];
        while self.keys(path.from) > 0 {
            path = self.paths[path.from as usize];
        }
        path.stroke
    }
}
