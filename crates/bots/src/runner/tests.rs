//! Bots over real sockets against a real room; whole programs are tested elsewhere.

use std::net::SocketAddr;

use nuggets_game::{Rules, Seed, Setup, shipped};
use nuggets_protocol::Dialect;
use nuggets_server::{Host, NoStorage, Room, udp};
use nuggets_testkit::{FakeServer, UdpClient, closed_port};

use super::*;

fn settings(addresses: Vec<SocketAddr>, count: usize) -> BotSettings {
    let brains = vec![BrainKind::Miner, BrainKind::Scout];
    let place = "the server".to_owned();
    let target = LinkTarget::Udp(addresses);
    BotSettings { place, target, brains, count, name: None, pace_ms: 0, seed: 5 }
}

fn host(dialect: Dialect) -> Host<NoStorage> {
    let map = shipped::find("narrow").unwrap().map();
    let setup = Setup::new(map, Rules::default(), Seed::new(3), dialect);
    Host::new(Room::new(&setup).unwrap(), NoStorage)
}

/// Serves a room while `play` runs.
fn hosting<T>(host: &mut Host<NoStorage>, play: impl FnOnce(SocketAddr) -> T) -> T {
    let socket = udp::bind(Some("127.0.0.1".parse().unwrap()), 0).unwrap();
    let address = socket.local_addr().unwrap();
    let server = udp::Control::new().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| udp::serve(&socket, host, &mut udp::Peers::default(), &server, |_| {}));
        let played = play(address);
        server.stop();
        played
    })
}

#[test]
fn several_bots_play_a_game_to_its_end_in_both_dialects() {
    for dialect in Dialect::ALL {
        let mut host = host(dialect);
        let results = hosting(&mut host, |address| run(BotTeam::new(&settings(vec![address], 5))));
        let names: Vec<_> =
            results.iter().map(|result| String::from_utf8_lossy(&result.name)).collect();
        assert_eq!(names, ["miner 1", "scout 2", "miner 3", "scout 4", "miner 5"]);
        assert_eq!(results.iter().map(|result| result.purse).sum::<u32>(), 250);
        for BotResult { outcome, letter, .. } in &results {
            assert!(matches!(outcome, SessionOutcome::GameOver { .. }), "{outcome:?}");
            assert!(letter.is_some());
        }
    }
}

/// Watches until this number of players is on the map.
fn wait_for_players(server: SocketAddr, count: usize) {
    let watcher = UdpClient::new(server.port());
    watcher.send("SPECTATE");
    watcher.find(|text| {
        let picture = text.strip_prefix("DISPLAY\n").unwrap_or_default();
        picture.bytes().filter(u8::is_ascii_uppercase).count() == count
    });
}

#[test]
fn stopped_bots_leave_the_game() {
    let mut host = host(Dialect::V2021);
    let stop = Arc::new(AtomicBool::new(false));
    let mut settings = settings(vec![], 3);
    // One key in an hour: the game can't be over before it is stopped.
    settings.pace_ms = 3_600_000;
    let results = hosting(&mut host, |address| {
        settings.target = LinkTarget::Udp(vec![address]);
        thread::scope(|scope| {
            let team = BotTeam { stop: Arc::clone(&stop), ..BotTeam::new(&settings) };
            let bots = scope.spawn(|| run(team));
            wait_for_players(address, 3);
            stop.store(true, Ordering::Relaxed);
            bots.join().unwrap()
        })
    });
    for BotResult { outcome, .. } in &results {
        let farewell = "Thanks for playing!".into();
        assert_eq!(outcome, &SessionOutcome::Left { farewell });
    }
    let players = host.room().game().players();
    assert!(players.iter().all(|player| player.at().is_none()), "no seat stays taken");
}

#[test]
fn a_closed_port_is_reported_and_another_address_is_tried() {
    let (held, _) = closed_port();
    let closed = held.local_addr().unwrap();
    let results = run(BotTeam::new(&settings(vec![closed], 2)));
    assert!(
        results.iter().all(|result| result.outcome == SessionOutcome::PortClosed),
        "{results:?}"
    );

    let mut host = host(Dialect::V2021);
    let results =
        hosting(&mut host, |address| run(BotTeam::new(&settings(vec![closed, address], 2))));
    assert!(results.iter().all(|result| result.outcome.is_success()), "{results:?}");
}

