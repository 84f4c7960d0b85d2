//! What only shows when datagrams come close together.

use std::sync::Arc;

use nuggets_game::{Game, Rules, Seed, Sight, shipped};
use nuggets_protocol::Dialect;

use super::*;
use crate::{Millis, sight_rule};

#[test]
fn who_is_unreachable_is_given_up_also_where_several_messages_share_a_write() {
    let sight = Sight::new(shipped::find("main").unwrap().map(), sight_rule(Dialect::V2021));
    let game = Game::new(Arc::new(sight), Rules::default(), Seed::new(3)).unwrap();
    let mut room = Room::new(game, Dialect::V2021);
    // Nobody listens any more where Ann was.
    let ann = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let bob = UdpSocket::bind("127.0.0.1:0").unwrap();
    let bob = bob.local_addr().unwrap();
    room.handle_message(Millis(0), ann.into(), b"PLAY Ann");
    room.handle_message(Millis(0), bob.into(), b"PLAY Bob");

    let socket = bind(Some(Ipv4Addr::LOCALHOST.into()), 0).unwrap();
    unreachable::listen(&socket).unwrap();
    let (clock, log) = (Clock::start(Millis(0)), LogBudget::default());
    let (room, files) = (&mut room, &mut Files::default());
    let mut shell = Shell { socket: &socket, is_v6: false, room, files, clock, log, errors: 0 };
    for key in [b"KEY L", b"KEY H"].into_iter().cycle().take(60_000) {
        shell.room.handle_message(Millis(0), bob.into(), key);
        let told: Vec<SocketAddr> =
            std::iter::from_fn(|| shell.room.poll_transmit().map(|it| it.to.into())).collect();
        if told.contains(&bob) && !told.contains(&ann) {
            return;
        }
        // What came back from the last may be told on this one.
        let _ = socket.send_to(b"GOLD 0 0 250", ann);
        std::thread::sleep(Duration::from_millis(1));
        shell.listen_on(&mut [0; 100]).unwrap();
    }
    panic!("she is never given up");
}
