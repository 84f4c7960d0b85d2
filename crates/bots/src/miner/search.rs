//! Ways counted in keys: one key is a step or a whole sprint.
//!
//! Of all ways with the fewest keys the one that brings most is taken.

use nuggets_atlas::{Direction, Stroke};

use super::board::{Board, Place};

/// How many keys it takes to every spot, and what the way there brings.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    ways: Vec<Way>,
    /// Every spot reached so far, the nearest first.
    reached: Vec<Place>,
    /// How many of them have been left again in all directions.
    done: usize,
}

/// The best way to a spot.
#[derive(Clone, Copy, Debug)]
struct Way {
    keys: u32,
    worth: u32,
    from: Place,
    stroke: Option<Stroke>,
}

const FAR: u32 = u32::MAX;
const NO_WAY: Way = Way { keys: FAR, worth: 0, from: 0, stroke: None };

impl Search {
    /// Begins at these places, all at once.
    pub(super) fn begin(&mut self, board: &Board, starts: impl Iterator<Item = Place>) {
        self.ways.clear();
        self.ways.resize(board.area(), NO_WAY);
        self.reached.clear();
        self.done = 0;
        for start in starts {
            self.ways[start as usize].keys = 0;
            self.reached.push(start);
        }
    }

    /// The next nearest spot: the way to it is settled now, and it is looked where to go from there.
    ///
    /// Whatever leads to it by one key less has been returned before. So its worth is final.
    pub(super) fn next(&mut self, board: &Board) -> Option<Place> {
        let &place = self.reached.get(self.done)?;
        self.done += 1;
        let way = self.ways[place as usize];
        if !self.is_among_the_farthest(board, way.keys) {
            self.go_on_from(board, place, way);
        }
        Some(place)
    }

    /// When every spot is reached, there is nothing to go on to from those that came last.
    fn is_among_the_farthest(&self, board: &Board, keys: u32) -> bool {
        self.reached.len() == board.spots().len()
            && self.reached.last().is_some_and(|&last| self.keys(last) == keys)
    }

    fn go_on_from(&mut self, board: &Board, place: Place, so_far: Way) {
        let keys = so_far.keys + 1;
        for (index, (way, run)) in Direction::ALL.into_iter().zip(board.runs(place)).enumerate() {
            if run.end == place {
                continue;
            }
            let beside = board.beside(place, index);
            let worth = so_far.worth + board.worth(beside);
            self.reach(beside, Way { keys, worth, from: place, stroke: Some(Stroke::Step(way)) });
            let worth = so_far.worth + run.worth;
            // Where both end at the same spot, the sprint may go on into the unknown.
            if run.end != beside || run.worth > board.worth(beside) {
                let stroke = Some(Stroke::Sprint(way));
                self.reach(run.end, Way { keys, worth, from: place, stroke });
            }
        }
    }

    #[inline]
    fn reach(&mut self, place: Place, way: Way) {
        let known = &mut self.ways[place as usize];
        if known.keys < way.keys {
            return;
        }
        if known.keys == FAR {
            self.reached.push(place);
        } else if known.worth >= way.worth {
            return;
        }
        *known = way;
    }

    /// Goes on until everything is reached that takes at most so many keys.
    pub(super) fn reach_within(&mut self, board: &Board, keys: u32) {
        while let Some(&place) = self.reached.get(self.done)
            && self.keys(place) < keys
        {
            self.next(board);
        }
    }

    /// Every spot reached so far, the start included, the nearest first.
    pub(super) fn reached(&self) -> &[Place] {
        &self.reached
    }

    /// How many keys it takes there; a very large number if there is no way.
    pub(super) fn keys(&self, place: Place) -> u32 {
        self.ways[place as usize].keys
    }

    /// What the best way there brings on the way.
    pub(super) fn worth(&self, place: Place) -> u32 {
        self.ways[place as usize].worth
    }

    /// How many keys until somebody has stood on this spot or run over it.
    pub(super) fn keys_over(&self, board: &Board, to: Place) -> u32 {
        let mut least = self.keys(to);
        for way in 0..8 {
            let mut from = board.beside(to, way);
            while board.kind(from).is_spot() {
                least = least.min(self.keys(from).saturating_add(1));
                from = board.beside(from, way);
            }
        }
        least
    }

    /// The first key of the best way there.
    pub(super) fn first_stroke(&self, to: Place) -> Option<Stroke> {
        let mut way = self.ways[to as usize];
        while self.keys(way.from) > 0 {
            way = self.ways[way.from as usize];
        }
        way.stroke
    }
}
