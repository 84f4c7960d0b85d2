//! Passages: they connect all rooms first, then some rooms twice, so that there are detours, and some
//! are dead ends.

use super::area::Area;
use super::draft::{Draft, RoomId};
use super::route::{self, PassageRequest};
use crate::{Direction, Point, PointSet, Rng, Tile};

/// The maximum length of a second passage between two rooms.
const MAX_DETOUR: usize = 45;
/// It is dug only if the path without it is longer than this factor times its length plus these steps.
const WORTH_FACTOR: usize = 2;
const WORTH_STEPS: usize = 9;
const MIN_DEAD_END: usize = 4;

/// Digs all passages of a draft whose rooms lie on these plots.
pub(super) fn dig(draft: &mut Draft, plots: &[Area], rng: &mut Rng) {
    let pairs = pairs_by_distance(plots, rng);
    let mut digger = Digger { draft, plots, rng };
    digger.join_all(&pairs);
    let near = &pairs[..pairs.len().min(3 * plots.len())];
    digger.dig_loops(near, plots.len() / 2);
    digger.dig_forks(plots.len() / 4 + 1);
    digger.dig_dead_ends(plots.len() / 6 + 1);
}

/// All pairs of rooms sorted by distance, with some randomness.
fn pairs_by_distance(plots: &[Area], rng: &mut Rng) -> Vec<(RoomId, RoomId)> {
    let mut pairs = Vec::with_capacity(plots.len() * plots.len() / 2);
    for (two, plot) in plots.iter().enumerate() {
        for (one, other) in plots[..two].iter().enumerate() {
            pairs.push((plot.distance(other) + rng.index(5), one, two));
        }
    }
    pairs.sort_unstable();
    pairs.into_iter().map(|(_, one, two)| (one, two)).collect()
}

struct Digger<'a> {
    draft: &'a mut Draft,
    plots: &'a [Area],
    rng: &'a mut Rng,
}

