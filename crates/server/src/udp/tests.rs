//! What only shows when datagrams come close together.

use std::sync::Arc;

use nuggets_game::{Game, Rules, Seed, Sight, shipped};
use nuggets_protocol::Dialect;

use super::*;
use crate::{Millis, sight_rule};

fn room() -> Room {
    let sight = Sight::new(shipped::find("main").unwrap().map(), sight_rule(Dialect::V2021));
    let game = Game::new(Arc::new(sight), Rules::default(), Seed::new(3)).unwrap();
    Room::new(game, Dialect::V2021)
}

/// A socket that is told what comes back.
fn socket() -> UdpSocket {
    let socket = bind(Some(Ipv4Addr::LOCALHOST.into()), 0).unwrap();
    unreachable::listen(&socket).unwrap();
    socket
}

/// Where nobody listens any more.
fn closed() -> SocketAddr {
    UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn shell<'a>(socket: &'a UdpSocket, room: &'a mut Room, files: &'a mut Files) -> Shell<'a> {
    let (clock, log) = (Clock::start(), LogBudget::default());
    Shell { socket, is_v6: false, room, files, clock, log, errors: 0 }
}

#[test]
fn who_is_unreachable_is_given_up_also_where_several_messages_share_a_write() {
    let (socket, mut room, mut files) = (socket(), room(), Files::default());
    let listens = UdpSocket::bind("127.0.0.1:0").unwrap();
    let (ann, bob) = (closed(), listens.local_addr().unwrap());
    room.handle_message(Millis(0), ann.into(), b"PLAY Ann");
    room.handle_message(Millis(0), bob.into(), b"PLAY Bob");
    let mut shell = shell(&socket, &mut room, &mut files);
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

/// Anybody can forge what comes back, with any reason, and as much of it as he likes.
#[test]
fn nothing_that_comes_back_ends_a_game_however_often() {
    let (socket, mut room, mut files) = (socket(), room(), Files::default());
    let mut shell = shell(&socket, &mut room, &mut files);
    let too_large = || io::Error::from(nix::errno::Errno::EMSGSIZE);
    let mut weighed = 0;
    for _ in 0..60_000 {
        let _ = socket.send_to(b"GOLD 0 0 250", closed());
        let errors = shell.errors;
        shell.weigh(too_large()).unwrap();
        weighed += u32::from(shell.errors == errors);
        shell.errors = 0;
        if weighed > 2 * MOST_ERRORS_IN_A_ROW {
            return;
        }
    }
    panic!("nothing comes back");
}

#[test]
fn a_socket_that_only_fails_ends_the_game() {
    let (socket, mut room, mut files) = (socket(), room(), Files::default());
    let mut shell = shell(&socket, &mut room, &mut files);
    let fails = || io::Error::from(nix::errno::Errno::EBADF);
    assert!((0..MOST_ERRORS_IN_A_ROW).all(|_| shell.weigh(fails()).is_ok()));
    assert!(shell.weigh(fails()).is_err());
}
