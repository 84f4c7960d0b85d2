//! Tests of every choice of a creator, and of the messages for invalid ones.

use nuggets_game::map::check::violations;

use super::*;
use crate::Visibility;

fn spec(json: &str) -> GameSpec {
    serde_json::from_str(json).unwrap()
}

fn prepared(json: &str) -> PreparedGame {
    prepare(&spec(json), Seed::new(7)).unwrap()
}

fn wrong(json: &str) -> (String, String) {
    let error = prepare(&spec(json), Seed::new(7)).unwrap_err();
    (error.field().into_owned(), error.to_string())
}

/// Returns the JSON of a spec with the main map and one more field.
fn main_with(more: &str) -> String {
    format!(r#"{{"map":{{"built_in":"main"}},{more}}}"#)
}

#[test]
fn without_choices_it_is_the_game_of_the_specification() {
    let spec = spec(r#"{"map":{"built_in":"main"}}"#);
    assert_eq!(
        (spec.visibility, spec.start, spec.rated),
        (Visibility::Public, Start::AtOnce, false)
    );
    let game = prepare(&spec, Seed::new(7)).unwrap();
    let map = shipped::find("main").unwrap().map();
    assert_eq!(game.setup, Setup::new(map, Rules::default(), Seed::new(7), Dialect::V2021));
    assert_eq!(game.map_name, "main");
}

#[test]
fn a_random_map_is_that_of_the_preview_but_has_another_seed_for_its_gold() {
    let game = prepared(r#"{"map":{"random":41}}"#);
    assert_eq!(game.setup.map, random_map(41));
    assert_eq!(game.map_name, "random map", "the seed would show the map to its players");
    assert_eq!(game.setup.seed, Seed::new(7));
    assert_eq!(violations(&game.setup.map), []);
}

#[test]
fn an_own_map_is_used_as_it_was_typed() {
    let text = shipped::find("hall").unwrap().text;
    let json = serde_json::json!({ "map": { "own": text } }).to_string();
    let game = prepared(&json);
    assert_eq!(game.setup.map.to_string(), text);
    assert_eq!(game.map_name, "own map");
    let windows = serde_json::json!({ "map": { "own": text.replace('\n', "\r\n") } }).to_string();
    assert_eq!(prepared(&windows).setup.map, game.setup.map);
}

#[test]
fn the_faults_of_an_own_map_are_listed_from_the_top_down_with_help() {
    let text = "+-----+\n|..x..|\n|.....|\n+-----\n";
    let json = serde_json::json!({ "map": { "own": text } }).to_string();
    let error = prepare(&spec(&json), Seed::new(7)).unwrap_err();
    assert_eq!(error.field(), "map");
    let places: Vec<(usize, usize)> =
        error.complaints().iter().map(|c| (c.line, c.column)).collect();
    assert_eq!(places, [(2, 2), (2, 4), (4, 7), (4, 7)]);
    assert_eq!(error.complaints()[1].message, "'x' is no map character");
    assert!(error.complaints().iter().all(|complaint| !complaint.help.is_empty()));
    assert_eq!(error.complaints(), check_map(text, &Rules::default()));
    assert!(error.to_string().contains("line 2, column 2: "), "{error}");
}

#[test]
fn an_own_map_must_have_room_for_the_rules_of_its_game() {
    let wall = format!("+{}+\n", "-".repeat(8));
    let text = format!("{wall}|{dots}|\n|{dots}|\n{wall}", dots = ".".repeat(8));
    let json = serde_json::json!({ "map": { "own": text } }).to_string();
    assert_eq!(wrong(&json).0, "map");
    let small = r#""rules":{"gold":5,"max_piles":5,"players":4}"#;
    let json = serde_json::json!({ "map": { "own": text } }).to_string();
    let json = format!("{},{small}}}", &json[..json.len() - 1]);
    assert_eq!(prepared(&json).setup.rules.max_players, 4);
}

#[test]
fn a_text_that_is_longer_than_any_map_is_not_even_read() {
    let text = "x".repeat(MAX_MAP_BYTES + 1);
    let json = serde_json::json!({ "map": { "own": text } }).to_string();
    assert_eq!(wrong(&json).0, "map");
    assert_eq!(check_map(&text, &Rules::default()).len(), 1);
}

#[test]
fn the_list_of_faults_is_limited() {
    assert_eq!(check_map(&"x".repeat(MAX_MAP_BYTES), &Rules::default()).len(), MAX_COMPLAINTS);
    assert_eq!(check_map(&"+-\n".repeat(20_000), &Rules::default()).len(), MAX_COMPLAINTS);
}

#[test]
fn a_map_text_is_data() {
    for text in ["", "\0", "<script>alert(1)</script>", "\u{202e}+-+\n", "\u{1b}[2J"] {
        let complaints = check_map(text, &Rules::default());
        assert!(!complaints.is_empty(), "{text:?}");
        for complaint in complaints {
            assert!(!complaint.message.contains(['\u{202e}', '\u{1b}', '\0']), "{complaint:?}");
        }
    }
}

#[test]
fn the_rules_of_the_house_are_those_of_the_options() {
    let rules = r#""rules":{"gold":100,"min_piles":5,"max_piles":6,"players":7,"vision":8,"steal":true,
        "drop_on_quit":true,"lifetime":9,"food":10}"#;
    let words = prepared(&main_with(rules)).setup.rules.variants().unwrap();
    let expected =
        "gold 100, 5 to 6 piles, players 7, vision 8, steal, drop-on-quit, lifetime 9, food 10";
    assert_eq!(words, expected);
}

#[test]
fn a_wrong_choice_is_named_by_its_field() {
    for (choice, field) in [
        (r#""rules":{"gold":0}"#, "rules.gold"),
        (r#""rules":{"gold":2000000}"#, "rules.gold"),
        (r#""rules":{"min_piles":0}"#, "rules.min_piles"),
        (r#""rules":{"min_piles":9,"max_piles":3}"#, "rules.min_piles"),
        (r#""rules":{"gold":5,"max_piles":8}"#, "rules.max_piles"),
        (r#""rules":{"players":0}"#, "rules.players"),
        (r#""rules":{"players":27}"#, "rules.players"),
        (r#""rules":{"vision":0}"#, "rules.vision"),
        (r#""rules":{"lifetime":0}"#, "rules.lifetime"),
        (r#""rules":{"lifetime":2000000000}"#, "rules.lifetime"),
        (r#""rules":{"steal":true,"players":1}"#, "rules.steal"),
        (r#""rules":{"drop_on_quit":true,"players":1}"#, "rules.drop_on_quit"),
        (r#""rules":{"food":5}"#, "rules.food"),
        (r#""rules":{"gold":5000,"max_piles":5000}"#, "rules"),
        (r#""bots":{"count":27}"#, "bots.count"),
        (r#""bots":{"count":1,"brain":"genius"}"#, "bots.brain"),
        (r#""bots":{"count":1,"pace_ms":49}"#, "bots.pace_ms"),
        (r#""bots":{"count":1,"pace_ms":10001}"#, "bots.pace_ms"),
        (r#""start":{"with_players":0}"#, "start"),
        (r#""watch_delay_s":601"#, "watch_delay_s"),
    ] {
        assert_eq!(wrong(&main_with(choice)).0, field, "{choice}");
    }
    for (json, message) in [
        (r#"{"map":{"built_in":"../etc/passwd"}}"#, "choose one of main, cross"),
        (
            &main_with(r#""rules":{"players":4},"bots":{"count":5}"#),
            "5 bots don't fit: only 4 players",
        ),
        (&main_with(r#""start":{"with_players":7},"bots":{"count":20}"#), "7 people: only 6 seats"),
    ] {
        assert!(wrong(json).1.contains(message), "{json}");
    }
}

#[test]
fn choices_within_the_limits_are_accepted() {
    assert_eq!(prepared(&main_with(r#""bots":{"count":26}"#)).setup.rules.max_players, 26);
    for choice in [
        r#""start":{"with_players":6},"bots":{"count":20}"#,
        r#""start":"by_creator""#,
        r#""watch_delay_s":600"#,
    ] {
        prepared(&main_with(choice));
    }
}

#[test]
fn a_chosen_seed_gives_the_same_game_and_is_not_for_rated_ones() {
    let seed_of = |spec: &GameSpec| prepare(spec, Seed::new(1)).map(|game| game.setup.seed);
    let chosen = spec(r#"{"map":{"built_in":"main"},"seed":-7}"#);
    assert_eq!(seed_of(&chosen), Ok(Seed::new(-7)));
    let random = spec(r#"{"map":{"built_in":"main"}}"#);
    assert_eq!(seed_of(&random), Ok(Seed::new(1)));
    let rated = seed_of(&spec(r#"{"map":{"built_in":"main"},"seed":7,"rated":true}"#));
    assert_eq!(rated, Err(SpecError::RatedWithSeed));
    assert_eq!(SpecError::RatedWithSeed.field(), "seed");
}
