//! A small scene, played in memory by the real room, the real client and two bots, for the picture.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use nuggets_atlas::Scene;
use nuggets_bots::{Brain, BrainKind};
use nuggets_client::{App, Effect, Join, Key, Millis};
use nuggets_game::{Game, Rules, Seed, Sight, shipped};
use nuggets_protocol::{ClientMessage, Dialect, ServerMessage};
use nuggets_server::{Peer, Room, sight_rule};

/// The scene: on which map, by which chance, how many rounds. Chosen because it looks like a game.
const MAP: &str = "main";
const SEED: i64 = 34;
const ROUNDS: u64 = 69;

/// Everybody on the stage.
struct Stage {
    room: Room,
    app: App,
    rivals: Vec<(Box<dyn Brain + Send>, Scene)>,
    now: Millis,
}

/// The client of a player in the middle of the game.
pub(crate) fn scene() -> App {
    let mut stage = Stage::set();
    for round in 1..=ROUNDS {
        stage.now = Millis(round * 1000);
        stage.move_rivals();
        stage.app.handle_key(stage.now, Key::Char('o'));
        stage.exchange();
    }
    stage.app
}

impl Stage {
    fn set() -> Self {
        let map = shipped::find(MAP).expect("it is built in").map();
        let sight = Arc::new(Sight::new(map, sight_rule(Dialect::V2021)));
        let game = Game::new(sight, Rules::default(), Seed::new(SEED)).expect("it has the room");
        let join = Join { host: "localhost".into(), port: 1, name: Some("Ann".into()) };
        let rival = || (BrainKind::Scout.build(0), Scene::default());
        let mut stage = Self {
            room: Room::new(game, Dialect::V2021),
            app: App::new(Millis(0), join).with_auto(),
            rivals: vec![rival(), rival()],
            now: Millis(0),
        };
        stage.say(1, b"PLAY Bob");
        stage.say(2, b"PLAY Cy");
        stage.exchange();
        stage
    }

    fn move_rivals(&mut self) {
        for rival in 1..=self.rivals.len() {
            let (brain, scene) = &mut self.rivals[rival - 1];
            if let Some(stroke) = brain.next_key(scene) {
                self.say(rival, &ClientMessage::Key(stroke.key()).to_bytes());
            }
        }
    }

    /// What the client wants to say is said.
    fn exchange(&mut self) {
        while let Some(effect) = self.app.poll_effect() {
            if let Effect::Send(bytes) = effect {
                self.say(0, &bytes);
            }
        }
    }

    /// Somebody says something, and everybody hears what comes of it.
    fn say(&mut self, from: usize, bytes: &[u8]) {
        self.room.handle_message(Millis(0), peer(from), bytes);
        while let Some(sent) = self.room.poll_transmit() {
            match usize::from(SocketAddr::from(sent.to).port()) {
                0 => self.app.handle_message(self.now, sent.payload).expect("it is understood"),
                rival => {
                    let told = ServerMessage::parse(sent.payload).expect("it is understood");
                    self.rivals[rival - 1].1.take(&told).expect("it is understood");
                }
            }
        }
    }
}

fn peer(index: usize) -> Peer {
    let port = u16::try_from(index).expect("few players");
    SocketAddr::from((Ipv4Addr::LOCALHOST, port)).into()
}
