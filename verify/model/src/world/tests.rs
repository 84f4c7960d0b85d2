use super::*;

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
