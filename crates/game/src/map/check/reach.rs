//! Does a map hang together? Spots that can't be reached from the rest by straight steps.

use crate::{Direction, Map, Point, PointSet};

impl Map {
    /// The first spot of every part but the largest, and how many gridpoints it has. Unknown ones
    /// can be passed.
    pub(super) fn cut_off(&self, unknown: &PointSet) -> Vec<(Point, usize)> {
        let mut reached = PointSet::empty(self.tiles().len());
        let mut parts: Vec<(Point, usize)> = Vec::new();
        for start in self.spots() {
            let size = self.flood(start, unknown, &mut reached);
            if size > 0 {
                parts.push((start, size));
            }
        }
        let largest = parts.iter().map(|(_, size)| *size).max();
        let main = parts.iter().position(|(_, size)| Some(*size) == largest);
        main.map(|main| parts.remove(main));
        parts
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
