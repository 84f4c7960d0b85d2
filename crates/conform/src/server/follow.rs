//! What one player must see, followed step by step with our own sight.

use std::sync::Arc;

use nuggets_game::{Direction, Point, PointSet, Sight};

use super::picture::Picture;

/// A player as far as its picture goes.
#[derive(Clone, Debug)]
pub(crate) struct Follow {
    sight: Arc<Sight>,
    letter: u8,
    at: Point,
    known: PointSet,
}

impl Follow {
    /// A player that has just landed there.
    pub(crate) fn new(sight: &Arc<Sight>, letter: char, at: Point) -> Self {
        let known = PointSet::empty(sight.map().tiles().len());
        let letter = u8::try_from(letter).unwrap_or(b'?');
        let mut follow = Self { sight: Arc::clone(sight), letter, at, known };
        follow.goes_to(at);
        follow
    }

    /// It goes to this spot, or is swapped there.
    pub(crate) fn goes_to(&mut self, at: Point) {
        self.at = at;
        self.known.add_all(&self.sight.from(at));
    }

    /// Where it is.
    pub(crate) fn at(&self) -> Point {
        self.at
    }

    /// The spots that a key leads over, the last one last; none if it leads nowhere.
    pub(crate) fn path(&self, key: char) -> Vec<Point> {
        path(&self.sight, self.at, key)
    }

    /// The picture that it must be shown when this is the truth.
    pub(crate) fn expected(&self, truth: &Picture) -> Picture {
        let map = self.sight.map();
        let visible = self.sight.from(self.at);
        let cell = |(index, tile): (usize, &nuggets_game::Tile)| match truth.cells[index] {
            cell if cell == self.letter => b'@',
            cell if visible.contains(index) => cell,
            _ if self.known.contains(index) => tile.as_char(),
            _ => b' ',
        };
        let cells = map.tiles().iter().enumerate().map(cell).collect();
        Picture { rows: truth.rows, cols: truth.cols, cells }
    }
}

/// The spots that a key leads over from a spot.
pub(crate) fn path(sight: &Sight, from: Point, key: char) -> Vec<Point> {
    let small = key.to_ascii_lowercase();
    let ways = Direction::ALL.into_iter();
    let Some(way) = ways.into_iter().find(|way| char::from(way.key()) == small) else {
        return vec![];
    };
    let mut path = vec![];
    let mut at = from;
    while let Some(next) = sight.map().spot_beside(at, way) {
        path.push(next);
        at = next;
        if key == small {
            break;
        }
    }
    path
}

/// The keys of a shortest walk up, down, left and right that steps on nothing that is taken, except
/// where it ends. Every map can be walked so, and it asks for nothing but these four keys.
pub(crate) fn walk(sight: &Sight, truth: &Picture, from: Point, to: Point) -> Option<Vec<char>> {
    let map = sight.map();
    let mut came: Vec<Option<(Point, char)>> = vec![None; map.tiles().len()];
    let mut waiting = std::collections::VecDeque::from([from]);
    while let Some(at) = waiting.pop_front() {
        if at == to {
            return Some(trace(map, &came, from, to));
        }
        for way in Direction::STRAIGHT {
            let Some(next) = map.spot_beside(at, way) else { continue };
            let is_free = next == to || !truth.is_taken(next);
            if is_free && next != from && came[map.index(next)].is_none() {
                came[map.index(next)] = Some((at, char::from(way.key())));
                waiting.push_back(next);
            }
        }
    }
    None
}

fn trace(
    map: &nuggets_game::Map,
    came: &[Option<(Point, char)>],
    from: Point,
    to: Point,
) -> Vec<char> {
    let mut keys = vec![];
    let mut at = to;
    while at != from {
        let Some((before, key)) = came[map.index(at)] else { break };
        keys.push(key);
        at = before;
    }
    keys.reverse();
    keys
}

#[cfg(test)]
mod tests {
    use nuggets_game::{Map, SightRule};

    use super::*;

    const ROOM: &str = "+----+  \n|....###\n+----+  \n";

    fn sight() -> Arc<Sight> {
        Arc::new(Sight::new(Map::parse(ROOM.as_bytes()).unwrap().map, SightRule::DarkPassages))
    }

    fn truth(text: &str) -> Picture {
        Picture::read(format!("DISPLAY\n{text}").as_bytes(), 3, 8).unwrap()
    }

    #[test]
    fn a_player_sees_what_is_visible_and_remembers_the_rest() {
        let mut ann = Follow::new(&sight(), 'A', Point::new(1, 1));
        let seen = ann.expected(&truth("+----+  \n|A.*.###\n+----+  \n"));
        assert_eq!(seen, truth("+----+  \n|@.*.#  \n+----+  \n"));
        for at in ann.path('L') {
            ann.goes_to(at);
        }
        assert_eq!(ann.at(), Point::new(1, 7));
        let seen = ann.expected(&truth("+----+  \n|..*.##A\n+----+  \n"));
        assert_eq!(seen, truth("+----+  \n|....##@\n+----+  \n"));
    }

    #[test]
    fn a_walk_goes_round_what_is_taken() {
        let room = "+---+\n|A*.|\n|...|\n+---+\n";
        let map = Map::parse(b"+---+\n|...|\n|...|\n+---+\n").unwrap().map;
        let sight = Sight::new(map, SightRule::DarkPassages);
        let truth = Picture::read(format!("DISPLAY\n{room}").as_bytes(), 4, 5).unwrap();
        let keys = walk(&sight, &truth, Point::new(1, 1), Point::new(1, 3)).unwrap();
        assert_eq!(keys, ['j', 'l', 'l', 'k']);
        assert_eq!(walk(&sight, &truth, Point::new(1, 1), Point::new(0, 0)), None);
    }
}
