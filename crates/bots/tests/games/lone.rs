//! A bot that plays alone ends the game on any map, with any sight rule and sprint rule.

use std::sync::Arc;

use nuggets_bots::BrainKind;
use nuggets_game::map::generate::{Blueprint, MapStyle, generate};
use nuggets_game::{Map, Rules, Seed, Sight, SightRule, shipped};

use crate::table::Table;

const SIGHTS: [SightRule; 2] = [SightRule::DarkPassages, SightRule::StraightPassages];

/// The scout and the miner end the game within this many keys, with both sprint rules.
fn check(name: &str, sight: &Arc<Sight>, seed: i64, max_keys: u32) {
    for brain in [BrainKind::Scout, BrainKind::Miner] {
        for sprint_stops in [false, true] {
            let rules = Rules { sprint_stops, ..Rules::default() };
            let mut table = Table::new(sight, rules, seed, &[brain]);
            let ended = table.play(max_keys);
            assert!(ended, "{brain} alone on {name}, seed {seed}, sprint_stops {sprint_stops}");
            assert_eq!(table.purses(), [250]);
        }
    }
}

#[test]
fn a_lone_bot_ends_the_game_on_every_shipped_map() {
    for map in shipped::ALL {
        let spots = u32::try_from(map.map().spots().len()).unwrap();
        for rule in SIGHTS {
            let sight = Arc::new(Sight::new(map.map(), rule));
            for seed in 1..=3 {
                check(map.name, &sight, seed, 2 * spots);
            }
        }
    }
}

#[test]
fn a_lone_bot_ends_the_game_with_any_seed() {
    for map in ["main", "cross", "narrow"] {
        let sight = Arc::new(Sight::new(shipped::find(map).unwrap().map(), SIGHTS[0]));
        for seed in 100..140 {
            check(map, &sight, seed, 1_500);
        }
    }
}

#[test]
fn a_lone_bot_ends_the_game_on_generated_maps() {
    for (seed, style) in (1..=45).zip(MapStyle::ALL.into_iter().cycle()) {
        let rows = [14, 21, 30][usize::try_from(seed % 3).unwrap()];
        let map = generate(&Blueprint::new(rows, 60, None, style).unwrap(), Seed::new(seed));
        let spots = u32::try_from(map.spots().len()).unwrap();
        let sight = Arc::new(Sight::new(map, SIGHTS[usize::try_from(seed % 2).unwrap()]));
        check(&format!("{style} of {rows} rows"), &sight, seed, 2 * spots);
    }
}

#[test]
fn a_lone_bot_with_a_vision_range_ends_the_game() {
    for map in ["main", "hall", "hole"] {
        for (vision, seed) in [(1, 5), (2, 1), (3, 2), (5, 3), (10, 4)] {
            let rules = Rules { vision: Some(vision), ..Rules::default() };
            let sight = Sight::new(shipped::find(map).unwrap().map(), SIGHTS[0]);
            let sight = Arc::new(sight.within(rules.vision));
            for brain in [BrainKind::Scout, BrainKind::Miner] {
                let ended = Table::new(&sight, rules, seed, &[brain]).play(3_000);
                assert!(ended, "{brain} on {map}, vision {vision}");
            }
        }
    }
}

/// Drawn against the advice for maps: rooms without boundaries, passages that touch at corners.
#[test]
fn a_lone_bot_ends_the_game_on_an_odd_map() {
    let room = "..........";
    let text = format!(
        "{room}     #   \n{room}#   # #  \n{room} # #   # \n{room}  #     #\n{room}   #####  \n{room}        # \n"
    );
    let map = Map::parse(text.as_bytes()).unwrap().map;
    for rule in SIGHTS {
        let sight = Arc::new(Sight::new(map.clone(), rule));
        (1..=10).for_each(|seed| check("an odd map", &sight, seed, 500));
    }
}
