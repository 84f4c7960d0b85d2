//! Are rooms, passages and boundaries drawn as the seeds demand? Every fault has a place and a
//! name, and a place has one fault.
//!
//! The room spots alone say where a boundary must stand and of which kind: see `needed`. So a rule
//! is broken at the gridpoint that must change, and its neighbours stay out of it. A map with
//! faults can be played: reading it never fails because of them.

use std::collections::HashSet;

use thiserror::Error;

use super::MapRule;
use crate::{Direction, Map, Point, PointSet, Tile};

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
    /// Rock beside a room spot, or a room spot at the edge of the map.
    #[error("the room is open here: a boundary must go all the way around it")]
    OpenRoom,
    /// A boundary that ends in the middle of a room, or that lies across its own direction.
    #[error("the boundary breaks off here: it must go on, or meet another one at a corner '+'")]
    BrokenBoundary,
    /// A `.` in the midst of a boundary.
    #[error("a room spot stands in the boundary here")]
    SpotInBoundary,
    /// A corner of a room that is no `+`.
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
    #[error("this spot can't be reached from the rest: the map must hang together")]
    CutOff,
}

impl FaultKind {
    /// The rule that it breaks.
    pub fn rule(self) -> MapRule {
        match self {
            Self::OpenRoom | Self::BrokenBoundary | Self::SpotInBoundary => MapRule::ClosedRooms,
            Self::CornerMissing | Self::NeedlessCorner => MapRule::Corners,
            Self::StrayBoundary => MapRule::NoStrayLines,
            Self::WidePassage => MapRule::NarrowPassages,
            Self::BadDoor => MapRule::Doors,
            Self::CutOff => MapRule::HangsTogether,
        }
    }
}

impl Map {
    /// Everything in which this map breaks the rules of the seeds, from the top down. Of several
    /// spots that are cut off together only the first is listed.
    pub fn faults(&self) -> Vec<Fault> {
        self.sure_faults(&PointSet::empty(self.tiles().len()))
    }

    /// The same for a map of which some gridpoints are not known: what is wrong whichever tile
    /// stands there. They cut nothing off.
    pub(super) fn sure_faults(&self, unknown: &PointSet) -> Vec<Fault> {
        let mut faults = self.local_faults();
        if !unknown.is_empty() {
            for tile in Tile::ALL {
                let found = self.with_all(unknown, tile).local_faults();
                let places: HashSet<Point> = found.iter().map(|fault| fault.at).collect();
                faults.retain(|fault| places.contains(&fault.at));
            }
            faults.retain(|fault| !unknown.contains(self.index(fault.at)));
        }
        let mut cut_off = self.cut_off(unknown);
        // A single spot that is wrong anyhow need not be joined.
        cut_off.retain(|(at, size)| *size > 1 || faults.iter().all(|fault| fault.at != *at));
        faults.extend(cut_off.into_iter().map(|(at, _)| Fault { at, kind: FaultKind::CutOff }));
        faults.sort_by_key(|fault| fault.at);
        faults
    }

    /// This map with the same tile at all these gridpoints.
    fn with_all(&self, places: &PointSet, tile: Tile) -> Self {
        let mut map = self.clone();
        places.iter().for_each(|index| map.tiles[index] = tile);
        map
    }

    /// Faults that a gridpoint and its neighbours show. Next to what is misplaced nothing is told.
    fn local_faults(&self) -> Vec<Fault> {
        let mut misplaced = PointSet::empty(self.tiles().len());
        let found = self.points().filter(|at| self.is_misplaced(*at));
        found.for_each(|at| misplaced.insert(self.index(at)));
        let spoilt = |at| self.around(at).any(|near| misplaced.contains(self.index(near)));
        let told = self.points().filter(|at| misplaced.contains(self.index(*at)) || !spoilt(*at));
        told.filter_map(|at| Some(Fault { at, kind: self.fault_at(at)? })).collect()
    }

