//! Whole games of brains, without a bot that helps them: none stalls, and each collects clearly more than the one
//! before.

use nuggets_game::map::generate::{Blueprint, MapStyle, generate};

use super::*;

/// Plays this many games and checks that each ends within this many rounds.
fn play(
    map: &Map,
    entrants: &[Entrant],
    (dialect, rules): (Dialect, Rules),
    games: u64,
    max_rounds: u32,
) -> Vec<f64> {
    let maps = vec![MapSource::Map(map.clone())];
    let arena = Arena { rules, dialect, max_rounds, ..Arena::new(entrants.to_vec(), maps) };
    let Standings { games: played, unfinished, rows } = run(&arena, games, 2);
    let names: Vec<&str> = entrants.iter().map(|entrant| &entrant.name[..]).collect();
    assert_eq!((played, unfinished), (games, 0), "{names:?}, {dialect}, {rules:?} on\n{map}");
    rows.iter().map(|row| row.mean_purse).collect()
}

/// The scout and the miner end these games alone within this many keys, with both sprint rules.
fn check_alone(map: &Map, dialect: Dialect, games: u64, max_keys: u32) {
    for brain in [BrainKind::Scout, BrainKind::Miner] {
        for sprint_stops in [false, true] {
            let rules = Rules { sprint_stops, ..Rules::default() };
            let alone = [Entrant::brain(brain, 1)];
            assert_eq!(play(map, &alone, (dialect, rules), games, max_keys), [250.0]);
        }
    }
}

fn shipped_map(name: &str) -> Map {
    shipped::find(name).unwrap().map()
}

fn double_spots(map: &Map) -> u32 {
    2 * u32::try_from(map.spots().len()).unwrap()
}

#[test]
fn a_lone_brain_ends_the_game_on_every_shipped_map() {
    for map in shipped::ALL.map(|shipped| shipped.map()) {
        for dialect in Dialect::ALL {
            check_alone(&map, dialect, 3, double_spots(&map));
        }
    }
}

#[test]
fn a_lone_brain_ends_the_game_with_any_seed() {
    for name in ["main", "cross", "narrow"] {
        check_alone(&shipped_map(name), Dialect::V2021, 40, 1_500);
    }
}

#[test]
fn a_lone_brain_ends_the_game_on_generated_maps() {
    for (seed, style) in (1..=45).zip(MapStyle::ALL.into_iter().cycle()) {
        let rows = [14, 21, 30][usize::try_from(seed % 3).unwrap()];
        let map = generate(&Blueprint::new(rows, 60, None, style).unwrap(), Seed::new(seed));
        check_alone(&map, Dialect::ALL[usize::try_from(seed % 2).unwrap()], 1, double_spots(&map));
    }
}

#[test]
fn a_lone_brain_with_a_vision_range_ends_the_game() {
    for name in ["main", "hall", "hole"] {
        for vision in [1, 2, 3, 5, 10] {
            let rules = Rules { vision: Some(vision), ..Rules::default() };
            for brain in [BrainKind::Scout, BrainKind::Miner] {
                let alone = [Entrant::brain(brain, 1)];
                play(&shipped_map(name), &alone, (Dialect::V2021, rules), 1, 3_000);
            }
        }
    }
}

/// Drawn against the advice for maps: rooms without boundaries, passages that touch at corners.
#[test]
fn a_lone_brain_ends_the_game_on_an_odd_map() {
    let room = "..........";
    let text = format!(
        "{room}     #   \n{room}#   # #  \n{room} # #   # \n{room}  #     #\n{room}   #####  \n{room}        # \n"
    );
    let map = Map::parse(text.as_bytes()).unwrap().map;
    for dialect in Dialect::ALL {
        check_alone(&map, dialect, 10, 500);
    }
}

#[test]
fn each_brain_collects_far_more_than_the_one_before() {
    for (weaker, stronger, seats_each, factor) in [
        (BrainKind::Wanderer, BrainKind::Scout, 2, 4.0),
        (BrainKind::Scout, BrainKind::Miner, 3, 2.0),
        (BrainKind::Scout, BrainKind::Miner, 1, 3.0),
    ] {
        let entrants = [weaker, stronger].map(|brain| Entrant::brain(brain, seats_each));
        let mut sums = [0.0; 2];
        for name in ["main", "cross", "hole", "maze", "narrow"] {
            let game = (Dialect::V2021, Rules::default());
            let purses = play(&shipped_map(name), &entrants, game, 12, 20_000);
            // The mean of a seat and game.
            let seats = f64::from(u32::try_from(12 * seats_each).unwrap());
            sums.iter_mut().zip(purses).for_each(|(sum, purse)| *sum += seats * purse);
        }
        println!("{seats_each} {weaker}, {seats_each} {stronger}: {sums:.0?}");
        assert!(sums[1] > factor * sums[0], "{weaker} {stronger} {seats_each}: {sums:?}");
    }
}

/// 26 bots on a small map block each other all the time.
#[test]
fn a_full_game_of_any_mix_ends() {
    for brains in
        [&[BrainKind::Scout][..], &[BrainKind::Miner], &[BrainKind::Scout, BrainKind::Miner]]
    {
        let seats = 26 / brains.len();
        let entrants: Vec<Entrant> =
            brains.iter().map(|brain| Entrant::brain(*brain, seats)).collect();
        for sprint_stops in [false, true] {
            let rules = Rules { sprint_stops, ..Rules::default() };
            play(&shipped_map("narrow"), &entrants, (Dialect::V2021, rules), 5, 2_000);
        }
    }
}
