//! A set of gridpoints of one map: one bit for each.

/// A set of gridpoints of a map, such as a field of view or what a player knows.
/// Gridpoints are given by their index, row after row (see `Map::index`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointSet {
    words: Box<[u64]>,
}

impl PointSet {
    /// The empty set over a map with this many gridpoints.
    pub fn empty(gridpoints: usize) -> Self {
        Self { words: vec![0; gridpoints.div_ceil(64)].into_boxed_slice() }
    }

    /// Adds a gridpoint.
    #[inline]
    pub fn insert(&mut self, index: usize) {
        self.words[index / 64] |= 1 << (index % 64);
    }

    /// Removes a gridpoint.
    pub fn remove(&mut self, index: usize) {
        self.words[index / 64] &= !(1 << (index % 64));
    }

    /// True if the set contains this gridpoint.
    #[inline]
    pub fn contains(&self, index: usize) -> bool {
        self.words[index / 64] >> (index % 64) & 1 == 1
    }

    /// Adds everything in `other`, a set over the same map.
    pub fn add_all(&mut self, other: &Self) {
        assert_eq!(self.words.len(), other.words.len(), "both sets must be over the same map");
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine |= theirs;
        }
    }

    /// All gridpoints of the set in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(place, word)| bits(place, *word))
    }

    /// The same as `add_all`, calling `on_new` with each gridpoint that is new to the set.
    pub fn add_all_with(&mut self, other: &Self, mut on_new: impl FnMut(usize)) {
        assert_eq!(self.words.len(), other.words.len(), "both sets must be over the same map");
        for (place, (mine, theirs)) in self.words.iter_mut().zip(&other.words).enumerate() {
            let new = theirs & !*mine;
            *mine |= new;
            bits(place, new).for_each(&mut on_new);
        }
    }

    /// The gridpoints that are in one of the two sets only, in ascending order. Both must be over the same map.
    pub fn differing<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = usize> + 'a {
        assert_eq!(self.words.len(), other.words.len(), "both sets must be over the same map");
        let both = self.words.iter().zip(&other.words).enumerate();
        both.flat_map(|(place, (mine, theirs))| bits(place, mine ^ theirs))
    }

    /// True if every gridpoint of `other` is in this set.
    pub fn contains_all(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).all(|(mine, theirs)| mine & theirs == *theirs)
    }

    /// The number of gridpoints in the set.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// True if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The bits; the lowest bit of a word is its first gridpoint.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// The memory of the bits in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.words)
    }
}

/// The gridpoints of one word.
fn bits(place: usize, mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(place * 64 + lowest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_contains_what_was_inserted_and_nothing_else() {
        let mut set = PointSet::empty(130);
        assert!(set.is_empty());
        for index in [0, 63, 64, 129] {
            set.insert(index);
        }
        let contained: Vec<usize> = (0..130).filter(|&index| set.contains(index)).collect();
        assert_eq!(contained, [0, 63, 64, 129]);
        assert_eq!(set.iter().collect::<Vec<_>>(), contained);
        set.remove(63);
        assert_eq!((set.len(), set.contains(63)), (3, false));
    }

    #[test]
    fn a_union_contains_both() {
        let mut left = PointSet::empty(70);
        let mut right = PointSet::empty(70);
        left.insert(3);
        right.insert(69);
        assert!(!left.contains_all(&right));
        left.add_all(&right);
        assert!(left.contains_all(&right) && left.contains(3));
        assert_eq!(left.differing(&right).collect::<Vec<_>>(), [3]);
        assert!(!right.contains_all(&left));

        let mut new = vec![];
        right.add_all_with(&left, |index| new.push(index));
        assert_eq!((right, new), (left, vec![3]));
    }
}
