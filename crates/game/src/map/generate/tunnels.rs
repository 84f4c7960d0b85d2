//! Which rooms are joined: first all of them, then some twice, so that there is always another way
//! out; and now and then a passage that leads nowhere.

use super::area::Area;
use super::draft::{Draft, RoomId};
use super::route::{self, Wish};
use crate::{Chance, Direction, Tile};

/// A second way between two rooms is no longer than this.
const LONGEST_DETOUR: usize = 45;
/// It is dug only if the way was so many times as long, and so many steps more.
const WORTH_FACTOR: usize = 2;
const WORTH_STEPS: usize = 9;
const LEAST_DEAD_END: usize = 4;

/// Digs all passages of a draft whose rooms lie on these plots.
pub(super) fn dig(draft: &mut Draft, plots: &[Area], chance: &mut Chance) {
    let pairs = pairs_by_distance(plots, chance);
    let mut digger = Digger { draft, plots, chance };
    digger.join_all(&pairs);
    let near = &pairs[..pairs.len().min(3 * plots.len())];
    digger.dig_loops(near, plots.len() / 2);
    digger.dig_forks(plots.len() / 4 + 1);
    digger.dig_dead_ends(plots.len() / 6 + 1);
}

/// All pairs of rooms, near ones first, more or less.
fn pairs_by_distance(plots: &[Area], chance: &mut Chance) -> Vec<(RoomId, RoomId)> {
    let mut pairs = Vec::with_capacity(plots.len() * plots.len() / 2);
    for (two, plot) in plots.iter().enumerate() {
        for (one, other) in plots[..two].iter().enumerate() {
            pairs.push((plot.distance(other) + chance.index(5), one, two));
        }
    }
    pairs.sort_unstable();
    pairs.into_iter().map(|(_, one, two)| (one, two)).collect()
}

struct Digger<'a> {
    draft: &'a mut Draft,
    plots: &'a [Area],
    chance: &'a mut Chance,
}

