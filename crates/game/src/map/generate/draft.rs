//! A map that is being drawn: tiles, and which room each spot belongs to.

use super::Blueprint;
use super::area::Area;
use super::floor::Floor;
use crate::{Direction, Map, Rng, Tile};

/// The index of a room.
pub(super) type RoomId = usize;

pub(super) struct Draft {
    rows: usize,
    cols: usize,
    tiles: Vec<Tile>,
    /// The room of a room spot; for a passage spot a room that it leads to.
    rooms: Vec<Option<RoomId>>,
    /// The cost of digging here, from 0 to 15: it makes passages bend.
    hardness: Vec<u32>,
}

impl Draft {
    /// Nothing but rock, of random hardness.
    pub(super) fn new(blueprint: Blueprint, rng: &mut Rng) -> Self {
        let mut draft = Self::blank(blueprint);
        draft.hardness.iter_mut().for_each(|hardness| *hardness = rng.below(16));
        draft
    }

    /// Nothing but rock.
    pub(super) fn blank(blueprint: Blueprint) -> Self {
        let rows = usize::from(blueprint.rows());
        let cols = usize::from(blueprint.cols());
        let gridpoints = rows * cols;
        Self {
            rows,
            cols,
            tiles: vec![Tile::Rock; gridpoints],
            rooms: vec![None; gridpoints],
            hardness: vec![0; gridpoints],
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn cols(&self) -> usize {
        self.cols
    }

    pub(super) fn index(&self, row: usize, col: usize) -> usize {
        row * self.cols + col
    }

    pub(super) fn len(&self) -> usize {
        self.tiles.len()
    }

    pub(super) fn tile(&self, at: usize) -> Tile {
        self.tiles[at]
    }

    /// The room that a spot belongs or leads to.
    pub(super) fn room(&self, at: usize) -> Option<RoomId> {
        self.rooms[at]
    }

    pub(super) fn hardness(&self, at: usize) -> u32 {
        self.hardness[at]
    }

    /// The gridpoint one step away, unless it is outside the map.
    pub(super) fn step(&self, at: usize, direction: Direction) -> Option<usize> {
        let (down, right) = direction.offset();
        let row =
            (at / self.cols).checked_add_signed(down.into()).filter(|row| *row < self.rows)?;
        let col =
            (at % self.cols).checked_add_signed(right.into()).filter(|col| *col < self.cols)?;
        Some(self.index(row, col))
    }

    /// The neighbouring tile; beyond the edge there is rock.
    pub(super) fn beside(&self, at: usize, direction: Direction) -> Tile {
        self.step(at, direction).map_or(Tile::Rock, |next| self.tiles[next])
    }

    /// Lays the floor of a room on its plot.
    pub(super) fn lay(&mut self, room: RoomId, plot: &Area, floor: &Floor) {
        for (row, col) in floor.points().filter(|&(row, col)| floor.has(row, col)) {
            let at = self.index(plot.top + row, plot.left + col);
            self.tiles[at] = Tile::Room;
            self.rooms[at] = Some(room);
        }
    }

    /// Draws the boundaries of all floors.
    pub(super) fn raise_walls(&mut self) {
        for at in 0..self.len() {
            if let Some(wall) = self.wall_for(at) {
                self.tiles[at] = wall;
            }
        }
    }

    /// The boundary tile that the floors around a gridpoint require.
    fn wall_for(&self, at: usize) -> Option<Tile> {
        use Direction::{Down, DownLeft, DownRight, Left, Right, Up, UpLeft, UpRight};
        let floor = |direction| self.beside(at, direction) == Tile::Room;
        if self.tiles[at] == Tile::Room || !Direction::ALL.into_iter().any(floor) {
            return None;
        }
        let corners = [
            (UpLeft, Up, Left),
            (UpRight, Up, Right),
            (DownLeft, Down, Left),
            (DownRight, Down, Right),
        ];
        // A corner of a floor touches this gridpoint, or two of its sides meet here.
        let is_corner = |(tip, one, two)| floor(tip) && floor(one) == floor(two);
        Some(if corners.into_iter().any(is_corner) {
            Tile::Corner
        } else if floor(Up) || floor(Down) {
            Tile::Horizontal
        } else {
            Tile::Vertical
        })
    }

    /// Turns gridpoints into a passage that leads to this room.
    pub(super) fn dig(&mut self, path: impl IntoIterator<Item = usize>, room: RoomId) {
        for at in path {
            self.tiles[at] = Tile::Passage;
            self.rooms[at] = Some(room);
        }
    }

    pub(super) fn into_map(self) -> Map {
        let [rows, cols] = [self.rows, self.cols]
            .map(|size| u16::try_from(size).expect("the size of the blueprint fits"));
        Map { rows, cols, tiles: self.tiles.into_boxed_slice() }
    }
}