    fn fault_at(&self, at: Point) -> Option<FaultKind> {
        match (self.tile(at)?, self.needed(at)) {
            (Tile::Room, _) if self.is_misplaced(at) => Some(FaultKind::SpotInBoundary),
            (Tile::Room, _) => self.is_at_edge(at).then_some(FaultKind::OpenRoom),
            (Tile::Rock, None) => None,
            (Tile::Rock, Some(_)) => Some(FaultKind::OpenRoom),
            (Tile::Passage, Some(Tile::Corner)) => Some(FaultKind::BadDoor),
            (Tile::Passage, door) => self.is_wide(at, door).then_some(FaultKind::WidePassage),
            (_, None) => Some(FaultKind::StrayBoundary),
            (_, Some(Tile::Corner)) if self.is_end(at) => Some(FaultKind::BrokenBoundary),
            (drawn, Some(needed)) if drawn == needed => None,
            (_, Some(Tile::Corner)) => Some(FaultKind::CornerMissing),
            (Tile::Corner, _) => Some(FaultKind::NeedlessCorner),
            _ => Some(FaultKind::BrokenBoundary),
        }
    }

    /// The boundary that the room spots around demand at a gridpoint, if it is none itself.
    pub(super) fn needed(&self, at: Point) -> Option<Tile> {
        use Direction::{Down, Left, Right, Up};
        let room = |way| self.beside(at, way) == Tile::Room;
        // A corner juts into the room, or the room ends in it.
        let corner = CORNERS.into_iter().any(|(across, along, diagonal)| {
            room(across) && room(along) || !room(across) && !room(along) && room(diagonal)
        });
        if corner {
            return Some(Tile::Corner);
        }
        let vertical = (room(Left) || room(Right)).then_some(Tile::Vertical);
        vertical.or((room(Up) || room(Down)).then_some(Tile::Horizontal))
    }

    /// Does a spot stand in the midst of a boundary, or something else in the midst of a room? It
    /// makes all that is around it look wrong.
    fn is_misplaced(&self, at: Point) -> bool {
        match self.tile(at) {
            Some(Tile::Room) => self.boundary_through(at).is_some(),
            _ => self.is_inside(at),
        }
    }

    /// The boundary in whose midst a room spot stands, if it does.
    pub(super) fn boundary_through(&self, at: Point) -> Option<Tile> {
        use Direction::{Down, Left, Right, Up};
        let goes_through = |ways: [Direction; 2], straight: Tile| {
            let sides = ways.map(|way| self.beside(at, way));
            sides.contains(&straight)
                && sides.iter().all(|side| [straight, Tile::Corner].contains(side))
        };
        let vertical = goes_through([Up, Down], Tile::Vertical).then_some(Tile::Vertical);
        let horizontal = goes_through([Left, Right], Tile::Horizontal).then_some(Tile::Horizontal);
        vertical.or(horizontal)
    }

    /// Is a room on three sides or four?
    pub(super) fn is_inside(&self, at: Point) -> bool {
        let ways = Direction::STRAIGHT.into_iter();
        ways.filter(|way| self.beside(at, *way) == Tile::Room).count() >= 3
    }

    fn is_at_edge(&self, at: Point) -> bool {
        let (last_row, last_col) = (self.rows() - 1, self.cols() - 1);
        at.row == 0 || at.col == 0 || at.row == last_row || at.col == last_col
    }

    /// Is this where a boundary inside a room just stops?
    fn is_end(&self, at: Point) -> bool {
        use Direction::{Down, Left, Right, Up};
        let room = |way| self.beside(at, way) == Tile::Room;
        room(Left) && room(Right) || room(Up) && room(Down)
    }

    /// Two by two passage spots count at the upper left one; two entrances side by side at the
    /// first. `door` is the boundary that the passage spot stands in, if any.
    fn is_wide(&self, at: Point, door: Option<Tile>) -> bool {
        use Direction::{Down, DownRight, Right};
        let passage = |way| self.beside(at, way) == Tile::Passage;
        let along = if door == Some(Tile::Vertical) { Down } else { Right };
        let next_needs = at.step(along).and_then(|next| self.needed(next));
        let twin = door.is_some() && passage(along) && next_needs == door;
        twin || [Right, Down, DownRight].into_iter().all(passage)
    }

    /// Beyond the edge there is rock.
    pub(super) fn beside(&self, at: Point, way: Direction) -> Tile {
        at.step(way).and_then(|next| self.tile(next)).unwrap_or(Tile::Rock)
    }

    /// The neighbours of a gridpoint.
    fn around(&self, at: Point) -> impl Iterator<Item = Point> {
        let near = Direction::ALL.into_iter().filter_map(move |way| at.step(way));
        near.filter(|near| self.tile(*near).is_some())
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
mod tests;
