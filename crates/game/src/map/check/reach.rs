//! Does a map hang together? Spots that can't be reached from the rest by straight steps.

use crate::{Direction, Map, Point, PointSet};

impl Map {
    /// The first spot of every part but the largest, and how many gridpoints it has. Unknown ones
    /// can be passed.
    pub(super) fn cut_off(&self, unknown: &PointSet) -> Vec<(Point, usize)> {
        let mut parts = self.parts(unknown);
        let largest = parts.iter().map(|(_, size)| *size).max();
        let main = parts.iter().position(|(_, size)| Some(*size) == largest);
        main.map(|main| parts.remove(main));
        parts
    }

    /// In how many parts the spots fall if nobody cuts a corner.
    pub(in crate::map) fn parts_by_straight_steps(&self) -> usize {
        self.parts(&PointSet::empty(self.tiles().len())).len()
    }

    /// The first spot of every part, and how many gridpoints it has.
    fn parts(&self, unknown: &PointSet) -> Vec<(Point, usize)> {
        let mut reached = PointSet::empty(self.tiles().len());
        let sized = |start| (start, self.flood(start, unknown, &mut reached));
        self.spots().into_iter().map(sized).filter(|(_, size)| *size > 0).collect()
    }

    /// Marks everything that can be reached by straight steps, and counts what is new of it.
    fn flood(&self, start: Point, unknown: &PointSet, reached: &mut PointSet) -> usize {
        let mut frontier = vec![start];
        let mut count = 0;
        while let Some(at) = frontier.pop() {
            if !reached.contains(self.index(at)) {
                reached.insert(self.index(at));
                count += 1;
                let next = Direction::STRAIGHT.into_iter().filter_map(|way| at.step(way));
                frontier.extend(next.filter(|next| self.can_pass(*next, unknown)));
            }
        }
        count
    }

    fn can_pass(&self, at: Point, unknown: &PointSet) -> bool {
        self.tile(at).is_some_and(|tile| tile.is_spot() || unknown.contains(self.index(at)))
    }
}
