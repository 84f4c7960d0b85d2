//! Is a map drawn as the seeds demand? Every fault has a place and a name.
//!
//! A map with faults can be played: reading it never fails because of them. All rules here are
//! local (a gridpoint and its neighbours) except that the map hangs together.

use thiserror::Error;

use super::{Map, Tile};
use crate::{Direction, Point, PointSet};

/// A rule that a map breaks, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{at}: {kind}")]
pub struct Fault {
    /// Where.
    pub at: Point,
    /// What.
    pub kind: FaultKind,
}

/// What can be wrong with a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FaultKind {
    /// A room spot next to rock or to the edge of the map.
    #[error("the room is open here: a boundary must go all the way around it")]
    OpenRoom,
    /// A boundary that ends, or runs into another without a corner.
    #[error("the boundary breaks off here: it must go on, or meet another one at a corner '+'")]
    BrokenBoundary,
    /// A corner of a room that is no `+`.
    #[error("a corner of a room must be '+'")]
    CornerMissing,
    /// A boundary with no room beside it.
    #[error("this boundary belongs to no room")]
    StrayBoundary,
    /// Passage spots two by two.
    #[error("the passage is wider than one spot")]
    WidePassage,
    /// A passage that enters a room other than through a straight boundary.
    #[error("a passage may enter a room only through a straight boundary")]
    BadDoor,
    /// A spot that can't be reached from the first one.
    #[error("this spot can't be reached from the first room: the map must hang together")]
    CutOff,
}

impl Map {
    /// Everything in which this map breaks the rules of the seeds, from the top down. Of several
    /// spots that are cut off together only the first is listed.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults: Vec<Fault> =
            self.points().filter_map(|at| Some(Fault { at, kind: self.fault_at(at)? })).collect();
        let cut_off = self.cut_off().into_iter();
        faults.extend(cut_off.map(|at| Fault { at, kind: FaultKind::CutOff }));
        faults.sort_by_key(|fault| fault.at);
        faults
    }

    fn fault_at(&self, at: Point) -> Option<FaultKind> {
        match self.tile(at)? {
            Tile::Rock => None,
            Tile::Room => self.room_fault(at),
            Tile::Passage => self.passage_fault(at),
            Tile::Horizontal | Tile::Vertical | Tile::Corner => self.wall_fault(at),
        }
    }

    fn room_fault(&self, at: Point) -> Option<FaultKind> {
        if Direction::ALL.into_iter().any(|way| self.beside(at, way) == Tile::Rock) {
            return Some(FaultKind::OpenRoom);
        }
        let bad_corner = CORNERS.into_iter().any(|(across, along, diagonal)| {
            let sides = [self.beside(at, across), self.beside(at, along)];
            let tip = self.beside(at, diagonal);
            let closed = sides.iter().all(|side| *side != Tile::Room);
            let open = sides.iter().all(|side| *side == Tile::Room);
            tip != Tile::Corner && (closed || open && tip != Tile::Room)
        });
        bad_corner.then_some(FaultKind::CornerMissing)
    }

    fn passage_fault(&self, at: Point) -> Option<FaultKind> {
        use Direction::{Down, DownRight, Left, Right, Up};
        if [Right, Down, DownRight].into_iter().all(|way| self.beside(at, way) == Tile::Passage) {
            return Some(FaultKind::WidePassage);
        }
        let door = |room: [Direction; 2], wall: [Direction; 2], straight: Tile| {
            room.into_iter().any(|way| self.beside(at, way) == Tile::Room)
                && !wall
                    .into_iter()
                    .all(|way| [straight, Tile::Corner].contains(&self.beside(at, way)))
        };
        let bad = door([Left, Right], [Up, Down], Tile::Vertical)
            || door([Up, Down], [Left, Right], Tile::Horizontal);
        bad.then_some(FaultKind::BadDoor)
    }

    fn wall_fault(&self, at: Point) -> Option<FaultKind> {
        use Direction::{Down, Left, Right, Up};
        let goes_on = |way: Direction, straight: Tile| {
            [straight, Tile::Corner, Tile::Passage].contains(&self.beside(at, way))
        };
        let across = |way: Direction| goes_on(way, Tile::Horizontal);
        let along = |way: Direction| goes_on(way, Tile::Vertical);
        let whole = match self.tile(at)? {
            Tile::Horizontal => {
                across(Left)
                    && across(Right)
                    && [Up, Down].into_iter().all(|way| self.beside(at, way) != Tile::Vertical)
            }
            Tile::Vertical => {
                along(Up)
                    && along(Down)
                    && [Left, Right].into_iter().all(|way| self.beside(at, way) != Tile::Horizontal)
            }
            _ => (across(Left) || across(Right)) && (along(Up) || along(Down)),
        };
        if !whole {
            return Some(FaultKind::BrokenBoundary);
        }
        let stray = Direction::ALL.into_iter().all(|way| self.beside(at, way) != Tile::Room);
        stray.then_some(FaultKind::StrayBoundary)
    }

    /// The first spot of every part that can't be reached from the first room spot.
    fn cut_off(&self) -> Vec<Point> {
        let mut reached = PointSet::empty(self.tiles().len());
        let first_room = self.room_spots().into_iter().next();
        let mut starts: Vec<Point> = first_room.into_iter().chain(self.spots()).collect();
        starts.retain(|&start| self.flood(start, &mut reached));
        starts.into_iter().skip(1).collect()
    }

    /// Marks everything that can be reached by straight steps; false if `start` was reached before.
    fn flood(&self, start: Point, reached: &mut PointSet) -> bool {
        let mut frontier = vec![start];
        let is_new = !reached.contains(self.index(start));
        while let Some(at) = frontier.pop() {
            if !reached.contains(self.index(at)) {
                reached.insert(self.index(at));
                let next = Direction::STRAIGHT.into_iter();
                frontier.extend(next.filter_map(|way| self.spot_beside(at, way)));
            }
        }
        is_new
    }

    /// Beyond the edge there is rock.
    fn beside(&self, at: Point, way: Direction) -> Tile {
        at.step(way).and_then(|next| self.tile(next)).unwrap_or(Tile::Rock)
    }
}

