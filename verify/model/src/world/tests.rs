use super::*;
use crate::Year;

const MAP: &str = "\
+----+   
|....##  
|....|#..
+----+   
";
const ANN: u64 = 1;
const BOB: u64 = 2;
const EVE: u64 = 3;

fn settings(piles: &[(Spot, u32)]) -> ModelSettings {
    ModelSettings {
        gold: piles.iter().map(|(_, nuggets)| nuggets).sum(),
        min_piles: 1,
        max_piles: 9,
        piles: piles.iter().copied().collect(),
        ..ModelSettings::default()
    }
}

/// Ann at the upper left, Bob two spots to the right of her.
fn two(settings: ModelSettings) -> World {
    let mut world = World::new(MAP, settings);
    world.handle_message(ANN, b"PLAY Ann", Some((1, 1)));
    world.handle_message(BOB, b"PLAY Bob", Some((1, 3)));
    assert_eq!(world.check(), [""; 0]);
    world
}

/// Sends a message, checks the invariants, and returns the first line of every answer to each peer.
fn say(world: &mut World, peer: u64, message: &str) -> [Vec<String>; 3] {
    let answers = world.handle_message(peer, message.as_bytes(), None);
    assert_eq!(world.check(), [""; 0]);
    assert_eq!(world.check_sent(&answers), [""; 0]);
    assert_eq!(world.check_memory(), [""; 0]);
    [ANN, BOB, EVE].map(|peer| {
        let mine = answers.iter().filter(|(to, _)| *to == peer);
        let text = mine.map(|(_, message)| String::from_utf8(message.clone()).unwrap());
        text.map(|text| text.lines().next().unwrap().to_owned()).collect()
    })
}

#[test]
fn a_sprint_swaps_with_players_and_continues_over_gold() {
    let mut world = two(settings(&[((1, 2), 5), ((2, 8), 1)]));
    let [ann, bob, _] = say(&mut world, ANN, "KEY L");
    assert_eq!(ann, ["GOLD 5 5 1", "DISPLAY"]);
    assert_eq!(bob, ["GOLD 0 0 1", "DISPLAY"]);
    assert_eq!(world.draw(EVE), "+----+   \n|.B..#A  \n|....|#.*\n+----+   \n");
    // From the passage she sees the other room; of the first she knows the map, but does not see Bob.
    assert_eq!(world.draw(ANN), "+----+   \n|....#@  \n|....|#.*\n+----+   \n");
    assert_eq!(say(&mut world, ANN, "KEY L"), [[""; 0]; 3]);
}

#[test]
fn a_sprint_that_stops_does_so_on_gold_and_on_players() {
    let rules = ModelSettings { sprint_stops: true, ..settings(&[((1, 2), 5), ((2, 8), 1)]) };
    let mut world = two(rules);
    say(&mut world, ANN, "KEY L");
    assert_eq!(world.players()[0].at, Some((1, 2)));
    say(&mut world, ANN, "KEY L");
    assert_eq!(world.players()[0].at, Some((1, 3)));
    assert_eq!(world.players()[1].at, Some((1, 2)));
}

#[test]
fn a_theft_is_sent_only_to_the_thief_and_the_robbed() {
    let mut world = two(ModelSettings { steal: true, ..settings(&[((1, 2), 5), ((2, 8), 1)]) });
    say(&mut world, EVE, "SPECTATE");
    say(&mut world, ANN, "KEY l");
    let [ann, bob, eve] = say(&mut world, BOB, "KEY h");
    assert_eq!(ann, ["GOLD 0 0 1", "DISPLAY"]);
    assert_eq!(bob, ["GOLD 5 5 1", "DISPLAY"]);
    assert_eq!(eve, ["DISPLAY"]);
}

#[test]
fn gold_is_dropped_where_its_owner_left() {
    let mut world =
        two(ModelSettings { drop_on_quit: true, ..settings(&[((1, 2), 5), ((2, 8), 1)]) });
    say(&mut world, ANN, "KEY l");
    let [ann, bob, _] = say(&mut world, ANN, "KEY Q");
    assert_eq!(ann, ["QUIT Thanks for playing!"]);
    assert_eq!(bob, ["GOLD 0 0 6", "DISPLAY"]);
    assert_eq!(world.piles()[&(1, 2)], 5);
    assert_eq!(say(&mut world, ANN, "KEY Q")[0], ["QUIT Thanks for playing!"]);
    assert_eq!(say(&mut world, ANN, "PLAY Ann")[0], [format!("QUIT {GONE}")]);
}

#[test]
fn steps_are_spent_and_food_gives_a_whole_lifetime() {
    let rules = ModelSettings {
        lifetime: Some(2),
        food: 1,
        food_at: [(2, 2)].into(),
        ..settings(&[((1, 2), 5), ((2, 8), 1)])
    };
    let mut world = two(rules);
    assert_eq!(say(&mut world, ANN, "KEY j")[0], ["DISPLAY", "ERROR 1 step left"]);
    assert_eq!(say(&mut world, ANN, "KEY l")[0], ["DISPLAY", "ERROR 2 steps left"]);
    let [ann, bob, _] = say(&mut world, ANN, "KEY L");
    assert_eq!(ann, ["QUIT You have no steps left and are out of the game."]);
    assert_eq!(bob, ["DISPLAY"]);
    assert_eq!(say(&mut world, ANN, "KEY h")[0], [format!("QUIT {GONE}")]);
}

