//! The start gate: at once, with enough people, or by the creator.

use super::*;
use crate::wire::Stage;

const NOT_STARTED: &str = "The game has not started yet.";

fn waits(start: Start, bots: Bots) -> World {
    World::new(GameMeta { bots, start, ..meta() })
}

#[test]
fn at_once_keys_act_from_the_beginning_and_bots_wait_until_somebody_comes() {
    let mut world = waits(Start::AtOnce, bots(2));
    let empty = world.picture(None);
    world.wait(60_000);
    assert_eq!(world.picture(None), empty, "no player has joined yet");
    let mut wall = world.watch(9, None);
    let before = wall.rows(world.now);
    assert_eq!(wall.shown.facts().stage, Some(Stage::Playing));
    world.wait(1500);
    assert_eq!(wall.rows(world.now), before, "people look around first");
    world.wait(3000);
    assert_ne!(wall.rows(world.now), before, "bots walk");
    let players = wall.shown.facts().players.clone().unwrap();
    let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
    assert_eq!(names, ["scout 1", "scout 2"]);
    assert!(players.iter().all(|player| player.bot));
}

#[test]
fn a_game_waits_for_enough_people_and_bots_wait_with_it() {
    let mut world = waits(Start::WithPlayers(2), bots(2));
    let mut ann = world.play(1, 1);
    ann.read(world.now);
    assert_eq!(ann.attached.hello.letter, Some('C'), "bots have joined before");
    assert_eq!(ann.shown.facts().stage, Some(Stage::Waiting { missing: Some(1) }));
    let before = world.picture(None);
    "hjkl".chars().for_each(|key| world.key(&ann, key));
    world.wait(60_000);
    assert_eq!(world.picture(None), before, "nothing has moved");
    assert_eq!(world.direct(), [1; 4].map(|connection| (connection, NOT_STARTED.to_owned())));
    assert!(!world.reports.contains(&GameReport::Started));

    world.play(2, 2);
    assert!(world.reports.contains(&GameReport::Started));
    ann.read(world.now);
    assert_eq!(ann.shown.facts().stage, Some(Stage::Playing));
    let before = world.picture(None);
    world.wait(5000);
    assert_ne!(world.picture(None), before, "bots walk");
}

#[test]
fn a_player_who_leaves_before_the_start_is_missing_again() {
    let mut world = waits(Start::WithPlayers(3), bots(0));
    let mut ann = world.play(1, 1);
    let bob = world.play(2, 2);
    world.key(&bob, 'Q');
    ann.read(world.now);
    assert_eq!(ann.shown.facts().stage, Some(Stage::Waiting { missing: Some(2) }));
    assert_eq!(world.direct(), [], "leaving is allowed at any time");
}

#[test]
fn a_game_waits_for_its_creator() {
    let mut world = waits(Start::ByCreator, bots(0));
    let mut clients: Vec<Client> = (1..=5).map(|person| world.play(person, person)).collect();
    clients[0].read(world.now);
    assert_eq!(clients[0].shown.facts().stage, Some(Stage::Waiting { missing: None }));
    world.handle(GameCommand::Start);
    world.handle(GameCommand::Start);
    let started = world.reports.iter().filter(|report| **report == GameReport::Started);
    assert_eq!(started.count(), 1);
    clients[4].read(world.now);
    assert_eq!(clients[4].shown.facts().stage, Some(Stage::Playing));
    "hjkl".chars().for_each(|key| world.key(&clients[4], key));
    assert_ne!(clients[4].rows(world.now), [""; 0]);
    assert_eq!(world.direct(), []);
}
