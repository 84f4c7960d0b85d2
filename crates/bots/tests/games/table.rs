//! A game in memory: a real room, and brains that hear what it says and nothing else.

use std::net::SocketAddr;
use std::sync::Arc;

use nuggets_atlas::Scene;
use nuggets_bots::{Brain, BrainKind};
use nuggets_game::{Game, Rules, Seed, Sight};
use nuggets_protocol::{ClientMessage, ServerMessage};
use nuggets_server::{Millis, Peer, Room};

/// Everybody at one table. Each presses one key in turn.
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
    /// A new game for these brains. Theirs and the game's chance come from the seed.
    pub(crate) fn new(sight: &Arc<Sight>, rules: Rules, seed: i64, brains: &[BrainKind]) -> Self {
        let game = Game::new(Arc::clone(sight), rules, Seed::new(seed)).unwrap();
        let dialect = nuggets_protocol::Dialect::default();
        let mut table = Self { room: Room::new(game, dialect), seats: Vec::new() };
        for (number, kind) in (0u16..).zip(brains) {
            let peer = SocketAddr::from(([127, 0, 0, 1], 1 + number)).into();
            let brain = kind.build(seed.unsigned_abs() * 100 + u64::from(number));
            table.seats.push(Seat { peer, brain, scene: Scene::default() });
            table.say(usize::from(number), ClientMessage::Play(b"bot"));
        }
        table
    }

    fn say(&mut self, seat: usize, message: ClientMessage) {
        self.room.handle_message(Millis(0), self.seats[seat].peer, &message.to_bytes());
        while let Some(sent) = self.room.poll_transmit() {
            let told = ServerMessage::parse(sent.payload).unwrap();
            let to = self.seats.iter_mut().find(|seat| seat.peer == sent.to).unwrap();
            to.scene.take(&told).unwrap();
            to.brain.look(&to.scene);
        }
        while self.room.poll_notice().is_some() {}
    }

    /// Plays to the end, or until somebody has pressed so many keys; true if it ended.
    pub(crate) fn play(&mut self, most_keys: u32) -> bool {
        for _ in 0..most_keys {
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
            self.say(seat, ClientMessage::Key(stroke.key()));
        }
    }

    /// What everybody has, in the order of the seats.
    pub(crate) fn purses(&self) -> Vec<u32> {
        self.room.game().players().iter().map(nuggets_game::Player::purse).collect()
    }
}
