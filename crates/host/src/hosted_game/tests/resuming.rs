//! A game that is resumed from its journal after the server was killed.

use super::*;
use crate::wire::Stage;

fn resumed(world: &World, meta: GameMeta) -> World {
    World::open(meta, setup(), Some(world.journal()))
}

#[test]
fn everybody_comes_back_to_the_same_seat_and_picture() {
    let mut world = World::new(meta());
    let mut clients: Vec<Client> = (1..=3).map(|person| world.play(person, person)).collect();
    for key in "LKJHYUBNLKJHlkjh".chars() {
        for client in &clients {
            world.key(client, key);
        }
        world.wait(100);
    }
    world.key(&clients[1], 'Q');
    let mut again = resumed(&world, meta());
    for (index, person) in [(0, 1), (2, 3)] {
        let mut client = again.play(person, person);
        assert_eq!(client.attached.hello.letter, clients[index].attached.hello.letter);
        assert_eq!(client.rows(again.now), clients[index].rows(world.now));
        assert_eq!(client.shown.facts(), clients[index].shown.facts());
    }
    assert_eq!(again.attach(9, 2, AttachRole::Play).err(), Some(AttachError::HasLeft));
    assert_eq!((again.joined(), again.left()), (world.joined(), world.left()));
    assert_eq!(again.picture(None), world.picture(None));
}

#[test]
fn numbers_from_before_the_restart_mean_nothing() {
    let mut world = World::new(meta());
    let mut ann = world.play(1, 1);
    ann.read(world.now);
    let mut again = World::new(meta());
    again.game = {
        let journal = world.journal();
        let reading = nuggets_record::Recording::read(&journal).unwrap();
        let storage = MemoryStorage { journal, ..MemoryStorage::default() };
        let new = OpenGame::new(meta(), setup(), storage);
        let from = OpenGame { journal: Some(reading), nonce: 1, ..new };
        HostedGame::open(again.now, from).unwrap()
    };
    let back = again.play(1, 1);
    assert_ne!(back.attached.hello.stream, ann.attached.hello.stream);
}

#[test]
fn bots_continue_in_their_seats() {
    let meta = GameMeta { bots: bots(3), start: Start::WithPlayers(1), ..meta() };
    let mut world = World::new(meta.clone());
    let _ann = world.play(1, 1);
    world.wait(3000);
    let mut again = resumed(&world, meta);
    let mut wall = again.watch(9, None);
    wall.read(again.now);
    assert_eq!(again.joined(), ["A", "B", "C", "D"]);
    assert_eq!(wall.shown.facts().stage, Some(Stage::Playing), "it had started");
    let before = wall.shown.rows();
    assert_eq!(before, world.picture(None));
    again.wait(3000);
    assert_ne!(wall.rows(again.now), before);
}

#[test]
fn a_game_that_has_not_started_still_waits() {
    let meta = GameMeta { bots: bots(1), start: Start::ByCreator, ..meta() };
    let mut world = World::new(meta.clone());
    let _ann = world.play(1, 1);
    let again = resumed(&world, meta.clone());
    assert!(!again.game.host.room().has_begun());
    let started = resumed(&world, GameMeta { has_started: true, ..meta });
    assert!(started.game.host.room().has_begun());
}

#[test]
fn a_second_restart_is_as_good_as_the_first() {
    let mut world = World::new(GameMeta { bots: bots(2), ..meta() });
    let ann = world.play(1, 1);
    world.key(&ann, 'L');
    for _ in 0..5 {
        world.wait(700);
        let picture = world.picture(None);
        world = resumed(&world, GameMeta { bots: bots(2), ..meta() });
        assert_eq!(world.picture(None), picture);
    }
    assert_eq!(world.play(1, 1).attached.hello.letter, Some('C'));
}
