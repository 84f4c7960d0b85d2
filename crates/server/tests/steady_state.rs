//! Once a game runs, a key costs no memory: neither to apply it, nor to keep 27 pictures up to
//! date, nor to hand them out.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use nuggets_game::{Chance, Game, Map, Point, Rules, Seed, Sight, shipped};
use nuggets_protocol::Dialect;
use nuggets_server::{Millis, Peer, Room, sight_rule};

const PLAYERS: u16 = 26;

fn peer(index: u16) -> Peer {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 1000 + index)).into()
}

/// A full room on a map whose gold can't be reached, so that the game goes on.
fn full_room(dialect: Dialect) -> Room {
    let text = shipped::find("main").unwrap().text.to_string() + "+-+\n|.|\n+-+\n";
    let map = Map::parse(text.as_bytes()).unwrap().map;
    let gold = Point::new(map.rows() - 2, 1);
    let starts = map.room_spots().into_iter().step_by(11).take(PLAYERS.into()).collect();
    let sight = Arc::new(Sight::new(map, sight_rule(dialect)));
    let piles = vec![(gold, 250)];
    let game = Game::arranged(sight, Rules::default(), Seed::new(1), piles, starts);
    let mut room = Room::new(game, dialect);
    for index in 0..PLAYERS {
        room.handle_message(Millis(0), peer(index), b"PLAY somebody");
        drain(&mut room);
    }
    room.handle_message(Millis(0), peer(PLAYERS), b"SPECTATE");
    drain(&mut room);
    room
}

/// How many bytes went out.
fn drain(room: &mut Room) -> usize {
    let mut bytes = 0;
    while let Some(sent) = room.poll_transmit() {
        bytes += sent.payload.len();
    }
    while room.poll_notice().is_some() {}
    bytes
}

fn play(room: &mut Room, keys: usize, chance: &mut Chance) -> usize {
    let mut bytes = 0;
    for _ in 0..keys {
        let player = u16::try_from(chance.below(PLAYERS.into())).unwrap();
        let key = b"hjklyubnHJKLYUBN?"[chance.index(17)];
        room.handle_message(Millis(0), peer(player), &[b'K', b'E', b'Y', b' ', key]);
        bytes += drain(room);
    }
    bytes
}

#[test]
fn a_key_allocates_nothing() {
    for dialect in Dialect::ALL {
        let mut room = full_room(dialect);
        let mut chance = Chance::new(Seed::new(5));
        // Every spot is looked from once, and every queue has grown to its size.
        for spot in room.game().map().spots() {
            room.game().sight().from(spot);
        }
        play(&mut room, 20_000, &mut chance);
        let mut bytes = 0;
        let used = allocation_counter::measure(|| bytes = play(&mut room, 2_000, &mut chance));
        assert!(bytes > 10_000_000, "only {bytes} bytes were sent");
        assert_eq!(used.count_total, 0, "{used:?} ({dialect})");
    }
}
