//! Whole games over real sockets: 26 players and a spectator to the last nugget, every message
//! compared with what a room in memory sends for the same inputs.

use nuggets_atlas::Scene;
use nuggets_bots::{Brain, BrainKind};
use nuggets_game::{Game, Letter, Player, Rules, Seed, Setup, shipped};
use nuggets_protocol::{ClientMessage, Dialect, ServerMessage};
use nuggets_server::{Peer, Room, Timestamp};
use nuggets_testkit::{ServerProcess, UdpClient};

use crate::starting::start_server;

/// A game played twice at once: by the server process and by a room in memory.
struct Mirrored {
    host: ServerProcess,
    room: Room,
    clients: Vec<UdpClient>,
    /// One for each client, whether it ever plays or not.
    bots: Vec<Bot>,
    received: usize,
}

/// A bot that decides by what a client has received.
struct Bot {
    brain: Box<dyn Brain + Send>,
    scene: Scene,
}

impl Mirrored {
    fn start(map: &str, seed: i64, dialect: Dialect) -> Self {
        let year = dialect.to_string();
        let host =
            start_server(&[map, &seed.to_string(), "--dialect", &year, "--bind", "127.0.0.1"]);
        let map = shipped::find(map).unwrap().map();
        let game = Game::new(&Setup::new(map, Rules::default(), Seed::new(seed), dialect)).unwrap();
        Self {
            host,
            room: Room::with_game(game, dialect),
            clients: vec![],
            bots: vec![],
            received: 0,
        }
    }

    /// A new client; which one it is.
    fn arrive(&mut self) -> usize {
        let client = UdpClient::new(self.host.port());
        let to_server = client.socket.local_addr().unwrap();
        assert!(to_server.ip().is_loopback());
        self.clients.push(client);
        self.bots.push(Bot { brain: BrainKind::Scout.build(0), scene: Scene::default() });
        self.clients.len() - 1
    }

    fn peer(&self, client: usize) -> Peer {
        Peer(self.clients[client].socket.local_addr().unwrap().port().into())
    }

    /// A client sends a message; every client must receive exactly what the room in memory sends, in order.
    /// Returns what it sent to the one who spoke.
    fn send(&mut self, client: usize, bytes: &[u8]) -> Vec<String> {
        self.clients[client].send(bytes);
        self.room.handle_message(Timestamp(0), self.peer(client), bytes);
        let mut expected = Vec::new();
        while self.room.poll_record().is_some() {}
        while let Some(sent) = self.room.poll_transmit() {
            expected.push((sent.to, sent.payload.to_vec()));
        }
        let mut answers = Vec::new();
        for (peer, payload) in expected {
            let to = (0..self.clients.len()).find(|c| self.peer(*c) == peer).unwrap();
            let received = self.clients[to].receive();
            assert!(
                received == payload,
                "client {to} received {:?} instead of {:?}",
                String::from_utf8_lossy(&received),
                String::from_utf8_lossy(&payload)
            );
            self.received += 1;
            let message = ServerMessage::parse(&received).unwrap();
            self.bots[to].scene.handle_message(&message).unwrap();
            if to == client {
                answers.push(String::from_utf8(received).unwrap());
            }
        }
        answers
    }

    /// One key of a scout.
    fn explore(&mut self, player: usize) {
        let Bot { brain, scene } = &mut self.bots[player];
        // Sometimes a scout waits for another player to move first.
        if let Some(key) = brain.next_key(scene) {
            self.send(player, &ClientMessage::Key(key.key()).to_bytes());
        }
    }
}

fn play_to_the_end(map: &str, seed: i64, dialect: Dialect) {
    let mut game = Mirrored::start(map, seed, dialect);
    for index in 0..26 {
        let client = game.arrive();
        let answers = game.send(client, format!("PLAY player {index}").as_bytes());
        assert_eq!(answers[0], format!("OK {}", Letter::nth(index).unwrap()));
    }
    let late = game.arrive();
    assert_eq!(game.send(late, b"PLAY late").len(), 1);
    let watcher = game.arrive();
    let other = game.arrive();
    assert_eq!(game.send(watcher, b"SPECTATE").len(), 3);
    assert_eq!(game.send(other, b"SPECTATE").len(), 3);
    assert_eq!(game.send(watcher, b"SPECTATE").len(), 3);

    let unknown = game.arrive();
    assert_eq!(game.send(unknown, b"KEY h").len(), 1);
    for bytes in [&b""[..], b"KEY hh", b"PLAY x\n", b"\xff\0\x1b[2J", &[b'K'; 9_000]] {
        assert_eq!(game.send(unknown, bytes).len(), 1, "one error reply");
        assert_eq!(game.send(3, bytes).len(), 1, "one error reply");
    }
    assert_eq!(game.send(7, b"KEY Q").len(), 1);
    assert_eq!(game.send(7, b"SPECTATE").len(), if dialect == Dialect::V2021 { 1 } else { 2 });

    let mut turn = 0;
    while game.room.game().end().is_none() {
        if turn % 26 != 7 {
            game.explore(turn % 26);
        }
        turn += 1;
        assert!(turn < 20_000, "a game must end");
    }
    let purses: u32 = game.room.game().players().iter().map(Player::purse).sum();
    assert_eq!(purses, 250);
    let summary = game.room.summary();
    let Mirrored { host, clients, received, .. } = game;
    let ended = host.end();
    assert!(ended.status.success());
    assert_eq!(ended.stdout, summary + "\n");
    assert!(clients.iter().all(UdpClient::has_no_message), "an unexpected message");
    assert!(received > 1000, "only {received} messages");
}

#[test]
fn twenty_six_players_and_a_spectator_play_2021_to_the_last_nugget() {
    play_to_the_end("main", 11, Dialect::V2021);
}

#[test]
fn twenty_six_players_and_a_spectator_play_2019_to_the_last_nugget() {
    play_to_the_end("main", 12, Dialect::V2019);
}

#[test]
fn the_large_map_is_played_to_the_last_nugget_too() {
    play_to_the_end("grand", 13, Dialect::V2021);
}

#[test]
fn the_game_ends_when_26_have_joined_and_quit() {
    let mut game = Mirrored::start("narrow", 5, Dialect::V2021);
    for index in 0..26 {
        let client = game.arrive();
        game.send(client, format!("PLAY {index}").as_bytes());
        assert_eq!(game.send(client, b"KEY Q")[0], "QUIT Thanks for playing!");
    }
    let ended = game.host.end();
    assert!(ended.status.success());
    assert_eq!(ended.stdout.lines().count(), 27);
    assert!(ended.stdout.starts_with("GAME OVER:\nA          0 0\nB          0 1\n"));
}
