//! The pictures of the screens in the README and the documents, drawn by the real client in games in memory.
//! `cargo xtask picture` writes them again.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod svg;

use std::path::Path;

use nuggets_atlas::Scene;
use nuggets_bots::{Brain, BrainKind};
use nuggets_client::end::{self, GameEnd, Standing};
use nuggets_client::{App, AppOptions, Effect, GameStart, JoinTarget, Timestamp, screen};
use nuggets_game::{Game, Player, Rules, Seed, Setup, shipped};
use nuggets_protocol::{ClientMessage, Dialect, ServerMessage};
use nuggets_server::{Peer, Room};
use nuggets_tui::{ColorDepth, Key, Palette};
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};

/// A picture: its file, the size of the window, and what is in it.
struct Picture {
    file: &'static str,
    window: Size,
    draw: fn(Rect, &mut Buffer),
}

const PICTURES: [Picture; 4] = [
    Picture { file: "docs/screen.svg", window: Size::new(112, 22), draw: draw_panel },
    Picture { file: "docs/screen-scrolled.svg", window: Size::new(80, 24), draw: draw_scrolled },
    Picture { file: "docs/screen-paused.svg", window: Size::new(80, 22), draw: draw_paused },
    Picture { file: "docs/screen-end.svg", window: Size::new(50, 17), draw: draw_end },
];

impl Picture {
    fn svg(&self) -> String {
        let area = Rect::from((ratatui::layout::Position::ORIGIN, self.window));
        let mut buffer = Buffer::empty(area);
        (self.draw)(area, &mut buffer);
        svg::render(&buffer)
    }
}

fn palette() -> Palette {
    Palette::colored().with(ColorDepth::Many)
}

fn draw_app(mut app: App, area: Rect, buffer: &mut Buffer) {
    app.handle_resize(area.as_size());
    screen::draw(&app, &palette(), area, buffer);
}

fn options(panel: bool) -> AppOptions {
    let start = GameStart::AtOnce;
    AppOptions { auto: true, scroll: true, panel, start, ..AppOptions::default() }
}

fn draw_panel(area: Rect, buffer: &mut Buffer) {
    draw_app(MAIN.play().app.with_options(options(true)), area, buffer);
}

fn draw_scrolled(area: Rect, buffer: &mut Buffer) {
    let mut app = GRAND.play().app;
    app.handle_resize(area.as_size());
    draw_app(app, area, buffer);
}

fn draw_paused(area: Rect, buffer: &mut Buffer) {
    let mut stage = MAIN.play();
    stage.app.handle_key(stage.now, Key::Char('p'));
    draw_app(stage.app, area, buffer);
}

fn draw_end(area: Rect, buffer: &mut Buffer) {
    let stage = MAIN.play();
    let game = stage.room.game();
    let standing = |player: &Player| {
        let letter = char::from(player.letter().as_byte());
        let name = player.name().to_string();
        Standing { letter, purse: player.purse(), is_you: name == NAME, name }
    };
    let end = GameEnd {
        standings: game.players().iter().map(standing).collect(),
        unclaimed: game.remaining(),
        map: MAIN.map.into(),
        seed: MAIN.seed.to_string(),
    };
    end::draw(&end, None, &palette(), area, buffer);
}

/// Map, seed and number of rounds of a scene, chosen because it shows all kinds of things.
struct Script {
    map: &'static str,
    seed: i64,
    rounds: u64,
}

const MAIN: Script = Script { map: "main", seed: 34, rounds: 71 };
const GRAND: Script = Script { map: "grand", seed: 8, rounds: 56 };

/// The person in the pictures.
const NAME: &str = "Ann";

/// A game in memory: the real room, the real client and two bots.
struct Stage {
    room: Room,
    app: App,
    rivals: Vec<(Box<dyn Brain + Send>, Scene)>,
    now: Timestamp,
}

impl Script {
    /// The game after its rounds.
    fn play(&self) -> Stage {
        let mut stage = Stage::new(self);
        for round in 1..=self.rounds {
            stage.now = Timestamp(round * 1000);
            stage.move_rivals();
            stage.app.handle_key(stage.now, Key::Char('o'));
            stage.deliver_sent();
        }
        stage
    }
}

impl Stage {
    fn new(script: &Script) -> Self {
        let map = shipped::find(script.map).unwrap().map();
        let seed = Seed::new(script.seed);
        let game = Game::new(&Setup::new(map, Rules::default(), seed, Dialect::V2021)).unwrap();
        let join = JoinTarget { place: "localhost:1".into(), name: Some(NAME.into()) };
        let rival = || (BrainKind::Scout.build(0), Scene::default());
        let mut stage = Self {
            room: Room::with_game(game, Dialect::V2021),
            app: App::new(Timestamp(0), join).with_options(options(false)),
            rivals: vec![rival(), rival()],
            now: Timestamp(0),
        };
        // The person is A, as in `nuggets play`.
        stage.deliver_sent();
        stage.send(1, b"PLAY Bob");
        stage.send(2, b"PLAY Cy");
        let names = stage
            .room
            .game()
            .players()
            .iter()
            .map(|player| (char::from(player.letter().as_byte()), player.name().to_string()));
        let names: Vec<(char, String)> = names.collect();
        stage.app.handle_names(&names);
        stage
    }

    fn move_rivals(&mut self) {
        for rival in 1..=self.rivals.len() {
            let (brain, scene) = &mut self.rivals[rival - 1];
            if let Some(stroke) = brain.next_key(scene) {
                self.send(rival, &ClientMessage::Key(stroke.key()).to_bytes());
            }
        }
    }

    /// Delivers what the client sends.
    fn deliver_sent(&mut self) {
        while let Some(effect) = self.app.poll_effect() {
            if let Effect::Send(bytes) = effect {
                self.send(0, &bytes);
            }
        }
    }

    /// Delivers a message to the room, and the replies to client and bots.
    fn send(&mut self, from: usize, bytes: &[u8]) {
        self.room.handle_message(Timestamp(0), peer(from), bytes);
        while self.room.poll_record().is_some() {}
        while let Some(sent) = self.room.poll_transmit() {
            match usize::try_from(sent.to.0).unwrap() {
                0 => self.app.handle_message(self.now, sent.payload).unwrap(),
                rival => {
                    let message = ServerMessage::parse(sent.payload).unwrap();
                    self.rivals[rival - 1].1.handle_message(&message).unwrap();
                }
            }
        }
    }
}

fn peer(index: usize) -> Peer {
    Peer(index as u64)
}

#[test]
fn the_pictures_are_up_to_date() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for picture in &PICTURES {
        let file = top.join(picture.file);
        if std::env::var_os("NUGGETS_BLESS").is_some() {
            std::fs::write(&file, picture.svg()).unwrap();
        }
        let is_same = std::fs::read_to_string(file).unwrap() == picture.svg();
        assert!(is_same, "{} has changed: run `cargo xtask picture` and look", picture.file);
    }
}
