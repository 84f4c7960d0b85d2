//! A set of gridpoints of one map, a bit for each.

/// Which gridpoints of a map are in: what is seen from a spot, what a player knows.
/// Gridpoints are named by their index, row after row (see `Map::index`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointSet {
    words: Box<[u64]>,
}

impl PointSet {
    /// No gridpoint of a map that has so many.
    pub fn empty(gridpoints: usize) -> Self {
        Self { words: vec![0; gridpoints.div_ceil(64)].into_boxed_slice() }
    }

    /// Puts a gridpoint in.
    pub fn insert(&mut self, index: usize) {
        self.words[index / 64] |= 1 << (index % 64);
    }

    /// Takes a gridpoint out.
    pub fn remove(&mut self, index: usize) {
        self.words[index / 64] &= !(1 << (index % 64));
    }

    /// Is this gridpoint in?
    pub fn contains(&self, index: usize) -> bool {
        self.words[index / 64] >> (index % 64) & 1 == 1
    }

    /// Puts in everything that is in `other`, a set over the same map.
    pub fn add_all(&mut self, other: &Self) {
        assert_eq!(self.words.len(), other.words.len(), "both sets are over one map");
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine |= theirs;
        }
    }

    /// All that are in, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(place, word)| bits(place, *word))
    }

    /// The same as `add_all`, telling of each gridpoint that was not in before.
    pub fn add_all_and_tell(&mut self, other: &Self, mut tell: impl FnMut(usize)) {
        assert_eq!(self.words.len(), other.words.len(), "both sets are over one map");
        for (place, (mine, theirs)) in self.words.iter_mut().zip(&other.words).enumerate() {
            let new = theirs & !*mine;
            *mine |= new;
            bits(place, new).for_each(&mut tell);
        }
    }

    /// Is every gridpoint of `other` in as well?
    pub fn contains_all(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).all(|(mine, theirs)| mine & theirs == *theirs)
    }

    /// How many gridpoints are in.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Is none in?
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The bits, the lowest of a word first.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// The memory that the bits take.
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
    fn what_is_put_in_is_in_and_nothing_else() {
        let mut set = PointSet::empty(130);
        assert!(set.is_empty());
        for index in [0, 63, 64, 129] {
            set.insert(index);
        }
        let inside: Vec<usize> = (0..130).filter(|&index| set.contains(index)).collect();
        assert_eq!(inside, [0, 63, 64, 129]);
        assert_eq!(set.iter().collect::<Vec<_>>(), inside);
        set.remove(63);
        assert_eq!((set.len(), set.contains(63)), (3, false));
    }

    #[test]
    fn a_union_contains_both() {
        let (mut left, mut right) = (PointSet::empty(70), PointSet::empty(70));
        left.insert(3);
        right.insert(69);
        assert!(!left.contains_all(&right));
        left.add_all(&right);
        assert!(left.contains_all(&right) && left.contains(3));
        assert!(!right.contains_all(&left));

        let mut told = vec![];
        right.add_all_and_tell(&left, |index| told.push(index));
        assert_eq!((right, told), (left, vec![3]));
    }
}
