//! `cargo xtask picture`: the README's picture, drawn by the real client in a game in memory.

use std::path::PathBuf;

use anyhow::Context;
use nuggets_atlas::Scene;
use nuggets_bots::{Brain, BrainKind};
use nuggets_client::{App, Effect, Join, Timestamp, screen};
use nuggets_game::{Game, Rules, Seed, Setup, shipped};
use nuggets_protocol::{ClientMessage, Dialect, ServerMessage};
use nuggets_server::{Peer, Room};
use nuggets_tui::{Key, Palette};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::{svg, top};

/// A line for the status and one for each row of the map.
const SCREEN: Rect = Rect::new(0, 0, 79, 22);

/// Draws the picture into the file that the README shows.
pub(crate) fn write() -> anyhow::Result<()> {
    let file = file();
    std::fs::write(&file, draw()).with_context(|| format!("can't write {}", file.display()))
}

fn file() -> PathBuf {
    top().join("docs/screen.svg")
}

fn draw() -> String {
    let mut buffer = Buffer::empty(SCREEN);
    screen::draw(&scene(), &Palette::colored(), SCREEN, &mut buffer);
    svg::render(&buffer)
}

/// Map, seed and number of rounds of the scene, chosen because it shows all kinds of things.
const MAP: &str = "main";
const SEED: i64 = 34;
const ROUNDS: u64 = 69;

/// A game in memory: the real room, the real client and two bots.
struct Stage {
    room: Room,
    app: App,
    rivals: Vec<(Box<dyn Brain + Send>, Scene)>,
    now: Timestamp,
}

/// The client of a player in the middle of a game.
fn scene() -> App {
    let mut stage = Stage::new();
    for round in 1..=ROUNDS {
        stage.now = Timestamp(round * 1000);
        stage.move_rivals();
        stage.app.handle_key(stage.now, Key::Char('o'));
        stage.deliver_sent();
    }
    stage.app
}

impl Stage {
    fn new() -> Self {
        let map = shipped::find(MAP).expect("a built-in map").map();
        let game = Game::new(&Setup::new(map, Rules::default(), Seed::new(SEED), Dialect::V2021))
            .expect("enough spots");
        let join = Join { place: "localhost:1".into(), name: Some("Ann".into()) };
        let rival = || (BrainKind::Scout.build(0), Scene::default());
        let mut stage = Self {
            room: Room::with_game(game, Dialect::V2021),
            app: App::new(Timestamp(0), join).with_auto(),
            rivals: vec![rival(), rival()],
            now: Timestamp(0),
        };
        stage.send(1, b"PLAY Bob");
        stage.send(2, b"PLAY Cy");
        stage.deliver_sent();
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
            match usize::try_from(sent.to.0).expect("few players") {
                0 => self.app.handle_message(self.now, sent.payload).expect("a valid message"),
                rival => {
                    let message = ServerMessage::parse(sent.payload).expect("a valid message");
                    self.rivals[rival - 1].1.handle_message(&message).expect("a valid message");
                }
            }
        }
    }
}

fn peer(index: usize) -> Peer {
    Peer(index as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_in_the_readme_is_up_to_date() {
        let shown = std::fs::read_to_string(file()).expect("`cargo xtask picture` draws it");
        assert!(shown == draw(), "the screen has changed: run `cargo xtask picture` and look");
    }
}
