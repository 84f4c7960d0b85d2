//! Once a game is running, a key allocates no memory: neither for applying it, nor for journaling it, nor for
//! updating 27 pictures, nor for sending them.

#![expect(clippy::unwrap_used, reason = "tests fail by panics")]

use std::io;

use nuggets_game::{Game, Map, Point, Rng, Rules, Seed, Setup, shipped};
use nuggets_protocol::Dialect;
use nuggets_record::PeerToken;
use nuggets_server::{
    Host, Peer, RecordKind, Room, Storage, Stored, Timestamp, Transmit, Transport,
};

const PLAYERS: u16 = 26;

/// Counts the bytes that are stored or sent, and discards them.
#[derive(Default)]
struct Counter {
    bytes: usize,
}

impl Storage for Counter {
    fn append(&mut self, _: RecordKind, bytes: &[u8]) -> io::Result<Stored> {
        self.bytes += bytes.len();
        Ok(Stored::Yes)
    }
}

impl Transport for Counter {
    fn name(&self, peer: Peer) -> String {
        format!("{peer:?}")
    }

    fn token(&self, peer: Peer) -> PeerToken {
        PeerToken::new(&peer.0.to_le_bytes()).unwrap()
    }

    fn send(&mut self, _: Timestamp, transmit: Transmit<'_>) {
        self.bytes += transmit.payload.len();
    }
}

/// A full room on a map whose gold can't be reached, so that the game never ends.
fn full_room(dialect: Dialect, sent: &mut Counter) -> Host<Counter> {
    let text = shipped::find("main").unwrap().text.to_string() + "+-+\n|.|\n+-+\n";
    let map = Map::parse(text.as_bytes()).unwrap().map;
    let gold = Point::new(map.rows() - 2, 1);
    let starts = map.room_spots().into_iter().step_by(11).take(PLAYERS.into()).collect();
    let setup = Setup::new(map, Rules::default(), Seed::new(1), dialect);
    let game = Game::arranged(&setup, vec![(gold, 250)], starts);
    let room = Room::with_game(game, dialect);
    let mut host = Host::new(room, Counter::default()).with_manual_clock().with_journal(&setup, 9);
    for index in 0..PLAYERS {
        host.handle_message(sent, Peer(index.into()), b"PLAY Eve");
        host.flush(sent).unwrap();
    }
    host.handle_message(sent, Peer(PLAYERS.into()), b"SPECTATE");
    host.flush(sent).unwrap();
    host
}

fn play(host: &mut Host<Counter>, sent: &mut Counter, keys: usize, rng: &mut Rng) {
    for _ in 0..keys {
        let player = rng.below(PLAYERS.into());
        let key = b"hjklyubnHJKLYUBN?"[rng.index(17)];
        host.handle_message(sent, Peer(player.into()), &[b'K', b'E', b'Y', b' ', key]);
        host.flush(sent).unwrap();
    }
}

#[test]
fn a_key_allocates_nothing() {
    for dialect in Dialect::ALL {
        let mut sent = Counter::default();
        let mut host = full_room(dialect, &mut sent);
        let mut rng = Rng::new(Seed::new(5));
        // Visibility from every spot is computed once, and every queue has grown to its final size.
        for spot in host.room().game().map().spots() {
            host.room().game().sight().visible_from(spot);
        }
        play(&mut host, &mut sent, 20_000, &mut rng);
        sent.bytes = 0;
        let stored = host.storage().bytes;
        let used = allocation_counter::measure(|| play(&mut host, &mut sent, 2_000, &mut rng));
        assert!(sent.bytes > 10_000_000, "only {} bytes were sent", sent.bytes);
        assert!(host.storage().bytes > stored + 2_000, "every move is in the journal");
        assert_eq!(used.count_total, 0, "{used:?} ({dialect})");
    }
}
