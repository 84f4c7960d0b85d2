//! A map that is being drawn, and which room each spot belongs to.

use super::Blueprint;
use super::area::{Area, point};
use super::floor::Floor;
use crate::{Direction, Map, Point, Rng, Tile};

/// The index of a room.
pub(super) type RoomId = usize;

pub(super) struct Draft {
    pub(super) map: Map,
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
        let (rows, cols) = (blueprint.rows(), blueprint.cols());
        let gridpoints = usize::from(rows) * usize::from(cols);
        let map = Map { rows, cols, tiles: vec![Tile::Rock; gridpoints].into() };
        Self { map, rooms: vec![None; gridpoints], hardness: vec![0; gridpoints] }
    }

    pub(super) fn tile(&self, at: Point) -> Tile {
        self.map.tiles[self.map.index(at)]
    }

    /// The room that a spot belongs or leads to.
    pub(super) fn room(&self, at: Point) -> Option<RoomId> {
        self.rooms[self.map.index(at)]
    }

    pub(super) fn hardness(&self, at: Point) -> u32 {
        self.hardness[self.map.index(at)]
    }

    /// The gridpoint one step away, unless it is outside the map.
    pub(super) fn step(&self, at: Point, direction: Direction) -> Option<Point> {
        at.step(direction).filter(|next| self.map.tile(*next).is_some())
    }

    /// Lays the floor of a room on its plot.
    pub(super) fn lay(&mut self, room: RoomId, plot: &Area, floor: &Floor) {
        for (row, col) in floor.points().filter(|&(row, col)| floor.has(row, col)) {
            self.set([point(plot.top + row, plot.left + col)], Tile::Room, room);
        }
    }

    /// Draws the boundaries of all floors, as `check` requires them.
    pub(super) fn raise_walls(&mut self) {
        let floors = self.map.clone();
        for (at, tile) in floors.points().zip(&mut self.map.tiles) {
            if *tile != Tile::Room
                && let Some(wall) = floors.needed(at)
            {
                *tile = wall;
            }
        }
    }

    /// Turns gridpoints into a passage that leads to this room.
    pub(super) fn dig(&mut self, path: impl IntoIterator<Item = Point>, room: RoomId) {
        self.set(path, Tile::Passage, room);
    }

    fn set(&mut self, places: impl IntoIterator<Item = Point>, tile: Tile, room: RoomId) {
        for at in places {
            let index = self.map.index(at);
            self.map.tiles[index] = tile;
            self.rooms[index] = Some(room);
        }
    }
}
