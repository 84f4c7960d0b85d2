//! Tests of consistent rules, and of maps with enough room spots for them.

use super::*;

fn room_of(spots: usize) -> Map {
    let wall = format!("+{}+\n", "-".repeat(spots));
    let text = format!("{wall}|{}|\n{wall}", ".".repeat(spots));
    Map::parse(text.as_bytes()).unwrap().map
}

#[test]
fn a_map_needs_a_spot_for_each_of_26_players_and_30_piles() {
    assert_eq!(Rules::default().check_room(&room_of(56)), Ok(()));
    let rejected = Rules::default().check_room(&room_of(55)).unwrap_err();
    assert_eq!(
        rejected.to_string(),
        "lines 1 to 3, columns 1 to 57: found 55 room spots '.', but 56 are needed: 26 for \
         players and 30 for piles of gold. Draw larger rooms, or more of them"
    );
}

#[test]
fn food_needs_spots_too_and_fewer_players_need_fewer() {
    let lifetime = Some(Lifetime { steps: 50, food: 4 });
    let rules = Rules { max_players: 2, max_piles: 10, lifetime, ..Rules::default() };
    assert_eq!(rules.check_room(&room_of(16)), Ok(()));
    let rejected = rules.check_room(&room_of(15)).unwrap_err().to_string();
    assert!(
        rejected.contains("2 for players, 10 for piles of gold and 4 for food. Draw"),
        "{rejected}"
    );
}

#[test]
fn rules_that_make_no_sense_are_rejected_with_the_reason() {
    let usual = Rules::default();
    let life = |steps| Some(Lifetime { steps, food: 0 });
    let cases = [
        (Rules { nuggets: 0, ..usual }, "gold must be 1 to 1000000, not 0"),
        (Rules { nuggets: 1_000_001, ..usual }, "gold must be 1 to 1000000, not 1000001"),
        (Rules { min_piles: 0, ..usual }, "min-piles must be 1"),
        (Rules { min_piles: 31, ..usual }, "31 is more than 30"),
        (
            Rules { nuggets: 29, ..usual },
            "30 piles need at least 30 nuggets, but there are only 29",
        ),
        (Rules { max_players: 0, ..usual }, "players must be 1 to 26, not 0"),
        (Rules { max_players: 27, ..usual }, "players must be 1 to 26, not 27"),
        (Rules { vision: Some(0), ..usual }, "vision must be 1"),
        (Rules { lifetime: life(0), ..usual }, "lifetime must be 1"),
        (Rules { lifetime: life(u32::MAX), ..usual }, "lifetime must be 1 to 1000000000"),
        (Rules { steal: true, max_players: 1, ..usual }, "single player, steal has no effect"),
        (
            Rules { drop_on_quit: true, max_players: 1, ..usual },
            "player, drop-on-quit has no effect",
        ),
    ];
    for (rules, reason) in cases {
        let rejected = rules.check().unwrap_err().to_string();
        assert!(rejected.contains(reason), "{rejected}");
    }
    assert_eq!(usual.check(), Ok(()));
    assert_eq!(Rules { nuggets: 30, max_players: 1, ..usual }.check(), Ok(()));
}

#[test]
fn variants_are_named_by_their_options() {
    let rules = Rules {
        nuggets: 100,
        min_piles: 5,
        max_piles: 8,
        max_players: 4,
        vision: Some(7),
        steal: true,
        drop_on_quit: true,
        lifetime: Some(Lifetime { steps: 60, food: 9 }),
        ..Rules::default()
    };
    assert_eq!(
        rules.variants().unwrap(),
        "gold 100, 5 to 8 piles, players 4, vision 7, steal, drop-on-quit, lifetime 60, food 9"
    );
    let of_the_specification =
        Rules { sprint_stops: true, end_when_empty: true, ..Rules::default() };
    assert_eq!(of_the_specification.variants(), None);
}

#[test]
fn players_read_only_what_is_unusual() {
    assert_eq!(Rules::default().sentences(), [""; 0]);
    let lifetime = Some(Lifetime { steps: 90, food: 3 });
    let rules = Rules { vision: Some(5), steal: true, lifetime, ..Rules::default() };
    assert_eq!(
        rules.sentences(),
        [
            "You see 5 steps far.",
            "Step onto a player to steal its purse.",
            "You have 90 steps.",
            "3 pieces of food (%) restore all your steps."
        ]
    );
    let hungry = Rules { lifetime: Some(Lifetime { steps: 90, food: 0 }), ..Rules::default() };
    assert_eq!(hungry.sentences(), ["You have 90 steps."]);
}
