//! A program as the brain of a bot over the network: asks the program for a key when one is due.
//!
//! The program receives what the session has understood, in the exact form of the specification, even if the server's
//! messages deviate from it.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use nuggets_atlas::{Gold, Picture, Scene, Size, Stroke};
use nuggets_protocol::ServerMessage;

use super::{BotProgram, MAX_LOST_TURNS, ProgramFailure, ProgramFault};
use crate::Brain;

/// The reason why a program has stopped playing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProgramEnd {
    /// It has pressed `Q`.
    Quit,
    Failed(ProgramFailure),
}

/// The end of a program, once it has ended: the brain sets it, and the runner of the bot reads it.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedEnd(Arc<Mutex<Option<ProgramEnd>>>);

impl SharedEnd {
    pub(crate) fn get(&self) -> Option<ProgramEnd> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, end: ProgramEnd) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
    }
}

/// Asks a program for every key. Blocks until it answers, up to its time limit.
#[derive(Debug)]
pub(crate) struct ProgramBrain {
    program: BotProgram,
    stop: Arc<AtomicBool>,
    end: SharedEnd,
    sent: SentScene,
    lost_turns: u32,
}

/// The part of a scene that the program has been sent.
#[derive(Debug, Default)]
struct SentScene {
    letter: Option<char>,
    size: Option<Size>,
    gold: Option<Gold>,
}

impl ProgramBrain {
    pub(crate) fn new(program: BotProgram, stop: Arc<AtomicBool>, end: SharedEnd) -> Self {
        Self { program, stop, end, sent: SentScene::default(), lost_turns: 0 }
    }

    /// Sends all changes except the picture.
    fn send_news(&mut self, scene: &Scene) {
        for message in self.sent.update(scene) {
            self.program.send(&message.to_bytes());
        }
    }

    fn lose_turn(&mut self, fault: ProgramFault) {
        self.lost_turns += 1;
        let has_died = matches!(fault, ProgramFault::Died(_));
        if has_died || self.lost_turns >= MAX_LOST_TURNS {
            self.end.set(ProgramEnd::Failed(self.program.failure(fault)));
        }
    }
}

impl Brain for ProgramBrain {
    fn next_key(&mut self, scene: &Scene) -> Option<Stroke> {
        let picture = scene.picture().filter(|_| self.end.get().is_none())?;
        self.send_news(scene);
        match self.program.ask(&display(picture), &self.stop) {
            Ok(b'Q') => self.end.set(ProgramEnd::Quit),
            Ok(key) => return Stroke::from_key(key),
            Err(fault) => self.lose_turn(fault),
        }
        None
    }

    fn handle_error_reply(&mut self, text: &str) {
        self.program.send(&ServerMessage::Error(text.as_bytes().into()).to_bytes());
    }

    fn is_literal(&self) -> bool {
        true
    }
}

impl SentScene {
    /// Returns the messages for all changes.
    fn update(&mut self, scene: &Scene) -> Vec<ServerMessage<'static>> {
        let mut news = Vec::new();
        if let Some(letter) =
            scene.letter().filter(|&letter| self.letter.replace(letter) != Some(letter))
        {
            news.push(ServerMessage::Ok(letter));
        }
        if let Some(size) = scene.size().filter(|&size| self.size.replace(size) != Some(size)) {
            news.push(ServerMessage::Grid { rows: size.rows, cols: size.cols });
        }
        let last = self.gold;
        if let Some(gold) = scene.gold().filter(|&gold| self.gold.replace(gold) != Some(gold)) {
            let found = gold.purse.saturating_sub(last.map_or(0, |last| last.purse));
            news.push(ServerMessage::Gold { found, purse: gold.purse, remaining: gold.remaining });
        }
        news
    }
}

fn display(picture: &Picture) -> Vec<u8> {
    let rows =
        picture.rows().flat_map(|row| row.iter().copied().chain([b'\n'])).collect::<Vec<u8>>();
    ServerMessage::Display(rows.into()).to_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AnswerLimits;

    fn brain(line: &str) -> (ProgramBrain, SharedEnd) {
        let limits = AnswerLimits { start_ms: 60_000, turn_ms: 60_000 };
        let program = BotProgram::start(line, limits, &AtomicBool::new(false)).unwrap();
        let end = SharedEnd::default();
        (ProgramBrain::new(program, Arc::default(), end.clone()), end)
    }

    fn scene(messages: &[&str]) -> Scene {
        let mut scene = Scene::default();
        for message in messages {
            scene.handle_bytes(message.as_bytes()).unwrap();
        }
        scene
    }

    const JOINED: [&str; 4] = ["OK A", "GRID 1 4", "GOLD 0 0 9", "DISPLAY\n|@.|\n"];

    /// A program that echoes its input to stderr and answers a picture with `KEY l`; after three of them it exits.
    const ECHO: &str = r#"echo PLAY Ann; n=0; while read -r line; do printf '%s\n' "$line" >&2; case "$line" in
        DISPLAY*) n=$((n+1)); [ $n = 3 ] && exit 5; echo KEY l;; esac; done"#;

    #[test]
    fn a_program_is_sent_only_what_is_new_and_then_the_picture() {
        let (mut brain, end) = brain(ECHO);
        let mut scene = scene(&JOINED);
        assert_eq!(brain.next_key(&scene).map(Stroke::key), Some(b'l'));
        brain.handle_error_reply("no");
        scene.handle_bytes(b"GOLD 3 3 6").unwrap();
        assert_eq!(brain.next_key(&scene).map(Stroke::key), Some(b'l'));
        assert_eq!(brain.next_key(&scene), None);
        let Some(ProgramEnd::Failed(failure)) = end.get() else { panic!("it has exited") };
        assert_eq!(failure.fault.to_string(), "exited during the game with code 5");
        let picture = "DISPLAY\\n|@.|\\n";
        assert_eq!(
            failure.stderr.lines().collect::<Vec<_>>(),
            ["OK A", "GRID 1 4", "GOLD 0 0 9", picture, "ERROR no", "GOLD 3 3 6", picture, picture]
        );
        assert_eq!(brain.next_key(&scene), None, "it is not asked again");
    }

    #[test]
    fn a_program_can_quit() {
        let quits =
            r#"echo PLAY Ann; while read -r a; do case "$a" in DISPLAY*) echo KEY Q;; esac; done"#;
        let (mut brain, end) = brain(quits);
        assert_eq!(brain.next_key(&scene(&JOINED[3..])), None);
        assert_eq!(end.get(), Some(ProgramEnd::Quit));
    }

    #[test]
    fn after_three_lost_turns_a_program_is_not_asked_again() {
        let (mut brain, end) = brain("echo PLAY Ann; while read -r a; do echo KEY x; done");
        for _ in 0..2 {
            assert_eq!(brain.next_key(&scene(&JOINED[3..])), None);
            assert_eq!(end.get(), None);
        }
        assert_eq!(brain.next_key(&scene(&JOINED[3..])), None);
        assert!(matches!(end.get(), Some(ProgramEnd::Failed(_))));
    }
}
