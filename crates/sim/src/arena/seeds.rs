//! One seed becomes many: for every game and purpose another, the same on every run.

use nuggets_game::{Chance, Seed};

/// What a derived seed is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Game,
    Map,
    Order,
    /// The brain on this seat.
    Seat(u64),
}

/// The seed of a game for a purpose; positive, so that it can be typed again.
pub(super) fn derive(seed: Seed, game: u64, purpose: Purpose) -> Seed {
    let stream = match purpose {
        Purpose::Game => 0,
        Purpose::Map => 1,
        Purpose::Order => 2,
        Purpose::Seat(seat) => 3 + seat,
    };
    let mixed = mix(mix(mix(seed.number().cast_unsigned()) ^ game) ^ stream);
    Seed::new((mixed >> 1).cast_signed().max(1))
}

/// The seed of the brain on a seat.
pub(super) fn of_seat(seed: Seed, game: u64, seat: usize) -> u64 {
    derive(seed, game, Purpose::Seat(seat as u64)).number().cast_unsigned()
}

/// The order in which the seats join a game.
pub(super) fn order(seed: Seed, game: u64, seats: usize) -> Vec<usize> {
    Chance::new(derive(seed, game, Purpose::Order)).distinct(seats, seats)
}

/// Spreads neighbouring numbers far apart, one to one (the finisher of splitmix64).
fn mix(number: u64) -> u64 {
    let z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
