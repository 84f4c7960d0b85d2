//! How many steps it is from spot to spot, in all eight directions.

use crate::gold::Piles;
use crate::{Direction, Map, Point};

/// Every spot of a map with its neighbours; spots are numbered row after row.
pub(super) struct Walks {
    spots: Vec<Point>,
    beside: Vec<Vec<usize>>,
}

impl Walks {
    pub(super) fn new(map: &Map) -> Self {
        let spots = map.spots();
        let number = |at: Point| spots.binary_search(&at).ok();
        let beside = spots
            .iter()
            .map(|&at| {
                let ways = Direction::ALL.into_iter();
                ways.filter_map(|way| map.spot_beside(at, way)).filter_map(number).collect()
            })
            .collect();
        Self { spots, beside }
    }

    pub(super) fn len(&self) -> usize {
        self.spots.len()
    }

    /// The steps to every spot; none where there is no way.
    fn steps_from(&self, start: usize) -> Vec<Option<u32>> {
        let mut steps = vec![None; self.spots.len()];
        let (mut ring, mut distance) = (vec![start], 0);
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

    /// The spot that is farthest from here, and how far.
    pub(super) fn farthest(&self, start: usize) -> (usize, u32) {
        let steps = self.steps_from(start).into_iter().enumerate();
        let reached = steps.filter_map(|(at, steps)| Some((at, steps?)));
        reached.max_by_key(|(at, steps)| (*steps, std::cmp::Reverse(*at))).unwrap_or((start, 0))
    }

    /// In how many parts the spots fall.
    pub(super) fn parts(&self) -> usize {
        let mut met = vec![false; self.spots.len()];
        let mut parts = 0;
        for start in 0..self.spots.len() {
            if !met[start] {
                parts += 1;
                let steps = self.steps_from(start).into_iter().enumerate();
                steps.filter(|(_, steps)| steps.is_some()).for_each(|(at, _)| met[at] = true);
            }
        }
        parts
    }

    /// The steps from a spot to a nugget, on average over all that can be reached.
    pub(super) fn steps_to(&self, start: Point, piles: &Piles) -> Option<f64> {
        let steps = self.steps_from(self.spots.binary_search(&start).ok()?);
        let (mut total, mut nuggets) = (0.0, 0.0);
        for (at, size) in piles.iter() {
            if let Some(steps) = self.spots.binary_search(&at).ok().and_then(|at| steps[at]) {
                total += f64::from(steps) * f64::from(size);
                nuggets += f64::from(size);
            }
        }
        (nuggets > 0.0).then(|| total / nuggets)
    }
}
