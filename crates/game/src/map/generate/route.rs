//! Pathfinding for passages: the cheapest route from some spots to others, through rock and straight
//! boundaries, that breaks no rule of drawing (Dijkstra's algorithm).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::area::{Area, point};
use super::draft::Draft;
use crate::{Direction, Point, Tile};

/// The cost of a step, in addition to a quarter of the rock's hardness.
const STEP: u32 = 2;
const BEND: u32 = 5;
/// A step along a boundary, which looks cramped.
const HUG: u32 = 2;
/// A fork from a passage instead of a new door.
const FORK: u32 = 9;
/// A door, in addition to the hardness of the boundary, which spreads doors so that passages bend.
const DOOR: u32 = 3;
/// A door next to a corner, or to another door.
const UGLY_DOOR: u32 = 4;

/// The allowed ends of a passage, and the area to search.
pub(super) struct PassageRequest<'a> {
    /// True for spots where it may begin. From a passage it begins with a fork.
    pub(super) from: &'a dyn Fn(Point) -> bool,
    /// True for spots where it may end. In a passage it ends with a fork.
    pub(super) to: &'a dyn Fn(Point) -> bool,
    pub(super) within: Area,
}

/// The gridpoints to dig, if there is a route.
pub(super) fn find(draft: &Draft, request: &PassageRequest) -> Option<Vec<Point>> {
    let places = request.within.rows * request.within.cols * DIRECTIONS;
    let mut search =
        Search { draft, request, known: vec![(u32::MAX, None); places], queue: BinaryHeap::new() };
    search.start();
    search.run()
}

const DIRECTIONS: usize = Direction::STRAIGHT.len();

/// A gridpoint and the index of the direction in which it was entered.
type RouteState = (Point, usize);

struct Search<'a> {
    draft: &'a Draft,
    request: &'a PassageRequest<'a>,
    /// For each arrival the lowest cost, and the arrival before.
    known: Vec<(u32, Option<RouteState>)>,
    queue: BinaryHeap<Reverse<(u32, RouteState)>>,
}

impl Search<'_> {
    fn start(&mut self) {
        let area = self.request.within;
        for row in area.top..area.bottom() {
            for col in area.left..area.right() {
                let at = point(row, col);
                if self.draft.tile(at).is_spot() && (self.request.from)(at) {
                    let fork = self.draft.tile(at) == Tile::Passage;
                    for direction in 0..DIRECTIONS {
                        self.enter(at, direction, if fork { FORK } else { 0 }, None);
                    }
                }
            }
        }
    }

    fn run(&mut self) -> Option<Vec<Point>> {
        while let Some(Reverse((cost, arrival))) = self.queue.pop() {
            if self.known[self.slot(arrival)?].0 < cost {
                continue;
            }
            if self.has_arrived(arrival) {
                return Some(self.path_to(arrival));
            }
            let (at, came) = arrival;
            let straight_only = self.draft.tile(at).is_wall();
            for direction in
                (0..DIRECTIONS).filter(|&direction| direction == came || !straight_only)
            {
                let bend = if direction == came { 0 } else { BEND };
                self.enter(at, direction, cost + bend, Some(arrival));
            }
        }
        None
    }

    /// Enters the next gridpoint, if it may be dug.
    fn enter(&mut self, from: Point, direction: usize, cost: u32, before: Option<RouteState>) {
        let Some(at) = self.draft.step(from, Direction::STRAIGHT[direction]) else { return };
        let price = match self.draft.tile(at) {
            Tile::Rock => self.rock_price(from, at),
            Tile::Horizontal | Tile::Vertical => {
                self.door_price(at, Direction::STRAIGHT[direction])
            }
            Tile::Corner | Tile::Room | Tile::Passage => None,
        };
        if let (Some(price), Some(slot)) = (price, self.slot((at, direction)))
            && cost + price < self.known[slot].0
        {
            self.known[slot] = (cost + price, before);
            self.queue.push(Reverse((cost + price, (at, direction))));
        }
    }

    /// Rock next to another passage can't be dug (it would widen that), except to end there.
    fn rock_price(&self, from: Point, at: Point) -> Option<u32> {
        let mut touched = self.passages_beside(at, from);
        if touched.next().is_some_and(|spot| !(self.request.to)(spot)) || touched.next().is_some() {
            return None;
        }
        let hugs = Direction::STRAIGHT
            .into_iter()
            .any(|direction| self.draft.map.beside(at, direction).is_wall());
        Some(STEP + self.draft.hardness(at) / 4 + if hugs { HUG } else { 0 })
    }

    fn passages_beside(&self, at: Point, except: Point) -> impl Iterator<Item = Point> + '_ {
        let beside = Direction::STRAIGHT
            .into_iter()
            .filter_map(move |direction| self.draft.step(at, direction));
        beside.filter(move |&spot| spot != except && self.draft.tile(spot) == Tile::Passage)
    }

    /// A boundary is crossed at a right angle and with boundary on both sides.
    fn door_price(&self, at: Point, direction: Direction) -> Option<u32> {
        use Direction::{Down, Left, Right, Up};
        let wall = self.draft.tile(at);
        let (sides, needed) = match direction {
            Left | Right => ([Up, Down], Tile::Vertical),
            _ => ([Left, Right], Tile::Horizontal),
        };
        let beside = sides.map(|side| self.draft.map.beside(at, side));
        if wall != needed || beside.iter().any(|tile| ![wall, Tile::Corner].contains(tile)) {
            return None;
        }
        let crowded = sides.into_iter().any(|side| {
            let two_away = self.draft.step(at, side).map(|next| self.draft.map.beside(next, side));
            two_away == Some(Tile::Passage)
        });
        let ugly = usize::from(crowded) * 3 + beside.iter().filter(|t| **t == Tile::Corner).count();
        Some(DOOR + self.draft.hardness(at) + UGLY_DOOR * u32::try_from(ugly).unwrap_or(u32::MAX))
    }

    /// True if the route may end at the next spot.
    fn has_arrived(&self, (at, direction): RouteState) -> bool {
        // The straight directions come in pairs of opposites.
        let back = Direction::STRAIGHT[direction ^ 1];
        if self.draft.tile(at) == Tile::Rock {
            let from = self.draft.step(at, back);
            return self.passages_beside(at, from.unwrap_or(at)).next().is_some();
        }
        let next = self.draft.step(at, Direction::STRAIGHT[direction]);
        next.is_some_and(|next| self.draft.tile(next).is_spot() && (self.request.to)(next))
    }

    fn path_to(&self, last: RouteState) -> Vec<Point> {
        let mut path = vec![last.0];
        let mut arrival = last;
        while let Some(before) = self.slot(arrival).and_then(|slot| self.known[slot].1) {
            path.push(before.0);
            arrival = before;
        }
        path.reverse();
        path
    }

    /// The index of an arrival in `known`; `None` outside the area.
    fn slot(&self, (at, direction): RouteState) -> Option<usize> {
        let area = self.request.within;
        let row = usize::from(at.row).checked_sub(area.top).filter(|row| *row < area.rows)?;
        let col = usize::from(at.col).checked_sub(area.left).filter(|col| *col < area.cols)?;
        Some((row * area.cols + col) * DIRECTIONS + direction)
    }
}
