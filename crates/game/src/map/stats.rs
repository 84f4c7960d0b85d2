//! Map statistics: what a map is like to play on. They depend on the map and the sight rule alone.
//!
//! Random starts and gold come from a fixed seed, so one map always has the same numbers. Printing
//! them is up to the caller.

mod distances;

use self::distances::Distances;
use super::{Map, Tile, check};
use crate::gold::Piles;
use crate::{Direction, Point, Rng, Rules, Seed, Sight};

/// Maps with more spots are measured by a random sample.
const MAX_EXACT_SPOTS: usize = 3000;
/// The size of that sample.
const SAMPLE: usize = 500;
/// Random layouts of gold, and random starts for each of them.
const LAYOUTS: usize = 32;
const STARTS: usize = 8;
const SEED: i64 = 1;

/// The statistics of a map.
///
/// ```
/// use nuggets_game::map::{shipped, stats};
/// use nuggets_game::{Sight, SightRule};
///
/// let main = shipped::find("main").unwrap().map();
/// let stats = stats::measure(&Sight::new(main, SightRule::DarkPassages));
/// assert_eq!((stats.rooms, stats.dead_ends), (7, 1));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MapStats {
    /// Lines.
    pub rows: u16,
    /// Columns.
    pub cols: u16,
    /// Number of rooms: room spots that are connected, in any of the eight directions, are one room.
    pub rooms: usize,
    /// Spots in rooms.
    pub room_spots: usize,
    /// Spots in passages.
    pub passage_spots: usize,
    /// Passage spots with only one straight neighbour.
    pub dead_ends: usize,
    /// Independent loops: around a pillar, or through a ring of rooms and passages.
    pub loops: usize,
    /// Connected components; a valid map has one.
    pub parts: usize,
    /// The mean visibility; `None` if there is no spot.
    pub sight: Option<MeanSight>,
    /// The longest of all shortest walks.
    pub longest_walk: LongestWalk,
    /// The distance to gold; `None` if the map has too few room spots for a game.
    pub gold: Option<GoldWalk>,
}

/// The mean number of spots visible from a spot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanSight {
    /// Visible spots, the viewer's own included.
    pub spots: f64,
    /// The same as a share of all spots, from 0 to 1.
    pub share: f64,
    /// The number of spots measured: all, or a sample.
    pub looks: usize,
}

/// The path length between the two spots that are farthest apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongestWalk {
    /// Steps, in eight directions.
    pub steps: u32,
    /// False on a huge map, where a longer path may exist.
    pub is_exact: bool,
}

/// The distance from a random start to the gold of a random game, every nugget counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoldWalk {
    /// The mean path length to a nugget, in steps.
    pub mean_steps: f64,
    /// The standard deviation of that from start to start in one game, as a share of the mean.
    pub spread: f64,
    /// From 1, if all starts are equally far from the gold, down to 0.
    pub fairness: f64,
}

/// Measures a map. On a huge map visibility and paths are measured from a sample of spots.
pub fn measure(sight: &Sight) -> MapStats {
    let map = sight.map();
    let distances = Distances::new(map);
    let room_spots = map.room_spots().len();
    let spots = map.spots().len();
    MapStats {
        rows: map.rows(),
        cols: map.cols(),
        rooms: check::rooms(map).len(),
        room_spots,
        passage_spots: spots - room_spots,
        dead_ends: dead_ends(map),
        loops: loops(map),
        parts: check::count_components(map, &Direction::ALL),
        sight: mean_sight(sight),
        longest_walk: longest_walk(&distances),
        gold: gold_walk(map, &distances),
    }
}

fn dead_ends(map: &Map) -> usize {
    let is_end = |at: &Point| {
        let beside = Direction::STRAIGHT.into_iter().filter_map(|d| map.spot_beside(*at, d));
        map.tile(*at) == Some(Tile::Passage) && beside.count() == 1
    };
    map.spots().iter().filter(|at| is_end(at)).count()
}

/// By Euler's formula: components and edges, less spots and full squares. Only straight steps count,
/// because a diagonal step around a corner is not a loop.
fn loops(map: &Map) -> usize {
    let has = |at: Point, direction: Direction| map.spot_beside(at, direction).is_some();
    let mut edges = 0;
    let mut squares = 0;
    let spots = map.spots();
    for &at in &spots {
        let right = has(at, Direction::Right);
        let down = has(at, Direction::Down);
        edges += usize::from(right) + usize::from(down);
        squares += usize::from(right && down && has(at, Direction::DownRight));
    }
    (check::count_components(map, &Direction::STRAIGHT) + edges)
        .saturating_sub(spots.len() + squares)
}

fn mean_sight(sight: &Sight) -> Option<MeanSight> {
    let map = sight.map();
    let spots = map.spots();
    let all = map.spot_set();
    let sampled = sample(spots.len());
    let count_visible = |spot: &usize| {
        let seen = sight.visible_from(spots[*spot]);
        number(seen.iter().filter(|index| all.contains(*index)).count())
    };
    let total: f64 = sampled.iter().map(count_visible).sum();
    (!sampled.is_empty()).then(|| {
        let mean = total / number(sampled.len());
        MeanSight { spots: mean, share: mean / number(spots.len()), looks: sampled.len() }
    })
}

/// All indices below `len`, or a random sample of them.
fn sample(len: usize) -> Vec<usize> {
    if len <= MAX_EXACT_SPOTS {
        return (0..len).collect();
    }
    Rng::new(Seed::new(SEED)).distinct(SAMPLE, len)
}

fn longest_walk(distances: &Distances) -> LongestWalk {
    if distances.len() <= MAX_EXACT_SPOTS {
        let steps =
            (0..distances.len()).map(|start| distances.farthest(start).1).max().unwrap_or(0);
        return LongestWalk { steps, is_exact: true };
    }
    // The spot farthest from any spot is at an end of the map: repeat until the path grows no more.
    let mut start = 0;
    let mut steps = 0;
    loop {
        let (end, further) = distances.farthest(start);
        if further <= steps {
            return LongestWalk { steps, is_exact: false };
        }
        (start, steps) = (end, further);
    }
}

fn gold_walk(map: &Map, distances: &Distances) -> Option<GoldWalk> {
    let rules = Rules::default();
    rules.check_room(map).ok()?;
    let mut rng = Rng::new(Seed::new(SEED));
    let games: Vec<Vec<f64>> = (0..LAYOUTS)
        .map(|_| {
            let piles = Piles::spread(map, &rules, &mut rng);
            let free: Vec<Point> = map
                .room_spots()
                .into_iter()
                .filter(|spot| piles.iter().all(|(at, _)| at != *spot))
                .collect();
            let starts = rng.distinct(STARTS, free.len());
            starts
                .into_iter()
                .filter_map(|start| distances.mean_steps_to(free[start], &piles))
                .collect()
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

/// A count as a floating-point number.
fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

#[cfg(test)]
mod tests;
