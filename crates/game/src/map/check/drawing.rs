//! The rules of drawing: rooms, passages and boundaries as the specification demands. Every violation
//! has a place and a kind, and a place has at most one violation.
//!
//! The room spots alone determine where a boundary must stand and of which kind: see `needed`. So a
//! violation is reported at the gridpoint that must change, not at its neighbours. A map with
//! violations can be played: parsing never fails because of them.

use std::collections::BTreeSet;

use thiserror::Error;

use super::{MapRule, reachability};
use crate::{Direction, Map, Point, PointSet, Tile};

/// A violation of a rule of drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{at}: {kind}")]
pub struct Violation {
    /// The gridpoint that must change.
    pub at: Point,
    /// The kind of the violation.
    pub kind: ViolationKind,
}

/// The kinds of violations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ViolationKind {
    /// Rock beside a room spot, or a room spot at the edge of the map.
    #[error("the room is open here: a boundary must go all the way around it")]
    OpenRoom,
    /// A boundary that ends in the middle of a room, or that lies across its own direction.
    #[error("the boundary breaks off here: it must go on, or meet another one at a corner '+'")]
    BrokenBoundary,
    /// A `.` in a boundary.
    #[error("a room spot stands in the boundary here")]
    SpotInBoundary,
    /// A corner of a room that is not a `+`.
    #[error("a corner of a room must be '+'")]
    CornerMissing,
    /// A `+` in a straight boundary.
    #[error("there is no corner here: the boundary goes straight on")]
    NeedlessCorner,
    /// A boundary with no room beside it.
    #[error("this boundary belongs to no room")]
    StrayBoundary,
    /// Passage spots two by two, or two entrances side by side.
    #[error("the passage is wider than one spot")]
    WidePassage,
    /// A passage that enters a room other than through a straight boundary.
    #[error("a passage may enter a room only through a straight boundary")]
    BadDoor,
    /// A spot that can't be reached from most others.
    #[error("this spot can't be reached from the rest: all spots must be connected")]
    CutOff,
}

impl ViolationKind {
    /// The rule that is broken.
    pub fn rule(self) -> MapRule {
        match self {
            Self::OpenRoom | Self::BrokenBoundary | Self::SpotInBoundary => MapRule::ClosedRooms,
            Self::CornerMissing | Self::NeedlessCorner => MapRule::Corners,
            Self::StrayBoundary => MapRule::NoStrayLines,
            Self::WidePassage => MapRule::NarrowPassages,
            Self::BadDoor => MapRule::Doors,
            Self::CutOff => MapRule::Connected,
        }
    }
}

/// Every violation of the rules of drawing on this map, from the top down. Of several spots that are
/// cut off together only the first is listed.
pub fn violations(map: &Map) -> Vec<Violation> {
    certain_violations(map, &PointSet::empty(map.tiles().len()))
}

/// The same for a map with unknown gridpoints: the violations that remain whichever tiles those hold.
/// Unknown gridpoints cut nothing off.
pub(super) fn certain_violations(map: &Map, unknown: &PointSet) -> Vec<Violation> {
    let mut found = map.local_violations();
    if !unknown.is_empty() {
        for tile in Tile::ALL {
            let with_tile = map.with_all(unknown, tile).local_violations();
            let places: BTreeSet<Point> = with_tile.iter().map(|violation| violation.at).collect();
            found.retain(|violation| places.contains(&violation.at));
        }
        found.retain(|violation| !unknown.contains(map.index(violation.at)));
    }
    let mut cut_off = reachability::cut_off(map, unknown);
    // A single spot that already has a violation need not be connected.
    let mut broken = PointSet::empty(map.tiles().len());
    for violation in &found {
        broken.insert(map.index(violation.at));
    }
    cut_off.retain(|(at, size)| *size > 1 || !broken.contains(map.index(*at)));
    let cut_off = cut_off.into_iter();
    found.extend(cut_off.map(|(at, _)| Violation { at, kind: ViolationKind::CutOff }));
    found.sort_by_key(|violation| violation.at);
    found
}

impl Map {
    /// This map with the same tile at all these gridpoints.
    fn with_all(&self, places: &PointSet, tile: Tile) -> Self {
        let mut map = self.clone();
        places.iter().for_each(|index| map.tiles[index] = tile);
        map
    }

    /// Violations that a gridpoint and its neighbours show. None is reported next to a misplaced tile,
    /// which makes its neighbours look wrong.
    fn local_violations(&self) -> Vec<Violation> {
        let mut misplaced = PointSet::empty(self.tiles().len());
        let found = self.points().filter(|at| self.is_misplaced(*at));
        found.for_each(|at| misplaced.insert(self.index(at)));
        let is_affected = |at| self.around(at).any(|near| misplaced.contains(self.index(near)));
        let reported =
            self.points().filter(|at| misplaced.contains(self.index(*at)) || !is_affected(*at));
        reported.filter_map(|at| Some(Violation { at, kind: self.violation_at(at)? })).collect()
    }

