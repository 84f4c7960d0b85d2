//! What a map is like to play on: numbers that depend on the map and a rule of sight alone.
//!
//! Where chance is needed (who starts where, where gold lies) it comes from a seed of its own, so
//! one map always has the same numbers. Printing them is not done here.

mod walks;

use self::walks::Walks;
use super::{Map, Tile};
use crate::gold::Piles;
use crate::{Chance, Direction, Point, PointSet, Rules, Seed, Sight};

/// Up to so many spots everything is counted; beyond, drawn spots stand for all.
const COUNT_UP_TO: usize = 3000;
/// So many are drawn then.
const SAMPLE: usize = 500;
/// Layouts of gold, and starts for each of them.
const LAYOUTS: usize = 32;
const STARTS: usize = 8;
const SEED: i64 = 1;

/// The numbers of a map.
///
/// ```
/// use nuggets_game::{Sight, SightRule, Stats, shipped};
///
/// let main = shipped::find("main").unwrap().map();
/// let stats = Stats::of(&Sight::new(main, SightRule::DarkPassages));
/// assert_eq!((stats.rooms, stats.dead_ends), (7, 1));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// Lines.
    pub rows: u16,
    /// Columns.
    pub cols: u16,
    /// Room spots that hang together, in any of the eight directions, are one room.
    pub rooms: usize,
    /// Spots in rooms.
    pub room_spots: usize,
    /// Spots in passages.
    pub passage_spots: usize,
    /// Passage spots with one straight neighbour only.
    pub dead_ends: usize,
    /// Ways around something: a pillar, or a ring of rooms and passages.
    pub loops: usize,
    /// Parts that nobody can walk between; a good map has one.
    pub parts: usize,
    /// How much is seen; none if there is no spot.
    pub sight: Option<MeanSight>,
    /// The longest of all shortest walks.
    pub longest_walk: LongestWalk,
    /// How far it is to gold; none if the map has too few room spots for a game.
    pub gold: Option<GoldWalk>,
}

/// How many spots are seen from a spot, on average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanSight {
    /// Spots seen, the own one included.
    pub spots: f64,
    /// The same as a share of all spots, from 0 to 1.
    pub share: f64,
    /// From so many spots was it taken: all, or some that were drawn.
    pub looks: usize,
}

/// How many steps there are between the two spots that are farthest apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongestWalk {
    /// Steps, in eight directions.
    pub steps: u32,
    /// False on a huge map: then there may be a longer one.
    pub is_exact: bool,
}

/// How far it is from a random start to the gold of a random game, every nugget counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoldWalk {
    /// Steps to a nugget, on average.
    pub mean_steps: f64,
    /// The standard deviation of that from start to start in one game, as a share of the mean.
    pub spread: f64,
    /// From 1, when everybody starts equally far from the gold, down to 0.
    pub fairness: f64,
}

impl Stats {
    /// Counts and measures. On a huge map sight and walks are taken from some spots only.
    pub fn of(sight: &Sight) -> Self {
        let map = sight.map();
        let walks = Walks::new(map);
        let (room_spots, spots) = (map.room_spots().len(), map.spots().len());
        Self {
            rows: map.rows(),
            cols: map.cols(),
            rooms: map.rooms(),
            room_spots,
            passage_spots: spots - room_spots,
            dead_ends: dead_ends(map),
            loops: loops(map),
            parts: walks.parts(),
            sight: mean_sight(sight),
            longest_walk: longest_walk(&walks),
            gold: gold_walk(map, &walks),
        }
    }
}

impl Map {
    /// How many rooms there are: room spots that hang together, in any direction, are one.
    pub fn rooms(&self) -> usize {
        let mut met = PointSet::empty(self.tiles().len());
        self.room_spots().into_iter().filter(|&spot| self.meet_room(spot, &mut met)).count()
    }

    /// Marks the room of a spot; false if it was met before.
    fn meet_room(&self, spot: Point, met: &mut PointSet) -> bool {
        let is_new = !met.contains(self.index(spot));
        let mut frontier = vec![spot];
        while let Some(at) = frontier.pop() {
            if !met.contains(self.index(at)) {
                met.insert(self.index(at));
                let next = Direction::ALL.into_iter().filter_map(|way| self.spot_beside(at, way));
                frontier.extend(next.filter(|next| self.tile(*next) == Some(Tile::Room)));
            }
        }
        is_new
    }
}

