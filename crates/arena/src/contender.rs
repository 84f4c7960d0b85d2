//! A contender takes turns: it receives messages, and sends a key when it is its turn.

use std::sync::atomic::AtomicBool;

use nuggets_atlas::Scene;
use nuggets_bots::{Brain, ProgramFault};
use nuggets_protocol::{ClientMessage, ServerMessage};

use super::contest::FaultReport;

/// A player of the arena. Messages have the wire format in both directions. Setting `stop` ends any wait for an answer.
pub(super) trait Contender {
    /// Returns the message with which it joins.
    fn join(&mut self, stop: &AtomicBool) -> Result<Vec<u8>, FaultReport>;

    /// Receives a message from the server.
    fn receive(&mut self, message: &[u8]);

    /// Returns the message of its turn; `None` if it does not move.
    fn turn(&mut self, stop: &AtomicBool) -> Result<Option<Vec<u8>>, FaultReport>;
}

/// The stand-in for a program that is not started again.
pub(super) struct Absent;

impl Contender for Absent {
    fn join(&mut self, _: &AtomicBool) -> Result<Vec<u8>, FaultReport> {
        Err(ProgramFault::GivenUp.into())
    }

    fn receive(&mut self, _: &[u8]) {}

    fn turn(&mut self, _: &AtomicBool) -> Result<Option<Vec<u8>>, FaultReport> {
        Err(ProgramFault::GivenUp.into())
    }
}

/// A brain of `nuggets-bots`.
pub(super) struct BrainContender {
    name: String,
    brain: Box<dyn Brain + Send>,
    scene: Scene,
}

impl BrainContender {
    pub(super) fn new(name: &str, brain: Box<dyn Brain + Send>) -> Self {
        Self { name: name.to_owned(), brain, scene: Scene::default() }
    }
}

impl Contender for BrainContender {
    fn join(&mut self, _: &AtomicBool) -> Result<Vec<u8>, FaultReport> {
        Ok(ClientMessage::Play(self.name.as_bytes()).to_bytes())
    }

    fn receive(&mut self, message: &[u8]) {
        let parsed = ServerMessage::parse(message).expect("a room sends valid messages");
        self.scene.handle_message(&parsed).expect("a room sends pictures of one shape");
        if matches!(parsed, ServerMessage::Display(_)) {
            self.brain.observe(&self.scene);
        }
    }

    fn turn(&mut self, _: &AtomicBool) -> Result<Option<Vec<u8>>, FaultReport> {
        let key = self.brain.next_key(&self.scene);
        Ok(key.map(|stroke| ClientMessage::Key(stroke.key()).to_bytes()))
    }
}
