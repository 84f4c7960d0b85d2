//! Bots over real sockets against a real room; whole programs are tested elsewhere.

use std::net::UdpSocket;
use std::sync::Arc;

use nuggets_game::{Game, Rules, Seed, Sight, shipped};
use nuggets_protocol::Dialect;
use nuggets_server::{Files, Room, sight_rule, udp};

use super::*;

fn settings(addresses: Vec<SocketAddr>, count: usize) -> Settings {
    let brains = vec![BrainKind::Miner, BrainKind::Scout];
    Settings { addresses, brains, count, name: None, pace: Duration::ZERO, seed: 5 }
}

fn room(dialect: Dialect) -> Room {
    let map = shipped::find("narrow").unwrap().map();
    let sight = Arc::new(Sight::new(map, sight_rule(dialect)));
    Room::new(Game::new(sight, Rules::default(), Seed::new(3)).unwrap(), dialect)
}

/// A port where nobody listens, and nobody else will for as long as the socket is kept.
fn closed_port() -> (UdpSocket, SocketAddr) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    socket.connect(address).unwrap();
    (socket, address)
}

/// Hosts a room as long as this plays.
fn hosting<T>(room: &mut Room, play: impl FnOnce(SocketAddr) -> T) -> T {
    let socket = udp::bind(Some("127.0.0.1".parse().unwrap()), 0).unwrap();
    let (address, stop) = (socket.local_addr().unwrap(), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| udp::serve(&socket, room, &mut Files::default(), &stop, |_| {}));
        let played = play(address);
        stop.store(true, Ordering::Relaxed);
        played
    })
}

#[test]
fn several_bots_play_a_game_to_its_end_in_both_dialects() {
    for dialect in Dialect::ALL {
        let (mut room, stop) = (room(dialect), AtomicBool::new(false));
        let outcomes = hosting(&mut room, |address| run(&settings(vec![address], 5), &stop));
        let names: Vec<_> = outcomes.iter().map(|o| String::from_utf8_lossy(&o.name)).collect();
        assert_eq!(names, ["miner 1", "scout 2", "miner 3", "scout 4", "miner 5"]);
        assert_eq!(outcomes.iter().map(|outcome| outcome.purse).sum::<u32>(), 250);
        for Outcome { ending, letter, .. } in &outcomes {
            assert!(matches!(ending, Ending::GameOver(_)), "{ending:?}");
            assert!(letter.is_some());
        }
    }
}

/// Watches until so many players are on the map.
fn wait_for_players(server: SocketAddr, count: usize) {
    let watcher = UdpSocket::bind("127.0.0.1:0").unwrap();
    watcher.connect(server).unwrap();
    watcher.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    watcher.send(b"SPECTATE").unwrap();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let length = watcher.recv(&mut buffer).expect("a picture");
        let picture = buffer[..length].strip_prefix(b"DISPLAY\n").unwrap_or_default();
        if picture.iter().filter(|byte| byte.is_ascii_uppercase()).count() == count {
            return;
        }
    }
}

#[test]
fn bots_that_are_stopped_say_goodbye() {
    let (mut room, stop) = (room(Dialect::V2021), AtomicBool::new(false));
    let mut settings = settings(vec![], 3);
    // One key in an hour: the game can't be over before it is stopped.
    settings.pace = Duration::from_secs(3_600);
    let outcomes = hosting(&mut room, |address| {
        settings.addresses.push(address);
        thread::scope(|scope| {
            let bots = scope.spawn(|| run(&settings, &stop));
            wait_for_players(address, 3);
            stop.store(true, Ordering::Relaxed);
            bots.join().unwrap()
        })
    });
    for Outcome { ending, .. } in &outcomes {
        assert_eq!(ending, &Ending::Quit("Thanks for playing!".into()));
    }
    let players = room.game().players();
    assert!(players.iter().all(|player| player.at().is_none()), "nobody keeps a seat");
}

#[test]
fn a_closed_port_is_told_and_another_address_is_tried() {
    let ((_held, closed), stop) = (closed_port(), AtomicBool::new(false));
    let outcomes = run(&settings(vec![closed], 2), &stop);
    assert!(outcomes.iter().all(|outcome| outcome.ending == Ending::NobodyListens), "{outcomes:?}");

    let mut room = room(Dialect::V2021);
    let outcomes = hosting(&mut room, |address| run(&settings(vec![closed, address], 2), &stop));
    assert!(outcomes.iter().all(|outcome| outcome.ending.is_success()), "{outcomes:?}");
}

#[test]
fn without_addresses_there_is_no_way() {
    let outcomes = run(&settings(vec![], 1), &AtomicBool::new(false));
    assert!(matches!(outcomes[0].ending, Ending::Unreachable(_)));
    assert_eq!(outcomes[0].name, b"miner", "a single bot has no number");
}
