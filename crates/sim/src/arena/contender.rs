//! Somebody who takes turns: hears messages, and presses a key when it is its turn.

use std::sync::atomic::AtomicBool;

use nuggets_atlas::Scene;
use nuggets_bots::Brain;
use nuggets_protocol::{ClientMessage, ServerMessage};

use super::contest::Trouble;

/// Whoever plays a game of the arena. Messages are those of the wire, in both directions. Whoever is
/// waited for is not waited for any longer once `stop` is set.
pub(super) trait Contender {
    /// How it asks to join.
    fn join(&mut self, stop: &AtomicBool) -> Result<Vec<u8>, Trouble>;

    /// A message of the server to it.
    fn hear(&mut self, message: &[u8]);

    /// What it says when it is its turn; nothing when it doesn't want to move.
    fn turn(&mut self, stop: &AtomicBool) -> Result<Option<Vec<u8>>, Trouble>;
}

/// Somebody who doesn't come any more.
pub(super) struct Absent;

impl Contender for Absent {
    fn join(&mut self, _: &AtomicBool) -> Result<Vec<u8>, Trouble> {
        Err(Trouble::GivenUp)
    }

    fn hear(&mut self, _: &[u8]) {}

    fn turn(&mut self, _: &AtomicBool) -> Result<Option<Vec<u8>>, Trouble> {
        Err(Trouble::GivenUp)
    }
}

/// One of our brains.
pub(super) struct Thinker {
    name: String,
    brain: Box<dyn Brain + Send>,
    scene: Scene,
}

impl Thinker {
    pub(super) fn new(name: &str, brain: Box<dyn Brain + Send>) -> Self {
        Self { name: name.to_owned(), brain, scene: Scene::default() }
    }
}

impl Contender for Thinker {
    fn join(&mut self, _: &AtomicBool) -> Result<Vec<u8>, Trouble> {
        Ok(ClientMessage::Play(self.name.as_bytes()).to_bytes())
    }

    fn hear(&mut self, message: &[u8]) {
        let told = ServerMessage::parse(message).expect("a room speaks its language");
        self.scene.take(&told).expect("a room sends pictures of one shape");
        if matches!(told, ServerMessage::Display(_)) {
            self.brain.look(&self.scene);
        }
    }

    fn turn(&mut self, _: &AtomicBool) -> Result<Option<Vec<u8>>, Trouble> {
        let key = self.brain.next_key(&self.scene);
        Ok(key.map(|stroke| ClientMessage::Key(stroke.key()).to_bytes()))
    }
}