#[test]
fn the_last_nugget_ends_the_game_in_both_dialects() {
    for year in [Year::Y2021, Year::Y2019] {
        let mut world = two(ModelSettings { year, lifetime: Some(1), ..settings(&[((1, 2), 5)]) });
        let [ann, bob, eve] = say(&mut world, ANN, "KEY l");
        let end: &[&str] = match year {
            Year::Y2021 => &["QUIT GAME OVER:"],
            Year::Y2019 => &["GAMEOVER", "QUIT"],
        };
        assert_eq!(ann, [&["GOLD 5 5 0", "DISPLAY"], end].concat());
        assert_eq!(bob, [&["GOLD 0 0 0", "DISPLAY"], end].concat());
        assert_eq!(eve, [""; 0]);
        assert_eq!(world.table(), "A          5 Ann\nB          0 Bob");
        assert_eq!(say(&mut world, BOB, "KEY l"), [[""; 0]; 3]);
    }
}

#[test]
fn a_new_spectator_replaces_the_old_and_a_retry_does_not() {
    let mut world = World::new(MAP, settings(&[((1, 2), 250)]));
    let welcome = ["GRID 4 9", "GOLD 0 0 250", "DISPLAY", "ERROR House rules: 1 to 9 piles"];
    assert_eq!(say(&mut world, ANN, "SPECTATE")[0], welcome);
    assert_eq!(say(&mut world, ANN, "SPECTATE")[0], welcome);
    let [ann, bob, _] = say(&mut world, BOB, "SPECTATE");
    assert_eq!(ann, ["QUIT You have been replaced by a new spectator."]);
    assert_eq!(bob, welcome);
    assert_eq!(say(&mut world, ANN, "KEY Q")[0], ["ERROR You have not joined."]);
}

#[test]
fn an_illegal_start_is_reported() {
    let world = World::new(MAP, settings(&[((1, 5), 5)]));
    assert_eq!(world.check(), ["something was laid at (1, 5), which is no room spot"]);
    let none = ModelSettings { gold: 1, ..settings(&[]) };
    assert_eq!(World::new(MAP, none).check().len(), 2);

    let landings = [Some((1, 5)), Some((1, 2)), Some((1, 3)), Some((0, 0)), None];
    for landing in landings {
        let mut world = two(settings(&[((1, 2), 5)]));
        world.handle_message(EVE, b"PLAY Eve", landing);
        assert!(!world.check().is_empty(), "{landing:?}");
    }
    let mut world = two(settings(&[((1, 2), 5)]));
    world.handle_message(EVE, b"PLAY ", Some((2, 2)));
    assert_eq!(world.check(), ["peer 3 landed, but must not join"]);
}

#[test]
fn two_occupants_of_one_spot_are_reported() {
    let world = two(settings(&[((1, 2), 5), ((2, 8), 1)]));
    let mut crowded = world.clone();
    crowded.players[0].at = crowded.players[1].at;
    assert!(crowded.check().contains(&"two things are at (1, 3)".to_owned()));
    let mut buried = world;
    buried.players[0].at = Some((1, 2));
    assert!(buried.check().contains(&"two things are at (1, 2)".to_owned()));
}

#[test]
fn a_picture_that_shows_too_much_is_reported() {
    let mut world = two(settings(&[((1, 2), 5), ((2, 8), 1)]));
    let sent = |picture: &str| vec![(ANN, format!("DISPLAY\n{picture}").into_bytes())];
    let right = world.draw(ANN);
    assert_eq!(right, "+----+   \n|@*B.#   \n|....|   \n+----+   \n");
    assert_eq!(world.check_sent(&sent(&right)), [""; 0]);
    for (shown, leak) in [("#   ", "##  "), ("|   ", "|  *"), ("@*B.", "@*.B"), ("@*B", "@*C")] {
        assert_eq!(world.check_sent(&sent(&right.replacen(shown, leak, 1))).len(), 1, "{leak}");
    }
    let ok = |peer| (peer, b"OK A".to_vec());
    assert_eq!(world.check_sent(&[ok(ANN), ok(ANN)]), [""; 0]);
    assert_eq!(world.check_sent(&[ok(BOB)]), ["letter A went to peers 1 and 2"]);
}

#[test]
fn a_name_that_is_blank_only_when_cut_may_be_accepted_or_rejected() {
    let name = format!("PLAY {}x", " ".repeat(50));
    for landing in [Some((2, 2)), None] {
        let mut world = two(settings(&[((1, 2), 5)]));
        world.handle_message(EVE, name.as_bytes(), landing);
        assert_eq!(world.check(), [""; 0]);
        assert_eq!(world.players().len(), if landing.is_some() { 3 } else { 2 });
    }
}
