//! The random numbers of a bot: a seeded stream that is the same on every platform.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng};

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct BotRng {
    stream: ChaCha8Rng,
}

impl BotRng {
    /// The stream of this seed. The seed is the key's first eight bytes, little-endian.
    pub(crate) fn new(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self { stream: ChaCha8Rng::from_seed(key) }
    }

    /// A whole number below `bound`. Small ones are more likely by less than one in a million for the
    /// bounds used here.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        self.stream.next_u32() % bound
    }

    /// Returns one of these; `None` if there are none.
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        let count = u32::try_from(from.len()).ok().filter(|&count| count > 0)?;
        from.get(self.below(count) as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_of_a_seed_never_changes() {
        let mut rng = BotRng::new(1);
        assert_eq!([(); 6].map(|()| rng.below(1000)), [719, 553, 702, 218, 202, 886]);
    }

    #[test]
    fn nothing_is_picked_from_an_empty_slice() {
        assert_eq!(BotRng::new(1).pick::<u8>(&[]), None);
        assert_eq!(BotRng::new(1).pick(&[5]), Some(5));
    }
}
