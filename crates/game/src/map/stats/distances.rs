//! Path lengths from spot to spot, by breadth-first search in all eight directions.

use crate::gold::Piles;
use crate::{Direction, Map, Point};

/// Every spot of a map with its neighbours; spots are numbered row after row.
pub(super) struct Distances {
    spots: Vec<Point>,
    beside: Vec<Vec<usize>>,
}

impl Distances {
    pub(super) fn new(map: &Map) -> Self {
        let spots = map.spots();
        let number = |at: Point| spots.binary_search(&at).ok();
        let beside = spots
            .iter()
            .map(|&at| {
                let directions = Direction::ALL.into_iter();
                directions.filter_map(|d| map.spot_beside(at, d)).filter_map(number).collect()
            })
            .collect();
        Self { spots, beside }
    }

    pub(super) fn len(&self) -> usize {
        self.spots.len()
    }

    /// The path length to every spot; `None` where there is no path.
    fn steps_from(&self, start: usize) -> Vec<Option<u32>> {
        let mut steps = vec![None; self.spots.len()];
        let mut ring = vec![start];
        let mut distance = 0;
        steps[start] = Some(0);
        while !ring.is_empty() {
            distance += 1;
            let mut next = Vec::new();
            for &beside in ring.iter().flat_map(|&at| &self.beside[at]) {
                if steps[beside].is_none() {
                    steps[beside] = Some(distance);
                    next.push(beside);
                }
            }
            ring = next;
        }
        steps
    }

    /// The spot that is farthest from this one, and the path length.
    pub(super) fn farthest(&self, start: usize) -> (usize, u32) {
        let steps = self.steps_from(start).into_iter().enumerate();
        let reached = steps.filter_map(|(at, steps)| Some((at, steps?)));
        reached.max_by_key(|(at, steps)| (*steps, std::cmp::Reverse(*at))).unwrap_or((start, 0))
    }

    /// The mean path length from a spot to a nugget, over all that can be reached.
    pub(super) fn mean_steps_to(&self, start: Point, piles: &Piles) -> Option<f64> {
        let steps = self.steps_from(self.spots.binary_search(&start).ok()?);
        let mut total = 0.0;
        let mut nuggets = 0.0;
        for (at, size) in piles.iter() {
            if let Some(steps) = self.spots.binary_search(&at).ok().and_then(|at| steps[at]) {
                total += f64::from(steps) * f64::from(size);
                nuggets += f64::from(size);
            }
        }
        (nuggets > 0.0).then(|| total / nuggets)
    }
}