    fn violation_at(&self, at: Point) -> Option<ViolationKind> {
        match (self.tile(at)?, self.needed(at)) {
            (Tile::Room, _) if self.is_misplaced(at) => Some(ViolationKind::SpotInBoundary),
            (Tile::Room, _) => self.is_at_edge(at).then_some(ViolationKind::OpenRoom),
            (Tile::Rock, None) => None,
            (Tile::Rock, Some(_)) => Some(ViolationKind::OpenRoom),
            (Tile::Passage, Some(Tile::Corner)) => Some(ViolationKind::BadDoor),
            (Tile::Passage, door) => self.is_wide(at, door).then_some(ViolationKind::WidePassage),
            (_, None) => Some(ViolationKind::StrayBoundary),
            (_, Some(Tile::Corner)) if self.is_end(at) => Some(ViolationKind::BrokenBoundary),
            (drawn, Some(needed)) if drawn == needed => None,
            (_, Some(Tile::Corner)) => Some(ViolationKind::CornerMissing),
            (Tile::Corner, _) => Some(ViolationKind::NeedlessCorner),
            _ => Some(ViolationKind::BrokenBoundary),
        }
    }

    /// The boundary tile that the room spots around a gridpoint require there.
    pub(in crate::map) fn needed(&self, at: Point) -> Option<Tile> {
        use Direction::{Down, Left, Right, Up};
        let room = |direction| self.beside(at, direction) == Tile::Room;
        // A corner protrudes into the room, or the room ends in it.
        let corner = CORNERS.into_iter().any(|(across, along, diagonal)| {
            room(across) && room(along) || !room(across) && !room(along) && room(diagonal)
        });
        if corner {
            return Some(Tile::Corner);
        }
        let vertical = (room(Left) || room(Right)).then_some(Tile::Vertical);
        vertical.or((room(Up) || room(Down)).then_some(Tile::Horizontal))
    }

    /// True for a room spot in a boundary, and for anything else inside a room.
    fn is_misplaced(&self, at: Point) -> bool {
        match self.tile(at) {
            Some(Tile::Room) => self.boundary_through(at).is_some(),
            _ => self.is_inside(at),
        }
    }

    /// The boundary that a room spot interrupts, if it does.
    pub(super) fn boundary_through(&self, at: Point) -> Option<Tile> {
        use Direction::{Down, Left, Right, Up};
        let passes = |directions: [Direction; 2], straight: Tile| {
            let sides = directions.map(|direction| self.beside(at, direction));
            sides.contains(&straight)
                && sides.iter().all(|side| [straight, Tile::Corner].contains(side))
        };
        let vertical = passes([Up, Down], Tile::Vertical).then_some(Tile::Vertical);
        let horizontal = passes([Left, Right], Tile::Horizontal).then_some(Tile::Horizontal);
        vertical.or(horizontal)
    }

    /// True if three or four of the straight neighbours are room spots.
    pub(super) fn is_inside(&self, at: Point) -> bool {
        let directions = Direction::STRAIGHT.into_iter();
        directions.filter(|d| self.beside(at, *d) == Tile::Room).count() >= 3
    }

    fn is_at_edge(&self, at: Point) -> bool {
        let last_row = self.rows() - 1;
        let last_col = self.cols() - 1;
        at.row == 0 || at.col == 0 || at.row == last_row || at.col == last_col
    }

    /// True where a boundary inside a room ends without meeting another.
    fn is_end(&self, at: Point) -> bool {
        use Direction::{Down, Left, Right, Up};
        let room = |direction| self.beside(at, direction) == Tile::Room;
        room(Left) && room(Right) || room(Up) && room(Down)
    }

    /// True at the upper left of two by two passage spots, and at the first of two entrances side by
    /// side. `door` is the boundary that the passage spot stands in, if any.
    fn is_wide(&self, at: Point, door: Option<Tile>) -> bool {
        use Direction::{Down, DownRight, Right};
        let passage = |direction| self.beside(at, direction) == Tile::Passage;
        let along = if door == Some(Tile::Vertical) { Down } else { Right };
        let next_needs = at.step(along).and_then(|next| self.needed(next));
        let twin = door.is_some() && passage(along) && next_needs == door;
        twin || [Right, Down, DownRight].into_iter().all(passage)
    }

    /// The neighbouring tile; beyond the edge there is rock.
    pub(in crate::map) fn beside(&self, at: Point, direction: Direction) -> Tile {
        at.step(direction).and_then(|next| self.tile(next)).unwrap_or(Tile::Rock)
    }

    /// The neighbours of a gridpoint.
    fn around(&self, at: Point) -> impl Iterator<Item = Point> {
        let near = Direction::ALL.into_iter().filter_map(move |direction| at.step(direction));
        near.filter(|near| self.tile(*near).is_some())
    }
}

/// The two straight directions beside each diagonal, and the diagonal.
const CORNERS: [(Direction, Direction, Direction); 4] = [
    (Direction::Left, Direction::Up, Direction::UpLeft),
    (Direction::Right, Direction::Up, Direction::UpRight),
    (Direction::Left, Direction::Down, Direction::DownLeft),
    (Direction::Right, Direction::Down, Direction::DownRight),
];

#[cfg(test)]
mod tests;
