//! The memory of a game that nobody plays at the moment.

#![expect(clippy::unwrap_used, reason = "tests fail by panics")]

use nuggets_game::{Rules, Seed, Setup, shipped};
use nuggets_host::{
    Attach, AttachRole, Bots, ConnectionId, GameId, GameMeta, HostedGame, OpenGame, PlayerId,
    Start, Visibility,
};
use nuggets_protocol::Dialect;
use nuggets_server::{NoStorage, Timestamp};

const MAX_BYTES: i64 = 200_000;
const PEOPLE: u64 = 6;

fn meta() -> GameMeta {
    GameMeta {
        id: GameId::from_random([1; 12]),
        map_name: "main".into(),
        creator: PlayerId(1),
        creator_name: "Ann".into(),
        created_unix_ms: 0,
        bots: Bots { count: 2, ..Bots::default() },
        visibility: Visibility::Public,
        start: Start::AtOnce,
        watch_delay_s: 0,
        rated: false,
        udp_port: None,
        has_started: false,
        next: None,
        finished: None,
    }
}

/// Six people and two bots have walked about for a while; then all pages are closed.
fn play_for_a_while(game: &mut HostedGame<NoStorage>) {
    let mut now = Timestamp(0);
    for person in 0..PEOPLE {
        let attach = Attach {
            connection: ConnectionId(person),
            person: PlayerId(person),
            name: format!("Person {person}"),
            role: AttachRole::Play,
            is_creator: false,
        };
        game.attach(now, &attach).unwrap();
    }
    for key in "lkjhyubnLKJHYUBN".chars().cycle().take(400) {
        now = now.after(50);
        game.handle_timeout(now);
        (0..PEOPLE).for_each(|person| game.key(now, ConnectionId(person), key));
    }
    (0..PEOPLE).for_each(|person| game.detach(now, ConnectionId(person)));
    while game.poll_report().is_some() || game.poll_direct().is_some() {}
}

#[test]
fn an_idle_game_takes_at_most_200_kb() {
    let map = shipped::find("main").unwrap().map();
    let setup = Setup::new(map, Rules::default(), Seed::new(3), Dialect::V2021);
    let sight = setup.sight();
    let from = || OpenGame {
        meta: meta(),
        setup: setup.clone(),
        journal: None,
        storage: NoStorage,
        nonce: 1,
        sight: Some(std::sync::Arc::clone(&sight)),
        guard: None,
        claimed_names: std::sync::Arc::default(),
    };
    // The first game computes what all games on this map share.
    play_for_a_while(&mut HostedGame::open(Timestamp(0), from()).unwrap());
    let mut kept = None;
    let measured = allocation_counter::measure(|| {
        let mut game = HostedGame::open(Timestamp(0), from()).unwrap();
        play_for_a_while(&mut game);
        kept = Some(game);
    });
    println!("{} bytes", measured.bytes_current);
    assert!(kept.is_some_and(|game| game.poll_timeout().is_some()), "it is still open");
    assert!(measured.bytes_current <= MAX_BYTES, "{} bytes", measured.bytes_current);
}
