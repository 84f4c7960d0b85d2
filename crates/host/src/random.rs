//! Random bytes of the system, for ids, tokens and seeds that must not be guessed.

use nuggets_game::Seed;

use crate::GameId;

/// Returns random bytes. Panics if the system has none, because the host could not keep anything secret.
pub(crate) fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    bytes
}

pub(crate) fn game_id() -> GameId {
    GameId::from_random(bytes())
}

/// Returns the seed of a new game: positive, as the specification requires.
pub(crate) fn seed() -> Seed {
    Seed::new((i64::from_le_bytes(bytes()) & i64::MAX).max(1))
}

/// Returns the id of a process run of a node: positive as a signed integer, because databases have no unsigned ones.
pub(crate) fn run_id() -> u64 {
    (u64::from_le_bytes(bytes()) >> 1).max(1)
}

/// Returns a secret that people can copy: 26 letters and digits, 130 bits.
pub(crate) fn secret_text() -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz023456789";
    bytes::<26>().iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect()
}