fn dead_ends(map: &Map) -> usize {
    let is_end = |at: &Point| {
        let beside = Direction::STRAIGHT.into_iter().filter_map(|way| map.spot_beside(*at, way));
        map.tile(*at) == Some(Tile::Passage) && beside.count() == 1
    };
    map.spots().iter().filter(|at| is_end(at)).count()
}

/// By Euler's formula: parts and edges, less spots and full squares. Steps are straight here, as
/// passages cut at a corner are no way around anything.
fn loops(map: &Map) -> usize {
    let has = |at: Point, way: Direction| map.spot_beside(at, way).is_some();
    let (mut edges, mut squares) = (0, 0);
    let spots = map.spots();
    for &at in &spots {
        let (right, down) = (has(at, Direction::Right), has(at, Direction::Down));
        edges += usize::from(right) + usize::from(down);
        squares += usize::from(right && down && has(at, Direction::DownRight));
    }
    (map.parts_by_straight_steps() + edges).saturating_sub(spots.len() + squares)
}

fn mean_sight(sight: &Sight) -> Option<MeanSight> {
    let map = sight.map();
    let spots = map.spots();
    let mut all = PointSet::empty(map.tiles().len());
    for at in &spots {
        all.insert(map.index(*at));
    }
    let looks = sample(spots.len());
    let seen = |look: &usize| {
        let seen = sight.from(spots[*look]);
        number(seen.iter().filter(|index| all.contains(*index)).count())
    };
    let total: f64 = looks.iter().map(seen).sum();
    (!looks.is_empty()).then(|| {
        let mean = total / number(looks.len());
        MeanSight { spots: mean, share: mean / number(spots.len()), looks: looks.len() }
    })
}

/// All of so many, or some that are drawn.
fn sample(len: usize) -> Vec<usize> {
    if len <= COUNT_UP_TO {
        return (0..len).collect();
    }
    Chance::new(Seed::new(SEED)).distinct(SAMPLE, len)
}

fn longest_walk(walks: &Walks) -> LongestWalk {
    if walks.len() <= COUNT_UP_TO {
        let steps = (0..walks.len()).map(|start| walks.farthest(start).1).max().unwrap_or(0);
        return LongestWalk { steps, is_exact: true };
    }
    // Whatever is farthest from anywhere is at an end: from end to end it soon grows no more.
    let (mut start, mut steps) = (0, 0);
    loop {
        let (end, further) = walks.farthest(start);
        if further <= steps {
            return LongestWalk { steps, is_exact: false };
        }
        (start, steps) = (end, further);
    }
}

fn gold_walk(map: &Map, walks: &Walks) -> Option<GoldWalk> {
    let rules = Rules::default();
    rules.check_room(map).ok()?;
    let mut chance = Chance::new(Seed::new(SEED));
    let games: Vec<Vec<f64>> = (0..LAYOUTS)
        .map(|_| {
            let piles = Piles::spread(map, &rules, &mut chance);
            let free: Vec<Point> = map
                .room_spots()
                .into_iter()
                .filter(|spot| piles.iter().all(|(at, _)| at != *spot))
                .collect();
            let starts = chance.distinct(STARTS, free.len());
            starts.into_iter().filter_map(|start| walks.steps_to(free[start], &piles)).collect()
        })
        .filter(|starts: &Vec<f64>| !starts.is_empty())
        .collect();
    let means: Vec<f64> = games.iter().map(|starts| mean(starts)).collect();
    let spreads: Vec<f64> = games.iter().map(|starts| deviation(starts) / mean(starts)).collect();
    (!games.is_empty()).then(|| {
        let spread = mean(&spreads);
        GoldWalk { mean_steps: mean(&means), spread, fairness: (1.0 - spread).max(0.0) }
    })
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / number(numbers.len())
}

fn deviation(numbers: &[f64]) -> f64 {
    let mean = mean(numbers);
    let squares = numbers.iter().map(|number| (number - mean) * (number - mean)).sum::<f64>();
    (squares / number(numbers.len())).sqrt()
}

/// A count to reckon with.
fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

#[cfg(test)]
mod tests;