impl Digger<'_> {
    /// Connects all rooms, as far as there are routes.
    fn join_all(&mut self, pairs: &[(RoomId, RoomId)]) {
        let mut group: Vec<RoomId> = (0..self.plots.len()).collect();
        for &(one, two) in pairs {
            let mine = group[one];
            let theirs = group[two];
            if mine != theirs {
                let within = self.around(one, two, 4);
                let is_in =
                    |at: Point, wanted| self.draft.room(at).map(|room| group[room]) == Some(wanted);
                let from = |at| is_in(at, mine);
                let to = |at| is_in(at, theirs);
                if let Some(path) =
                    route::find(self.draft, &PassageRequest { from: &from, to: &to, within })
                {
                    self.draft.dig(path, one);
                    group.iter_mut().filter(|it| **it == theirs).for_each(|it| *it = mine);
                }
            }
        }
    }

    /// Digs passages from room to room that touch no other.
    fn dig_loops(&mut self, pairs: &[(RoomId, RoomId)], mut wanted: usize) {
        for &(one, two) in pairs {
            if wanted > 0 && self.rng.once_in(2) {
                let from = |at| self.is_floor_of(one, at);
                let path = self.find_detour(&from, two, self.around(one, two, 4));
                wanted -= usize::from(path.is_some());
                self.draft.dig(path.unwrap_or_default(), one);
            }
        }
    }

    /// Digs forks of passages to another door of a room.
    fn dig_forks(&mut self, wanted: usize) {
        for _ in 0..2 * wanted {
            let room = self.rng.index(self.plots.len());
            let from = |at| self.is_fork(at);
            let path = self.find_detour(&from, room, self.around(room, room, 9));
            self.draft.dig(path.unwrap_or_default(), room);
        }
    }

    fn find_detour(
        &self,
        from: &dyn Fn(Point) -> bool,
        room: RoomId,
        within: Area,
    ) -> Option<Vec<Point>> {
        let to = |at| self.is_floor_of(room, at);
        let path = route::find(self.draft, &PassageRequest { from, to: &to, within });
        path.filter(|path| path.len() <= MAX_DETOUR && self.saves_steps(path))
    }

    /// True if this path is much shorter than any existing one between its ends.
    fn saves_steps(&self, path: &[Point]) -> bool {
        let beside = |end: Option<&Point>| end.map_or(vec![], |end| self.spots_beside(*end));
        let (mut ring, goals) = (beside(path.first()), beside(path.last()));
        let mut met = PointSet::empty(self.draft.map.tiles().len());
        for _ in 0..WORTH_FACTOR * path.len() + WORTH_STEPS {
            if ring.iter().any(|at| goals.contains(at)) {
                return false;
            }
            let next = ring.iter().flat_map(|&at| self.spots_beside(at));
            let mut is_new = |at: &Point| {
                let index = self.draft.map.index(*at);
                let is_new = !met.contains(index);
                met.insert(index);
                is_new
            };
            ring = next.filter(|at| is_new(at)).collect();
        }
        true
    }

    fn spots_beside(&self, at: Point) -> Vec<Point> {
        let straight = Direction::STRAIGHT.into_iter();
        straight.filter_map(|direction| self.draft.map.spot_beside(at, direction)).collect()
    }

    fn dig_dead_ends(&mut self, wanted: usize) {
        for _ in 0..wanted {
            let passages: Vec<Point> =
                self.draft.map.points().filter(|at| self.is_fork(*at)).collect();
            if passages.is_empty() {
                return;
            }
            let start = passages[self.rng.index(passages.len())];
            let path = self.wander(start);
            if path.len() >= MIN_DEAD_END {
                let room = self.draft.room(start).unwrap_or(0);
                self.draft.dig(path, room);
            }
        }
    }

    /// A random path through rock that bends now and then and touches nothing.
    fn wander(&mut self, start: Point) -> Vec<Point> {
        let mut at = start;
        let mut path = Vec::new();
        let mut direction = Direction::STRAIGHT[self.rng.index(4)];
        for _ in 0..self.rng.between(5, 14) {
            let turn = self.rng.once_in(4);
            let mut sides = Direction::STRAIGHT.into_iter().filter(|side| turns(direction, *side));
            let side = sides.nth(self.rng.index(2));
            let directions = if turn { [side, Some(direction)] } else { [Some(direction), side] };
            let free = |direction: &Direction| {
                self.draft.step(at, *direction).is_some_and(|next| self.is_free(next, at, &path))
            };
            let Some(next) = directions.into_iter().flatten().find(free) else { break };
            direction = next;
            at = self.draft.step(at, direction).unwrap_or(at);
            path.push(at);
        }
        path
    }

    /// True for rock with no passage beside it but the gridpoint that it is reached from.
    fn is_free(&self, at: Point, from: Point, path: &[Point]) -> bool {
        let beside =
            Direction::STRAIGHT.into_iter().filter_map(|direction| self.draft.step(at, direction));
        let mut others = beside.filter(|next| *next != from);
        self.draft.tile(at) == Tile::Rock
            && others.all(|next| self.draft.tile(next) != Tile::Passage && !path.contains(&next))
    }

    fn is_floor_of(&self, room: RoomId, at: Point) -> bool {
        self.draft.tile(at) == Tile::Room && self.draft.room(at) == Some(room)
    }

    /// True if a passage can fork here: not in a door.
    fn is_fork(&self, at: Point) -> bool {
        let is_room = |direction| self.draft.map.beside(at, direction) == Tile::Room;
        self.draft.tile(at) == Tile::Passage && !Direction::STRAIGHT.into_iter().any(is_room)
    }

    fn around(&self, one: RoomId, two: RoomId, more: usize) -> Area {
        let (rows, cols) = (self.draft.map.rows().into(), self.draft.map.cols().into());
        self.plots[one].around(&self.plots[two], more, rows, cols)
    }
}

/// True if the two directions are at right angles.
fn turns(direction: Direction, side: Direction) -> bool {
    direction.offset().0 == 0 && side.offset().0 != 0
        || direction.offset().1 == 0 && side.offset().1 != 0
}
