//! Test of the memory of a game without connections.

#![expect(clippy::unwrap_used, reason = "tests fail by panics")]

use nuggets_game::{Rules, Seed, Setup, shipped};
use nuggets_host::{
    Attach, AttachRole, Bots, ConnectionId, GameCommand, GameId, GameMeta, GameOutput, HostedGame,
    OpenGame, PlayerId, StreamReader,
};
use nuggets_protocol::Dialect;
use nuggets_server::{NoStorage, Timestamp};
use nuggets_time::Clock;

/// Half of the goal for resident memory, which includes the rest of the process and unused parts of pages.
const MAX_BYTES: i64 = 100_000;
const MINUTE_MS: u64 = 60_000;

fn meta(bots: u8) -> GameMeta {
    let id = GameId::from_random([1; 12]);
    let meta = GameMeta::new(id, "main".into(), PlayerId(1), "Ann".into());
    GameMeta { bots: Bots { count: bots, ..Bots::default() }, ..meta }
}

/// Lets people and bots walk for a while; then closes all connections and lets a minute pass.
fn play_for_a_while(game: &mut HostedGame<NoStorage>, people: u64) {
    let mut now = Timestamp(0);
    let mut readers = Vec::new();
    for person in 0..people {
        let (connection, name) = (ConnectionId(person), format!("Person {person}"));
        let attach = Attach::new(connection, PlayerId(person), name, AttachRole::Play);
        game.handle(now, GameCommand::Attach(Box::new(attach)));
        while let Some(output) = game.poll_output() {
            if let GameOutput::Answer(_, attached) = output {
                let attached = attached.unwrap();
                readers.push(attached.stream.reader(Clock::start(), attached.audience, None));
            }
        }
    }
    for key in "lkjhyubnLKJHYUBN".chars().cycle().take(400) {
        now = now.after(50);
        game.handle(now, GameCommand::Timeout);
        let press = |person| GameCommand::Key(ConnectionId(person), key);
        (0..people).for_each(|person| game.handle(now, press(person)));
        assert!(readers.iter_mut().filter_map(StreamReader::read).all(|text| !text.is_empty()));
        drain(game);
    }
    drop(readers);
    let detach = |person| GameCommand::Detach(ConnectionId(person));
    (0..people).for_each(|person| game.handle(now, detach(person)));
    game.handle(now.after(MINUTE_MS), GameCommand::Timeout);
    drain(game);
}

/// Takes all output of the game, as the host does after every call.
fn drain(game: &mut HostedGame<NoStorage>) {
    while game.poll_output().is_some() {}
}

fn bytes_of_an_idle_game(people: u64, bots: u8) -> i64 {
    let map = shipped::find("main").unwrap().map();
    let setup = Setup::new(map, Rules::default(), Seed::new(3), Dialect::V2021);
    let sight = setup.sight();
    let from = || OpenGame {
        sight: Some(std::sync::Arc::clone(&sight)),
        ..OpenGame::new(meta(bots), setup.clone(), NoStorage)
    };
    // The first game computes the visibility that all games on this map share.
    play_for_a_while(&mut HostedGame::open(Timestamp(0), from()).unwrap(), people);
    let mut kept = None;
    let measured = allocation_counter::measure(|| {
        let mut game = HostedGame::open(Timestamp(0), from()).unwrap();
        play_for_a_while(&mut game, people);
        kept = Some(game);
    });
    assert!(kept.is_some_and(|game| game.poll_timeout().is_some()), "it is still open");
    measured.bytes_current
}

#[test]
fn an_idle_game_allocates_at_most_100_kb() {
    for (people, bots) in [(26, 0), (6, 2)] {
        let bytes = bytes_of_an_idle_game(people, bots);
        println!("{people} people, {bots} bots: {bytes} bytes");
        assert!(bytes <= MAX_BYTES, "{people} people, {bots} bots: {bytes} bytes");
    }
}