impl Digger<'_> {
    /// Joins rooms until they hang together, as far as there is a way.
    fn join_all(&mut self, pairs: &[(RoomId, RoomId)]) {
        let mut group: Vec<RoomId> = (0..self.plots.len()).collect();
        for &(one, two) in pairs {
            let (mine, theirs) = (group[one], group[two]);
            if mine != theirs {
                let within = self.around(one, two, 4);
                let is_in =
                    |at: usize, wanted| self.draft.room(at).map(|room| group[room]) == Some(wanted);
                let (from, to) = (|at| is_in(at, mine), |at| is_in(at, theirs));
                if let Some(path) = route::find(self.draft, &Wish { from: &from, to: &to, within })
                {
                    self.draft.dig(&path, one);
                    group.iter_mut().filter(|it| **it == theirs).for_each(|it| *it = mine);
                }
            }
        }
    }

    /// Passages from room to room that touch no other.
    fn dig_loops(&mut self, pairs: &[(RoomId, RoomId)], mut wanted: usize) {
        for &(one, two) in pairs {
            if wanted > 0 && self.chance.once_in(2) {
                let from = |at| self.is_floor_of(one, at);
                let path = self.find_detour(&from, two, self.around(one, two, 4));
                wanted -= usize::from(path.is_some());
                self.draft.dig(&path.unwrap_or_default(), one);
            }
        }
    }

    /// Forks of passages into another door of a room.
    fn dig_forks(&mut self, wanted: usize) {
        for _ in 0..2 * wanted {
            let room = self.chance.index(self.plots.len());
            let from = |at| self.is_fork(at);
            let path = self.find_detour(&from, room, self.around(room, room, 9));
            self.draft.dig(&path.unwrap_or_default(), room);
        }
    }

    fn find_detour(
        &self,
        from: &dyn Fn(usize) -> bool,
        room: RoomId,
        within: Area,
    ) -> Option<Vec<usize>> {
        let to = |at| self.is_floor_of(room, at);
        let path = route::find(self.draft, &Wish { from, to: &to, within });
        path.filter(|path| path.len() <= LONGEST_DETOUR && self.saves_steps(path))
    }

    /// Is the way along this path much shorter than any that there is?
    fn saves_steps(&self, path: &[usize]) -> bool {
        let ends = [path.first(), path.last()].map(|end| self.spots_beside(*end.unwrap_or(&0)));
        let [mut ring, goals] = ends;
        let mut met = vec![false; self.draft.len()];
        for _ in 0..WORTH_FACTOR * path.len() + WORTH_STEPS {
            if ring.iter().any(|at| goals.contains(at)) {
                return false;
            }
            let next = ring.iter().flat_map(|&at| self.spots_beside(at));
            ring = next.filter(|&at| !std::mem::replace(&mut met[at], true)).collect();
        }
        true
    }

    fn spots_beside(&self, at: usize) -> Vec<usize> {
        let beside = Direction::STRAIGHT.into_iter().filter_map(|way| self.draft.step(at, way));
        beside.filter(|&next| self.draft.tile(next).is_spot()).collect()
    }

    fn dig_dead_ends(&mut self, wanted: usize) {
        for _ in 0..wanted {
            let passages: Vec<usize> =
                (0..self.draft.len()).filter(|&at| self.is_fork(at)).collect();
            if passages.is_empty() {
                return;
            }
            let start = passages[self.chance.index(passages.len())];
            let path = self.wander(start);
            if path.len() >= LEAST_DEAD_END {
                let room = self.draft.room(start).unwrap_or(0);
                self.draft.dig(&path, room);
            }
        }
    }

    /// Goes straight on through rock, bends once in a while, and stops short of everything.
    fn wander(&mut self, start: usize) -> Vec<usize> {
        let (mut at, mut path) = (start, Vec::new());
        let mut way = Direction::STRAIGHT[self.chance.index(4)];
        for _ in 0..self.chance.between(5, 14) {
            let turn = self.chance.once_in(4);
            let mut sides = Direction::STRAIGHT.into_iter().filter(|side| turns(way, *side));
            let side = sides.nth(self.chance.index(2));
            let ways = if turn { [side, Some(way)] } else { [Some(way), side] };
            let free = |way: &Direction| {
                self.draft.step(at, *way).is_some_and(|next| self.is_free(next, at, &path))
            };
            let Some(next) = ways.into_iter().flatten().find(free) else { break };
            way = next;
            at = self.draft.step(at, way).unwrap_or(at);
            path.push(at);
        }
        path
    }

    /// Rock with nothing beside it but the gridpoint it is reached from.
    fn is_free(&self, at: usize, from: usize, path: &[usize]) -> bool {
        let beside = Direction::STRAIGHT.into_iter().filter_map(|way| self.draft.step(at, way));
        let mut others = beside.filter(|next| *next != from);
        self.draft.tile(at) == Tile::Rock
            && others.all(|next| self.draft.tile(next) != Tile::Passage && !path.contains(&next))
    }

    fn is_floor_of(&self, room: RoomId, at: usize) -> bool {
        self.draft.tile(at) == Tile::Room && self.draft.room(at) == Some(room)
    }

    /// Can a passage fork here? Not in a door.
    fn is_fork(&self, at: usize) -> bool {
        let is_room = |way| self.draft.beside(at, way) == Tile::Room;
        self.draft.tile(at) == Tile::Passage && !Direction::STRAIGHT.into_iter().any(is_room)
    }

    fn around(&self, one: RoomId, two: RoomId, more: usize) -> Area {
        self.plots[one].around(&self.plots[two], more, self.draft.rows(), self.draft.cols())
    }
}

/// Is one way across the other?
fn turns(way: Direction, side: Direction) -> bool {
    way.offset().0 == 0 && side.offset().0 != 0 || way.offset().1 == 0 && side.offset().1 != 0
}