/// The two straight ways beside each diagonal, and the diagonal.
const CORNERS: [(Direction, Direction, Direction); 4] = [
    (Direction::Left, Direction::Up, Direction::UpLeft),
    (Direction::Right, Direction::Up, Direction::UpRight),
    (Direction::Left, Direction::Down, Direction::DownLeft),
    (Direction::Right, Direction::Down, Direction::DownRight),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(drawn: &str) -> Vec<(u16, u16, FaultKind)> {
        let map = Map::parse(drawn.as_bytes()).unwrap().map;
        map.faults().into_iter().map(|f| (f.at.row, f.at.col, f.kind)).collect()
    }

    #[test]
    fn rooms_with_passages_holes_and_shared_walls_are_right() {
        let drawn = "
+-----+---+
|.....#...|
|.+-+.|.+-+
|.| |.|.|
|.+-+.|.|  ###
|.....|.|  # #
+-#---+.####
  #   +-+
  ##";
        assert_eq!(faults(drawn), []);
    }

    #[test]
    fn a_room_must_be_closed() {
        assert_eq!(
            faults("+--\n|..\n+--\n"),
            [
                (0, 2, FaultKind::BrokenBoundary),
                (1, 2, FaultKind::OpenRoom),
                (2, 2, FaultKind::BrokenBoundary),
            ]
        );
        assert_eq!(faults(".\n"), [(0, 0, FaultKind::OpenRoom)]);
    }

    #[test]
    fn boundaries_meet_at_a_corner() {
        let found = faults("---+\n|..|\n+--+\n");
        assert!(found.contains(&(0, 0, FaultKind::BrokenBoundary)), "{found:?}");
        assert!(found.contains(&(1, 1, FaultKind::CornerMissing)), "{found:?}");
    }

    #[test]
    fn the_tip_of_an_inner_corner_is_a_corner_too() {
        let found = faults("+---+\n|...|\n|.--+\n|.|\n+-+\n");
        assert!(found.contains(&(1, 1, FaultKind::CornerMissing)), "{found:?}");
    }

    #[test]
    fn a_passage_never_meets_a_room_at_a_corner() {
        let found = faults("+--##\n|..|\n+--+\n");
        assert!(found.contains(&(1, 2, FaultKind::CornerMissing)), "{found:?}");
    }

    #[test]
    fn a_passage_enters_through_a_straight_boundary_one_spot_wide() {
        let found = faults("+--+\n|..##\n|..##\n+--+\n");
        assert_eq!(found, [(1, 3, FaultKind::WidePassage), (2, 3, FaultKind::BadDoor),]);
    }

    #[test]
    fn boundaries_belong_to_rooms() {
        assert_eq!(
            faults("+-+\n|.|\n+-+\n   \n+++\n+++\n").first(),
            Some(&(4, 0, FaultKind::StrayBoundary))
        );
    }

    #[test]
    fn the_map_hangs_together_by_straight_steps() {
        let drawn = "
#+--+ +-+
 |..| |.|
 +--+ +-+";
        assert_eq!(faults(drawn), [(1, 0, FaultKind::CutOff), (2, 7, FaultKind::CutOff)]);
    }

    #[test]
    fn a_fault_says_where_and_what() {
        let map = Map::parse(b"##\n##\n").unwrap().map;
        let text: Vec<String> = map.faults().iter().map(Fault::to_string).collect();
        assert_eq!(text, ["line 1, column 1: the passage is wider than one spot"]);
    }
}
