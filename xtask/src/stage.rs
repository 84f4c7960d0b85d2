//! A small scene, played in memory by the real room and the real client, for the picture.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use nuggets_client::{App, Effect, Join, Key, Millis};
use nuggets_game::{Direction, Game, Point, Rules, Seed, Sight, shipped};
use nuggets_protocol::Dialect;
use nuggets_server::{Peer, Room, sight_rule};

/// The scene: on which map, by which chance, how many rounds. Chosen because it looks like a game.
const MAP: &str = "main";
const SEED: i64 = 101;
const ROUNDS: usize = 78;
const NAMES: [&str; 3] = ["Ann", "Bob", "Cy"];

/// The client of the first player in the middle of the game.
pub(crate) fn scene() -> App {
    let map = shipped::find(MAP).expect("it is built in").map();
    let sight = Arc::new(Sight::new(map, sight_rule(Dialect::V2021)));
    let game = Game::new(sight, Rules::default(), Seed::new(SEED)).expect("it has the room");
    let mut room = Room::new(game, Dialect::V2021);
    let join = Join { host: "localhost".into(), port: 1, name: Some(NAMES[0].into()) };
    let mut app = App::new(Millis(0), join);
    for (index, name) in NAMES.iter().enumerate().skip(1) {
        room.handle_message(peer(index), format!("PLAY {name}").as_bytes());
    }
    exchange(&mut app, &mut room);
    for _ in 0..ROUNDS {
        for index in 1..NAMES.len() {
            let key = way_to_gold(room.game(), index - 1);
            room.handle_message(peer(index), &[b'K', b'E', b'Y', b' ', key]);
        }
        let key = way_to_gold(room.game(), NAMES.len() - 1);
        app.handle_key(Millis(0), Key::Char(key.into()));
        exchange(&mut app, &mut room);
    }
    app
}

fn peer(index: usize) -> Peer {
    let port = u16::try_from(index).expect("few players");
    SocketAddr::from((Ipv4Addr::LOCALHOST, port)).into()
}

/// What the client says goes to the room, what the room says to it comes back.
fn exchange(app: &mut App, room: &mut Room) {
    while let Some(effect) = app.poll_effect() {
        if let Effect::Send(bytes) = effect {
            room.handle_message(peer(0), &bytes);
        }
    }
    while let Some(sent) = room.poll_transmit() {
        if sent.to == peer(0) {
            app.handle_message(Millis(0), sent.payload).expect("the room speaks its language");
        }
    }
}

/// The key for a step on a shortest way to the nearest gold.
fn way_to_gold(game: &Game, player: usize) -> u8 {
    let map = game.map();
    let from = game.players()[player].at().expect("nobody quits");
    let mut first: Vec<Option<Direction>> = vec![None; map.tiles().len()];
    let mut queue: VecDeque<Point> = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        if game.piles().any(|(pile, _)| pile == at) {
            return first[map.index(at)].expect("it took a step").key();
        }
        for way in Direction::ALL {
            if let Some(next) = map.spot_beside(at, way)
                && next != from
                && first[map.index(next)].is_none()
            {
                first[map.index(next)] = first[map.index(at)].or(Some(way));
                queue.push_back(next);
            }
        }
    }
    b'h'
}
