//! Finding the cheapest way for a passage from some spots to others, through rock and straight
//! boundaries, such that every rule of drawing still holds once it is dug.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::area::Area;
use super::draft::Draft;
use crate::{Direction, Tile};

/// What a step costs, beyond a quarter of the rock's hardness.
const STEP: u32 = 2;
const BEND: u32 = 5;
/// Along a boundary it looks cramped.
const HUG: u32 = 2;
/// A fork instead of a door of its own.
const FORK: u32 = 9;
/// A door, beyond the hardness of the boundary: that spreads doors, so that passages bend.
const DOOR: u32 = 3;
/// A door next to a corner, or to another door.
const UGLY_DOOR: u32 = 4;

/// Where a passage may begin and end, and where to look for it.
pub(super) struct Wish<'a> {
    /// May it start from this spot? From a passage it starts with a fork.
    pub(super) from: &'a dyn Fn(usize) -> bool,
    /// May it end at this spot? In a passage it ends with a fork.
    pub(super) to: &'a dyn Fn(usize) -> bool,
    pub(super) within: Area,
}

/// The gridpoints to dig, if there is a way.
pub(super) fn find(draft: &Draft, wish: &Wish) -> Option<Vec<usize>> {
    let places = wish.within.rows * wish.within.cols * WAYS;
    let mut search =
        Search { draft, wish, known: vec![(u32::MAX, None); places], queue: BinaryHeap::new() };
    search.start();
    search.run()
}

const WAYS: usize = Direction::STRAIGHT.len();

/// A gridpoint and the way by which it was entered.
type Arrival = (usize, usize);

struct Search<'a> {
    draft: &'a Draft,
    wish: &'a Wish<'a>,
    /// For each arrival the least cost, and the arrival before.
    known: Vec<(u32, Option<Arrival>)>,
    queue: BinaryHeap<Reverse<(u32, Arrival)>>,
}

impl Search<'_> {
    fn start(&mut self) {
        let area = self.wish.within;
        for row in area.top..area.bottom() {
            for col in area.left..area.right() {
                let at = self.draft.index(row, col);
                if self.draft.tile(at).is_spot() && (self.wish.from)(at) {
                    let fork = self.draft.tile(at) == Tile::Passage;
                    for way in 0..WAYS {
                        self.enter(at, way, if fork { FORK } else { 0 }, None);
                    }
                }
            }
        }
    }

    fn run(&mut self) -> Option<Vec<usize>> {
        while let Some(Reverse((cost, arrival))) = self.queue.pop() {
            if self.known[self.slot(arrival)?].0 < cost {
                continue;
            }
            if self.has_arrived(arrival) {
                return Some(self.path_to(arrival));
            }
            let (at, came) = arrival;
            let straight_only = self.draft.tile(at).is_wall();
            for way in (0..WAYS).filter(|&way| way == came || !straight_only) {
                let bend = if way == came { 0 } else { BEND };
                self.enter(at, way, cost + bend, Some(arrival));
            }
        }
        None
    }

    /// Takes a step, if the gridpoint beyond may be dug.
    fn enter(&mut self, from: usize, way: usize, cost: u32, before: Option<Arrival>) {
        let Some(at) = self.draft.step(from, Direction::STRAIGHT[way]) else { return };
        let price = match self.draft.tile(at) {
            Tile::Rock => self.rock_price(from, at),
            Tile::Horizontal | Tile::Vertical => self.door_price(at, Direction::STRAIGHT[way]),
            Tile::Corner | Tile::Room | Tile::Passage => None,
        };
        if let (Some(price), Some(slot)) = (price, self.slot((at, way)))
            && cost + price < self.known[slot].0
        {
            self.known[slot] = (cost + price, before);
            self.queue.push(Reverse((cost + price, (at, way))));
        }
    }

    /// Rock next to another passage can't be dug (it would widen it), except to end there.
    fn rock_price(&self, from: usize, at: usize) -> Option<u32> {
        let mut touched = self.passages_beside(at, from);
        if touched.next().is_some_and(|spot| !(self.wish.to)(spot)) || touched.next().is_some() {
            return None;
        }
        let hugs = Direction::STRAIGHT.into_iter().any(|way| self.draft.beside(at, way).is_wall());
        Some(STEP + self.draft.hardness(at) / 4 + if hugs { HUG } else { 0 })
    }

    fn passages_beside(&self, at: usize, except: usize) -> impl Iterator<Item = usize> + '_ {
        let beside =
            Direction::STRAIGHT.into_iter().filter_map(move |way| self.draft.step(at, way));
        beside.filter(move |&spot| spot != except && self.draft.tile(spot) == Tile::Passage)
    }

    /// A boundary is crossed at a right angle and with boundary on both sides.
    fn door_price(&self, at: usize, way: Direction) -> Option<u32> {
        use Direction::{Down, Left, Right, Up};
        let wall = self.draft.tile(at);
        let (sides, needed) = match way {
            Left | Right => ([Up, Down], Tile::Vertical),
            _ => ([Left, Right], Tile::Horizontal),
        };
        let beside = sides.map(|side| self.draft.beside(at, side));
        if wall != needed || beside.iter().any(|tile| ![wall, Tile::Corner].contains(tile)) {
            return None;
        }
        let crowded = sides.into_iter().any(|side| {
            let two_away = self.draft.step(at, side).map(|next| self.draft.beside(next, side));
            two_away == Some(Tile::Passage)
        });
        let ugly = usize::from(crowded) * 3 + beside.iter().filter(|t| **t == Tile::Corner).count();
        Some(DOOR + self.draft.hardness(at) + UGLY_DOOR * u32::try_from(ugly).unwrap_or(u32::MAX))
    }

    /// Is the next spot one to end at?
    fn has_arrived(&self, (at, way): Arrival) -> bool {
        // The straight ways come in pairs of opposites.
        let back = Direction::STRAIGHT[way ^ 1];
        if self.draft.tile(at) == Tile::Rock {
            let from = self.draft.step(at, back);
            return self.passages_beside(at, from.unwrap_or(at)).next().is_some();
        }
        let next = self.draft.step(at, Direction::STRAIGHT[way]);
        next.is_some_and(|next| self.draft.tile(next).is_spot() && (self.wish.to)(next))
    }

    fn path_to(&self, last: Arrival) -> Vec<usize> {
        let mut path = vec![last.0];
        let mut arrival = last;
        while let Some(before) = self.slot(arrival).and_then(|slot| self.known[slot].1) {
            path.push(before.0);
            arrival = before;
        }
        path.reverse();
        path
    }

    /// Where an arrival is kept; nowhere if it lies outside.
    fn slot(&self, (at, way): Arrival) -> Option<usize> {
        let (area, cols) = (self.wish.within, self.draft.cols());
        let row = (at / cols).checked_sub(area.top).filter(|row| *row < area.rows)?;
        let col = (at % cols).checked_sub(area.left).filter(|col| *col < area.cols)?;
        Some((row * area.cols + col) * WAYS + way)
    }
}
