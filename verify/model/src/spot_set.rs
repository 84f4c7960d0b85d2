//! A set of gridpoints of one map.

use crate::Spot;

/// One flag for each gridpoint. Gridpoints outside the map are never in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpotSet {
    rows: Vec<Vec<bool>>,
}

impl SpotSet {
    /// The empty set, for a map of this size.
    pub(crate) fn new(rows: i64, cols: i64) -> Self {
        let length = |count: i64| usize::try_from(count).unwrap_or(0);
        Self { rows: vec![vec![false; length(cols)]; length(rows)] }
    }

    /// True if the gridpoint is in the set.
    pub fn contains(&self, (row, col): Spot) -> bool {
        let index = |number: i64| usize::try_from(number).ok();
        let flag = index(row).and_then(|row| self.rows.get(row)?.get(index(col)?));
        flag.copied().unwrap_or(false)
    }

    /// All gridpoints in the set, row by row.
    pub fn spots(&self) -> Vec<Spot> {
        let mut spots = Vec::new();
        for (row, flags) in (0..).zip(&self.rows) {
            for (col, flag) in (0..).zip(flags) {
                if *flag {
                    spots.push((row, col));
                }
            }
        }
        spots
    }

    pub(crate) fn insert(&mut self, (row, col): Spot) {
        let index = |number: i64| usize::try_from(number).ok();
        let flag = index(row).and_then(|row| self.rows.get_mut(row)?.get_mut(index(col)?));
        if let Some(flag) = flag {
            *flag = true;
        }
    }

    /// Adds all gridpoints of the other set, which must be of the same map.
    pub(crate) fn add(&mut self, other: &Self) {
        for (own, other) in self.rows.iter_mut().zip(&other.rows) {
            for (own, other) in own.iter_mut().zip(other) {
                *own |= other;
            }
        }
    }

    /// True if the other set, of the same map, contains all gridpoints of this one.
    pub(crate) fn is_subset(&self, other: &Self) -> bool {
        let rows = self.rows.iter().zip(&other.rows);
        rows.flat_map(|(own, other)| own.iter().zip(other)).all(|(own, other)| !own || *other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_added_and_nothing_outside_the_map() {
        let mut set = SpotSet::new(2, 3);
        for spot in [(1, 2), (0, 1), (2, 0), (0, 3), (-1, 0)] {
            set.insert(spot);
        }
        assert_eq!(set.spots(), [(0, 1), (1, 2)]);
        assert!(set.contains((1, 2)) && !set.contains((1, 1)) && !set.contains((-1, 0)));
        let mut more = SpotSet::new(2, 3);
        more.insert((0, 0));
        assert!(!set.is_subset(&more));
        more.add(&set);
        assert_eq!(more.spots(), [(0, 0), (0, 1), (1, 2)]);
        assert!(set.is_subset(&more) && !more.is_subset(&set));
    }
}
