//! The expected view of one player, computed step by step with our own line of sight; and the keys that lead from one
//! spot to another.

use std::collections::VecDeque;
use std::sync::Arc;

use nuggets_game::{Direction, Point, PointSet, Sight, Tile};

use super::picture::{ShownMap, UNKNOWN};

/// The display that one player must have.
#[derive(Clone, Debug)]
pub(crate) struct ExpectedDisplay {
    sight: Arc<Sight>,
    letter: u8,
    pub(crate) at: Point,
    known: PointSet,
}

impl ExpectedDisplay {
    /// The view of a player that has just joined at this spot.
    pub(crate) fn new(sight: &Arc<Sight>, letter: u8, at: Point) -> Self {
        let known = PointSet::empty(sight.map().tiles().len());
        let mut view = Self { sight: Arc::clone(sight), letter, at, known };
        view.move_to(at);
        view
    }

    /// Moves the player to this spot, by a step or a swap.
    pub(crate) fn move_to(&mut self, at: Point) {
        self.at = at;
        self.known.add_all(&self.sight.visible_from(at));
    }

    /// The spots that a key leads over, in order; none if the key has no effect.
    pub(crate) fn key_path(&self, key: char) -> Vec<Point> {
        key_path(&self.sight, self.at, key)
    }

    /// Returns the display that the player must be sent, given the spectator's view.
    pub(crate) fn expected(&self, snapshot: &ShownMap) -> ShownMap {
        let visible = self.sight.visible_from(self.at);
        let cell = |(index, tile): (usize, &Tile)| match snapshot.cells[index] {
            cell if cell == self.letter => b'@',
            UNKNOWN if visible.contains(index) => tile.as_byte(),
            cell if visible.contains(index) => cell,
            _ if self.known.contains(index) => tile.as_byte(),
            _ => b' ',
        };
        let cells = self.sight.map().tiles().iter().enumerate().map(cell).collect();
        ShownMap { cells, ..snapshot.clone() }
    }
}

/// A walk, and the keys that lead along it.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    pub(crate) from: Point,
    pub(crate) keys: Vec<char>,
    pub(crate) to: Point,
}

/// The spots that a key leads over from a spot, in order: one for a step, all up to an obstacle for
/// a sprint.
pub(crate) fn key_path(sight: &Sight, from: Point, key: char) -> Vec<Point> {
    let step = key.to_ascii_lowercase();
    let direction = Direction::ALL.into_iter().find(|it| char::from(it.key()) == step);
    let Some(direction) = direction else { return vec![] };
    let mut path = vec![];
    let mut at = from;
    while let Some(next) = sight.map().spot_beside(at, direction) {
        path.push(next);
        at = next;
        if key == step {
            break;
        }
    }
    path
}

/// Returns the keys of a shortest walk that avoids occupied spots except the last, found by breadth-first search. It
/// uses only h, j, k and l: they suffice on every map, and other keys have their own checks.
pub(crate) fn find_walk(
    sight: &Sight,
    snapshot: &ShownMap,
    from: Point,
    to: Point,
) -> Option<Vec<char>> {
    let map = sight.map();
    let mut came_from: Vec<Option<(Point, char)>> = vec![None; map.tiles().len()];
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        if at == to {
            break;
        }
        for direction in Direction::STRAIGHT {
            let Some(next) = map.spot_beside(at, direction) else { continue };
            let is_free = next == to || !snapshot.is_occupied(next);
            if is_free && next != from && came_from[map.index(next)].is_none() {
                came_from[map.index(next)] = Some((at, char::from(direction.key())));
                queue.push_back(next);
            }
        }
    }
    let mut keys = vec![];
    let mut at = to;
    while at != from {
        let (before, key) = came_from[map.index(at)]?;
        keys.push(key);
        at = before;
    }
    keys.reverse();
    Some(keys)
}

#[cfg(test)]
mod tests {
    use nuggets_game::{Map, SightRule};

    use super::*;

    const ROOM: &str = "+----+  \n|....###\n+----+  \n";

    fn sight(map: &str) -> Arc<Sight> {
        Arc::new(Sight::new(Map::parse(map.as_bytes()).unwrap().map, SightRule::DarkPassages))
    }

    fn picture(text: &str, size: (u16, u16)) -> ShownMap {
        ShownMap::parse(format!("DISPLAY\n{text}").as_bytes(), size).unwrap()
    }

    #[test]
    fn a_player_sees_what_is_visible_and_remembers_the_rest() {
        let snapshot = |text| picture(text, (3, 8));
        let mut view = ExpectedDisplay::new(&sight(ROOM), b'A', Point::new(1, 1));
        let seen = view.expected(&snapshot("+----+  \n|A.*.###\n+----+  \n"));
        assert_eq!(seen, snapshot("+----+  \n|@.*.#  \n+----+  \n"));
        for at in view.key_path('L') {
            view.move_to(at);
        }
        assert_eq!(view.at, Point::new(1, 7));
        let seen = view.expected(&snapshot("+----+  \n|..*.##A\n+----+  \n"));
        assert_eq!(seen, snapshot("+----+  \n|....##@\n+----+  \n"));
    }

    #[test]
    fn a_walk_avoids_occupied_spots() {
        let sight = sight("+---+\n|...|\n|...|\n+---+\n");
        let snapshot = picture("+---+\n|A*.|\n|...|\n+---+\n", (4, 5));
        let keys = find_walk(&sight, &snapshot, Point::new(1, 1), Point::new(1, 3)).unwrap();
        assert_eq!(keys, ['j', 'l', 'l', 'k']);
        assert_eq!(find_walk(&sight, &snapshot, Point::new(1, 1), Point::new(0, 0)), None);
    }
}
