//! What is seen from where. Only the map counts, occupants never do, so the answer for a spot is
//! found once and shared by every player of every game on that map.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::{Direction, Map, Point, PointSet, Tile};

#[cfg(any(test, feature = "oracle"))]
pub(crate) mod line;
mod sweep;

/// What a look passes through. The two generations of the game differ in this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SightRule {
    /// 2021: only room spots are transparent; passages are dark.
    #[default]
    DarkPassages,
    /// 2019: along its own row and column a player also looks through passage spots. Rock is
    /// never seen (it shows as a blank either way).
    StraightPassages,
}

/// A map with what is seen from each of its gridpoints.
///
/// ```
/// use nuggets_game::{Map, Point, Sight, SightRule};
///
/// let map = Map::parse(b"+----+\n|....##\n+----+\n").unwrap().map;
/// let sight = Sight::new(map, SightRule::DarkPassages);
/// let seen = sight.from(Point::new(1, 1));
/// let sees = |row, col| seen.contains(sight.map().index(Point::new(row, col)));
/// assert!(sees(1, 5), "the mouth of the passage");
/// assert!(!sees(1, 6), "but not beyond");
/// ```
#[derive(Debug)]
pub struct Sight {
    map: Map,
    rule: SightRule,
    reach: Option<u16>,
    kept: Box<[OnceLock<Arc<PointSet>>]>,
    kept_bytes: AtomicUsize,
}

/// What is kept takes at most this much memory; beyond it, sight is found anew each time. All spots
/// of a 21x79 map take less than a hundredth of it.
const KEEP_AT_MOST_BYTES: usize = 64 << 20;

impl Sight {
    /// Sight on this map by this rule. Nothing is computed before somebody looks.
    pub fn new(map: Map, rule: SightRule) -> Self {
        let kept = map.tiles().iter().map(|_| OnceLock::new()).collect();
        Self { map, rule, reach: None, kept, kept_bytes: AtomicUsize::new(0) }
    }

    /// The same as far as this straight distance and no farther; without one, as far as the eye
    /// can see.
    #[must_use]
    pub fn within(self, reach: Option<u16>) -> Self {
        Self { reach, ..Self::new(self.map, self.rule) }
    }

    /// How far one sees, if not as far as the eye can see.
    pub fn reach(&self) -> Option<u16> {
        self.reach
    }

    /// The map.
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// The rule.
    pub fn rule(&self) -> SightRule {
        self.rule
    }

    /// Everything that is seen from a gridpoint, itself included.
    pub fn from(&self, at: Point) -> Arc<PointSet> {
        let place = &self.kept[self.map.index(at)];
        if let Some(seen) = place.get() {
            return Arc::clone(seen);
        }
        let seen = Arc::new(self.look(at));
        let bytes = seen.bytes();
        // Two games may both count one spot: the budget is then a little smaller than it says.
        if self.kept_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes <= KEEP_AT_MOST_BYTES {
            return Arc::clone(place.get_or_init(|| seen));
        }
        self.kept_bytes.fetch_sub(bytes, Ordering::Relaxed);
        seen
    }

    fn look(&self, from: Point) -> PointSet {
        let mut seen = PointSet::empty(self.map.tiles().len());
        sweep::look(&self.map, from, &mut seen);
        if self.rule == SightRule::StraightPassages {
            self.look_along_passages(from, &mut seen);
            self.overlook_rock(&mut seen);
        }
        if let Some(reach) = self.reach {
            self.overlook_far(from, reach, &mut seen);
        }
        seen
    }

    fn overlook_far(&self, from: Point, reach: u16, seen: &mut PointSet) {
        let cols = usize::from(self.map.cols());
        let far = |index: usize| {
            let down = (index / cols).abs_diff(from.row.into()) as u64;
            let right = (index % cols).abs_diff(from.col.into()) as u64;
            down.pow(2) + right.pow(2) > u64::from(reach).pow(2)
        };
        let overlooked: Vec<usize> = seen.iter().filter(|index| far(*index)).collect();
        for index in overlooked {
            seen.remove(index);
        }
    }

    fn look_along_passages(&self, from: Point, seen: &mut PointSet) {
        for way in Direction::STRAIGHT {
            let mut next = from.step(way);
            while let Some(at) = next
                && let Some(tile) = self.map.tile(at)
            {
                seen.insert(self.map.index(at));
                next = at.step(way).filter(|_| tile.is_spot());
            }
        }
    }

    fn overlook_rock(&self, seen: &mut PointSet) {
        for (index, _) in self.map.tiles().iter().enumerate().filter(|(_, t)| **t == Tile::Rock) {
            seen.remove(index);
        }
    }
}

#[cfg(test)]
mod tests;
