//! A game in memory: a real room, and brains that see only its messages.

use std::sync::Arc;

use nuggets_atlas::Scene;
use nuggets_bots::{Brain, BrainKind};
use nuggets_game::{Game, Rules, Seed, Sight};
use nuggets_protocol::{ClientMessage, ServerMessage};
use nuggets_server::{Peer, Room, Timestamp};

/// The players of one game. Each presses one key in turn.
pub(crate) struct Table {
    room: Room,
    seats: Vec<Seat>,
}

struct Seat {
    peer: Peer,
    brain: Box<dyn Brain + Send>,
    scene: Scene,
}

impl Table {
    /// Creates a game for these brains. The seed fixes the random numbers of all of them and of the game.
    pub(crate) fn new(sight: &Arc<Sight>, rules: Rules, seed: i64, brains: &[BrainKind]) -> Self {
        let game = Game::with_sight(Arc::clone(sight), rules, Seed::new(seed)).unwrap();
        let dialect = nuggets_protocol::Dialect::default();
        let mut table = Self { room: Room::with_game(game, dialect), seats: Vec::new() };
        for (number, kind) in (0u16..).zip(brains) {
            let peer = Peer(number.into());
            let brain = kind.build(seed.unsigned_abs() * 100 + u64::from(number));
            table.seats.push(Seat { peer, brain, scene: Scene::default() });
            table.send(usize::from(number), ClientMessage::Play(b"bot"));
        }
        table
    }

    fn send(&mut self, seat: usize, message: ClientMessage) {
        self.room.handle_message(Timestamp(0), self.seats[seat].peer, &message.to_bytes());
        while let Some(sent) = self.room.poll_transmit() {
            let message = ServerMessage::parse(sent.payload).unwrap();
            let to = self.seats.iter_mut().find(|seat| seat.peer == sent.to).unwrap();
            to.scene.handle_message(&message).unwrap();
            to.brain.observe(&to.scene);
        }
        while self.room.poll_record().is_some() || self.room.poll_notice().is_some() {}
    }

    /// Plays until the game or the number of keys per player ends; true if the game has ended.
    pub(crate) fn play(&mut self, max_keys: u32) -> bool {
        for _ in 0..max_keys {
            for seat in 0..self.seats.len() {
                if self.room.is_closed() {
                    return true;
                }
                self.turn(seat);
            }
        }
        self.room.is_closed()
    }

    fn turn(&mut self, seat: usize) {
        let Seat { brain, scene, .. } = &mut self.seats[seat];
        if let Some(stroke) = brain.next_key(scene) {
            self.send(seat, ClientMessage::Key(stroke.key()));
        }
    }

    /// All purses in the order of the seats.
    pub(crate) fn purses(&self) -> Vec<u32> {
        self.room.game().players().iter().map(nuggets_game::Player::purse).collect()
    }
}
