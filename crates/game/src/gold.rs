//! Piles of gold, and how they are spread at the start of a game.

use crate::{Map, Point, Rng, Rules};

/// The piles on the map, in the order in which they were laid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piles {
    piles: Vec<(Point, u32)>,
}

impl Piles {
    /// Piles laid by hand.
    pub(crate) fn new(piles: Vec<(Point, u32)>) -> Self {
        Self { piles }
    }

    /// Spreads all nuggets over different room spots.
    ///
    /// Every number of piles in `min_piles..=max_piles` is equally likely; so is every division of
    /// the nuggets among them. The map must have enough room spots (see `Rules::check_room`).
    pub(crate) fn spread(map: &Map, rules: &Rules, rng: &mut Rng) -> Self {
        let count = rules.min_piles + rng.below(rules.max_piles - rules.min_piles + 1);
        let sizes = divide(rules.nuggets, count, rng);
        let spots = map.room_spots();
        let chosen = rng.distinct(sizes.len(), spots.len());
        Self { piles: chosen.into_iter().map(|index| spots[index]).zip(sizes).collect() }
    }

    /// Every pile with its size.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Point, u32)> + '_ {
        self.piles.iter().copied()
    }

    /// Removes the pile on this spot and returns its size.
    pub(crate) fn remove(&mut self, at: Point) -> Option<u32> {
        let found = self.piles.iter().position(|(spot, _)| *spot == at)?;
        Some(self.piles.remove(found).1)
    }

    /// Adds a pile.
    pub(crate) fn add(&mut self, at: Point, nuggets: u32) {
        self.piles.push((at, nuggets));
    }

    /// The nuggets in all piles.
    pub(crate) fn nuggets(&self) -> u32 {
        self.piles.iter().map(|(_, size)| size).sum()
    }
}

/// Cuts a row of nuggets into this many parts, none of them empty: the cuts are distinct gaps
/// between neighbours.
fn divide(nuggets: u32, parts: u32, rng: &mut Rng) -> Vec<u32> {
    assert!((1..=nuggets).contains(&parts), "{nuggets} nuggets can't make {parts} piles");
    let gaps: Vec<u32> = (1..nuggets).collect();
    let cuts = rng.distinct(parts as usize - 1, gaps.len());
    let mut ends: Vec<u32> = cuts.into_iter().map(|cut| gaps[cut]).chain([nuggets]).collect();
    ends.sort_unstable();
    ends.into_iter().scan(0, |start, end| Some(end - std::mem::replace(start, end))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Seed, Tile, shipped};

    fn piles(seed: i64) -> Vec<(Point, u32)> {
        let map = shipped::ALL[0].map();
        Piles::spread(&map, &Rules::default(), &mut Rng::new(Seed::new(seed))).piles
    }

    #[test]
    fn all_nuggets_lie_in_full_piles_on_different_room_spots() {
        let map = shipped::ALL[0].map();
        for seed in 0..300 {
            let piles = piles(seed);
            assert_eq!(piles.iter().map(|(_, size)| size).sum::<u32>(), 250);
            assert!(piles.iter().all(|(at, size)| *size >= 1 && map.tile(*at) == Some(Tile::Room)));
            let mut spots: Vec<Point> = piles.iter().map(|(at, _)| *at).collect();
            spots.sort_unstable();
            spots.dedup();
            assert_eq!(spots.len(), piles.len());
        }
    }

    #[test]
    fn every_number_of_piles_from_10_to_30_occurs() {
        let mut counts: Vec<usize> = (0..600).map(|seed| piles(seed).len()).collect();
        counts.sort_unstable();
        counts.dedup();
        assert_eq!(counts, (10..=30).collect::<Vec<_>>());
    }

    #[test]
    fn pile_sizes_vary() {
        let sizes: Vec<u32> = (0..50).flat_map(piles).map(|(_, size)| size).collect();
        assert_eq!(sizes.iter().min(), Some(&1));
        assert!(sizes.iter().max() > Some(&60), "no large pile in fifty games");
        let mut different = sizes.clone();
        different.sort_unstable();
        different.dedup();
        assert!(different.len() > 30, "only {} sizes", different.len());
    }

    #[test]
    fn gold_can_be_divided_to_the_last_nugget() {
        let mut rng = Rng::new(Seed::new(1));
        assert_eq!(divide(5, 5, &mut rng), [1; 5]);
        assert_eq!(divide(5, 1, &mut rng), [5]);
    }
}
