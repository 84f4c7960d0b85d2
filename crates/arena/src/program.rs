//! An external program as a contender. It is started for every game and killed at its end.

use std::sync::atomic::AtomicBool;

use nuggets_bots::{AnswerLimits, BotProgram};
use nuggets_protocol::{ClientMessage, DISPLAY_HEAD};

use super::contender::Contender;
use super::contest::FaultReport;

/// A program as a contender.
pub(super) struct ProgramContender {
    line: String,
    limits: AnswerLimits,
    running: Option<BotProgram>,
    /// The last picture, which is sent when it is the program's turn.
    picture: Vec<u8>,
}

impl ProgramContender {
    pub(super) fn new(line: &str, limits: AnswerLimits) -> Self {
        Self { line: line.to_owned(), limits, running: None, picture: vec![] }
    }
}

impl Contender for ProgramContender {
    fn join(&mut self, stop: &AtomicBool) -> Result<Vec<u8>, FaultReport> {
        let running = BotProgram::start(&self.line, self.limits, stop)?;
        let message = ClientMessage::Play(running.name()).to_bytes();
        self.running = Some(running);
        Ok(message)
    }

    fn receive(&mut self, message: &[u8]) {
        if message.starts_with(DISPLAY_HEAD) {
            self.picture.clear();
            self.picture.extend_from_slice(message);
        } else if let Some(running) = &mut self.running {
            running.send(message);
        }
    }

    fn turn(&mut self, stop: &AtomicBool) -> Result<Option<Vec<u8>>, FaultReport> {
        let running = self.running.as_mut().expect("only a contender that has joined has turns");
        match running.ask(&self.picture, stop) {
            Ok(key) => Ok(Some(ClientMessage::Key(key).to_bytes())),
            Err(fault) => Err(running.failure(fault).into()),
        }
    }
}
