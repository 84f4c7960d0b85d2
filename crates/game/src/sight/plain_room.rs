//! Rooms that need no sweep: a rectangle of room spots inside opaque tiles. From each of its spots all of it is visible,
//! its boundary included, and nothing beyond. So all of them share one field of view.

use std::ops::RangeInclusive;

use super::SightRule;
use crate::{Map, Point, PointSet, Tile};

/// The rows and columns of the spots of such a room.
#[derive(Debug)]
pub(super) struct PlainRoom {
    rows: RangeInclusive<u16>,
    cols: RangeInclusive<u16>,
}

impl PlainRoom {
    /// The plain room that contains this gridpoint, if there is one.
    pub(super) fn around(map: &Map, rule: SightRule, at: Point) -> Option<Self> {
        let is_room = |row, col| map.tile(Point { row, col }) == Some(Tile::Room);
        let bottom = (at.row..map.rows()).take_while(|&row| is_room(row, at.col)).last()?;
        let right = (at.col..map.cols()).take_while(|&col| is_room(at.row, col)).last()?;
        let top = (0..=at.row).rev().take_while(|&row| is_room(row, at.col)).last()?;
        let left = (0..=at.col).rev().take_while(|&col| is_room(at.row, col)).last()?;
        let room = Self { rows: top..=bottom, cols: left..=right };
        (room.has_boundary(map, rule) && room.has_only_spots(map)).then_some(room)
    }

    fn has_boundary(&self, map: &Map, rule: SightRule) -> bool {
        let is_opaque = |row, col| match map.tile(Point { row, col }) {
            Some(Tile::Room) => false,
            Some(Tile::Passage) => rule == SightRule::DarkPassages,
            Some(_) | None => true,
        };
        // A row or column above or left of the map is none at all.
        let [rows, cols] =
            [&self.rows, &self.cols].map(|it| [it.start().wrapping_sub(1), it.end() + 1]);
        let corners = rows.into_iter().flat_map(|row| cols.map(|col| (row, col)));
        corners.into_iter().all(|(row, col)| is_opaque(row, col))
            && rows.into_iter().all(|row| self.cols.clone().all(|col| is_opaque(row, col)))
            && cols.into_iter().all(|col| self.rows.clone().all(|row| is_opaque(row, col)))
    }

    fn has_only_spots(&self, map: &Map) -> bool {
        self.rows.clone().all(|row| {
            let [left, right] = [*self.cols.start(), *self.cols.end()];
            let [from, to] = [left, right].map(|col| map.index(Point { row, col }));
            map.tiles()[from..=to].iter().all(|tile| *tile == Tile::Room)
        })
    }

    /// True if this gridpoint is one of the spots.
    pub(super) fn contains(&self, at: Point) -> bool {
        self.rows.contains(&at.row) && self.cols.contains(&at.col)
    }

    /// The field of view from each of the spots.
    pub(super) fn field_of_view(&self, map: &Map, rule: SightRule) -> PointSet {
        let mut seen = PointSet::empty(map.tiles().len());
        for row in self.rows.start().saturating_sub(1)..=self.rows.end() + 1 {
            for col in self.cols.start().saturating_sub(1)..=self.cols.end() + 1 {
                let at = Point { row, col };
                let is_shown = |tile| tile != Tile::Rock || rule == SightRule::DarkPassages;
                if map.tile(at).is_some_and(is_shown) {
                    seen.insert(map.index(at));
                }
            }
        }
        seen
    }
}
