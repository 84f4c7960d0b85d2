//! Line of sight, the rule: the field of view from each gridpoint. Only the map counts, occupants never do, so the
//! field of view of a spot is computed once and shared by every player of every game on that map.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use nuggets_protocol::Dialect;

use crate::{Direction, Map, Point, PointSet, Tile};
use plain_room::PlainRoom;

#[cfg(any(test, feature = "oracle"))]
pub(crate) mod line;
mod plain_room;
mod sweep;

/// The tiles that are transparent to a line of sight. The two dialects differ in this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SightRule {
    /// 2021: only room spots are transparent; passages are opaque.
    #[default]
    DarkPassages,
    /// Passage visibility of 2019: along its own row and column a player also sees through passage
    /// spots. Rock is never visible (it shows as a blank either way).
    StraightPassages,
}

impl SightRule {
    /// The rule of the game that a dialect belongs to.
    pub fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::V2021 => Self::DarkPassages,
            Dialect::V2019 => Self::StraightPassages,
        }
    }
}

/// A map with the field of view from each of its gridpoints.
///
/// ```
/// use nuggets_game::{Map, Point, Sight, SightRule};
///
/// let map = Map::parse(b"+----+\n|....##\n+----+\n").unwrap().map;
/// let sight = Sight::new(map, SightRule::DarkPassages);
/// let seen = sight.visible_from(Point::new(1, 1));
/// let sees = |row, col| seen.contains(sight.map().index(Point::new(row, col)));
/// assert!(sees(1, 5), "the first spot of the passage");
/// assert!(!sees(1, 6), "but not beyond");
/// ```
#[derive(Debug)]
pub struct Sight {
    map: Map,
    rule: SightRule,
    reach: Option<u16>,
    cache: Box<[OnceLock<Arc<PointSet>>]>,
    /// The plain rooms found so far, each with the field of view that its spots share.
    rooms: Mutex<Vec<(PlainRoom, Arc<PointSet>)>>,
    cached_bytes: AtomicUsize,
}

/// The byte budget of the cache; beyond it, a field of view is computed each time. All spots of a
/// 21x79 map take less than a hundredth of it.
const MAX_CACHED_BYTES: usize = 64 << 20;

impl Sight {
    /// Visibility on this map by this rule. Each field of view is computed when first asked for.
    pub fn new(map: Map, rule: SightRule) -> Self {
        let cache = map.tiles().iter().map(|_| OnceLock::new()).collect();
        let rooms = Mutex::default();
        Self { map, rule, reach: None, cache, rooms, cached_bytes: AtomicUsize::new(0) }
    }

    /// The same with a limit on the straight-line distance; without one, sight is unlimited.
    #[must_use]
    pub fn within(self, reach: Option<u16>) -> Self {
        Self { reach, ..Self::new(self.map, self.rule) }
    }

    /// The limit on the straight-line distance, if there is one.
    pub fn reach(&self) -> Option<u16> {
        self.reach
    }

    /// The map.
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// The sight rule.
    pub fn rule(&self) -> SightRule {
        self.rule
    }

    /// The field of view from a gridpoint: all that is visible from there, itself included.
    pub fn visible_from(&self, at: Point) -> Arc<PointSet> {
        let cached = &self.cache[self.map.index(at)];
        if let Some(seen) = cached.get() {
            return Arc::clone(seen);
        }
        self.see(at, cached)
    }

    /// Computes the field of view from a gridpoint for the first time, unless the spots of its room share one.
    #[cold]
    fn see(&self, at: Point, cached: &OnceLock<Arc<PointSet>>) -> Arc<PointSet> {
        let known_room = self
            .rooms()
            .iter()
            .find_map(|(room, seen)| room.contains(at).then(|| Arc::clone(seen)));
        if let Some(seen) = known_room {
            return Arc::clone(cached.get_or_init(|| seen));
        }
        let room = match self.reach {
            None => PlainRoom::around(&self.map, self.rule, at),
            Some(_) => None,
        };
        let seen = Arc::new(match &room {
            Some(room) => room.field_of_view(&self.map, self.rule),
            None => self.field_of_view(at),
        });
        let bytes = seen.bytes();
        // Two games may both count one spot; the budget is then a little smaller than stated.
        if self.cached_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes > MAX_CACHED_BYTES {
            self.cached_bytes.fetch_sub(bytes, Ordering::Relaxed);
            return seen;
        }
        self.rooms().extend(room.map(|room| (room, Arc::clone(&seen))));
        Arc::clone(cached.get_or_init(|| seen))
    }

    fn rooms(&self) -> MutexGuard<'_, Vec<(PlainRoom, Arc<PointSet>)>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn field_of_view(&self, from: Point) -> PointSet {
        let mut seen = PointSet::empty(self.map.tiles().len());
        sweep::sweep(&self.map, from, &mut seen);
        if self.rule == SightRule::StraightPassages {
            self.add_passage_visibility_2019(from, &mut seen);
            self.remove_rock(&mut seen);
        }
        if let Some(reach) = self.reach {
            self.remove_beyond_reach(from, reach, &mut seen);
        }
        seen
    }

    fn remove_beyond_reach(&self, from: Point, reach: u16, seen: &mut PointSet) {
        let cols = usize::from(self.map.cols());
        let is_far = |index: usize| {
            let down = (index / cols).abs_diff(from.row.into()) as u64;
            let right = (index % cols).abs_diff(from.col.into()) as u64;
            down.pow(2) + right.pow(2) > u64::from(reach).pow(2)
        };
        let removed: Vec<usize> = seen.iter().filter(|index| is_far(*index)).collect();
        for index in removed {
            seen.remove(index);
        }
    }

    /// The passage visibility of the 2019 dialect: straight along rows and columns, through all spots.
    fn add_passage_visibility_2019(&self, from: Point, seen: &mut PointSet) {
        for direction in Direction::STRAIGHT {
            let mut next = from.step(direction);
            while let Some(at) = next
                && let Some(tile) = self.map.tile(at)
            {
                seen.insert(self.map.index(at));
                next = at.step(direction).filter(|_| tile.is_spot());
            }
        }
    }

    fn remove_rock(&self, seen: &mut PointSet) {
        for (index, _) in self.map.tiles().iter().enumerate().filter(|(_, t)| **t == Tile::Rock) {
            seen.remove(index);
        }
    }
}

#[cfg(test)]
mod tests;