/// While a socket is connected to itself, its port is closed for all others.
#[test]
fn a_bot_survives_a_restart_of_the_server() {
    let server = FakeServer::new();
    let address = SocketAddr::from(([127, 0, 0, 1], server.port));
    let settings = BotSettings { pace_ms: 20, ..settings(vec![address], 1) };
    let results = thread::scope(|scope| {
        let bots = scope.spawn(|| run(BotTeam::new(&settings)));
        server.accept();
        while !server.receive().starts_with("KEY ") {}
        let bot = server.address();
        let socket = server.close();
        thread::sleep(Duration::from_millis(2_500));
        socket.connect(bot).unwrap();
        socket.recv(&mut [0; 100]).expect("it still plays");
        socket.send(b"QUIT GAME OVER:\nA        250 miner").unwrap();
        bots.join().unwrap()
    });
    assert!(matches!(results[0].outcome, SessionOutcome::GameOver { .. }), "{results:?}");
}

#[test]
fn without_addresses_the_server_is_unreachable() {
    let results = run(BotTeam::new(&settings(vec![], 1)));
    assert!(matches!(results[0].outcome, SessionOutcome::Unreachable { .. }));
    assert_eq!(results[0].name, b"miner", "a single bot has no number");
}

#[test]
fn the_start_barrier_opens_when_every_bot_has_arrived_or_ended() {
    let barrier = StartBarrier { missing: AtomicUsize::new(3) };
    let mut first = barrier.ticket();
    let mut second = barrier.ticket();
    let third = barrier.ticket();
    assert!(!first.arrive() && !first.arrive(), "arriving twice counts once");
    assert!(!second.arrive());
    drop(third);
    assert!(first.arrive() && second.arrive());
}

/// Answers every picture with a key, first one way, then back.
const STEADY: &str = r#"echo PLAY steady; key=H; while read -r word; do case "$word" in
    DISPLAY*) echo "KEY $key"; if [ $key = H ]; then key=L; else key=H; fi;; esac; done"#;

fn program(line: &str) -> BotProgram {
    let limits = AnswerLimits { start_ms: 60_000, turn_ms: 60_000 };
    BotProgram::start(line, limits, &AtomicBool::new(false)).unwrap()
}

#[test]
fn a_program_plays_a_whole_game_beside_a_bot() {
    let mut host = host(Dialect::V2021);
    let results = hosting(&mut host, |address| {
        // Slow enough for the first key of every bot.
        let settings = BotSettings { pace_ms: 50, ..settings(vec![address], 1) };
        let programs = vec![program(STEADY), program(STEADY)];
        run(BotTeam { programs, ..BotTeam::new(&settings) })
    });
    let names: Vec<_> = results.iter().map(|it| String::from_utf8_lossy(&it.name)).collect();
    assert_eq!(names, ["miner", "steady 1", "steady 2"]);
    assert_eq!(results.iter().map(|result| result.purse).sum::<u32>(), 250);
    assert_eq!((&results[0].brain[..], &results[1].brain[..]), ("miner", STEADY));
    for result in &results {
        assert!(matches!(result.outcome, SessionOutcome::GameOver { .. }), "{result:?}");
        assert_eq!(result.failure, None);
        assert!(result.keys > 0, "{result:?}");
    }
}

#[test]
fn a_program_that_fails_leaves_the_game_and_the_others_go_on() {
    let mut host = host(Dialect::V2021);
    let results = hosting(&mut host, |address| {
        // The game must not be over before the program's first turn.
        let settings = BotSettings { pace_ms: 100, ..settings(vec![address], 1) };
        let programs = vec![program("echo PLAY brief; read -r a; echo 'no idea' >&2; exit 3")];
        run(BotTeam { programs, ..BotTeam::new(&settings) })
    });
    assert!(matches!(results[0].outcome, SessionOutcome::GameOver { .. }), "{results:?}");
    assert!(matches!(results[1].outcome, SessionOutcome::Left { .. }), "{results:?}");
    let failure = results[1].failure.as_ref().expect("it has exited");
    assert!(failure.to_string().ends_with("code 3\nThe end of its stderr:\n  | no idea"));
}
