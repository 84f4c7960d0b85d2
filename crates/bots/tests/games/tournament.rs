//! Tournaments: each brain collects clearly more than the one before.

use std::sync::Arc;

use nuggets_bots::BrainKind::{self, Miner, Scout, Wanderer};
use nuggets_game::{Rules, Sight, SightRule, shipped};

use crate::table::Table;

const MAPS: [&str; 5] = ["main", "cross", "hole", "maze", "narrow"];
const GAMES_PER_MAP: i64 = 12;
/// Every game ends within this many keys per player.
const MAX_KEYS: u32 = 20_000;

/// Returns the nuggets that each of the two kinds collects in games with equally many bots of both. The kind that joins
/// first alternates from game to game.
fn collected(weaker: BrainKind, stronger: BrainKind, seats_each: usize) -> (u32, u32) {
    let mut less = 0;
    let mut more = 0;
    for map in MAPS {
        let map = shipped::find(map).unwrap().map();
        let sight = Arc::new(Sight::new(map, SightRule::DarkPassages));
        for seed in 1..=GAMES_PER_MAP {
            let pair = if seed % 2 == 0 { [weaker, stronger] } else { [stronger, weaker] };
            let brains = pair.repeat(seats_each);
            let mut table = Table::new(&sight, Rules::default(), seed, &brains);
            assert!(table.play(MAX_KEYS), "seed {seed} does not end");
            for (purse, brain) in table.purses().into_iter().zip(brains) {
                *if brain == stronger { &mut more } else { &mut less } += purse;
            }
        }
    }
    (less, more)
}

#[test]
fn scouts_collect_far_more_than_wanderers() {
    let (wanderers, scouts) = collected(Wanderer, Scout, 2);
    println!("2 wanderers {wanderers}, 2 scouts {scouts}");
    assert!(scouts > 4 * wanderers, "{scouts} to {wanderers}");
}

#[test]
fn miners_collect_far_more_than_scouts() {
    let (scouts, miners) = collected(Scout, Miner, 3);
    println!("3 scouts {scouts}, 3 miners {miners}");
    assert!(miners > 2 * scouts, "{miners} to {scouts}");
    let (scout, miner) = collected(Scout, Miner, 1);
    println!("1 scout {scout}, 1 miner {miner}");
    assert!(miner > 3 * scout, "{miner} to {scout}");
}

/// 26 bots on a small map block each other all the time.
#[test]
fn a_full_table_of_any_mix_ends_the_game() {
    let sight =
        Arc::new(Sight::new(shipped::find("narrow").unwrap().map(), SightRule::DarkPassages));
    for brains in [[Scout, Scout], [Miner, Miner], [Scout, Miner]] {
        for sprint_stops in [false, true] {
            let rules = Rules { sprint_stops, ..Rules::default() };
            for seed in 1..=5 {
                let mut table = Table::new(&sight, rules, seed, &brains.repeat(13));
                assert!(table.play(2_000), "{brains:?}, seed {seed}, sprint_stops {sprint_stops}");
                assert_eq!(table.purses().iter().sum::<u32>(), 250);
            }
        }
    }
}
