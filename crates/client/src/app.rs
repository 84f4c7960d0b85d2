//! The client's part in a game, without terminal, socket or clock.
//!
//! The law: keys, bytes and moments go in through `handle_…`; then drain `poll_effect` until it is
//! empty and do what it says; `poll_timeout` says when to call `handle_timeout`. Once `Leave` has
//! come out, nothing comes out any more. How all of it looks is `screen`'s business.

mod asking;
mod auto;
mod ending;
mod join;
mod joining;
mod leaving;
mod note;
mod playing;
mod script;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use nuggets_atlas::{Misfit, Misunderstood, Scene};
use nuggets_protocol::ServerMessage;

use crate::{Key, Millis};
use asking::{Asking, Due};
use auto::Auto;
use note::Note;
use script::Script;

pub use ending::Ending;
pub use join::Join;

/// How often we ask to join.
const JOIN_TRIES: u32 = 6;
/// How often we say that we leave.
const QUIT_TRIES: u32 = 3;
/// How often we ask why we were sent away. A server that has just ended a game answers for longer.
const WONDER_TRIES: u32 = 4;

/// What the shell has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Send this to the server.
    Send(Vec<u8>),
    /// Give the terminal back and end like this.
    Leave(Ending),
}

/// A client that joins, plays or watches, and leaves.
///
/// ```
/// use nuggets_client::{App, Effect, Ending, Join, Key, Millis};
///
/// let join = Join { host: "localhost".into(), port: 1234, name: Some(b"Ann".to_vec()) };
/// let mut app = App::new(Millis(0), join);
/// assert_eq!(app.poll_effect(), Some(Effect::Send(b"PLAY Ann".to_vec())));
///
/// app.handle_message(Millis(3), b"OK A").unwrap();
/// app.handle_key(Millis(900), Key::Char('Q'));
/// assert_eq!(app.poll_effect(), Some(Effect::Send(b"KEY Q".to_vec())));
///
/// app.handle_message(Millis(903), b"QUIT Thanks for playing!").unwrap();
/// let ending = Ending::Quit("Thanks for playing!".into());
/// assert_eq!(app.poll_effect(), Some(Effect::Leave(ending)));
/// ```
#[derive(Clone, Debug)]
pub struct App {
    join: Join,
    stage: Stage,
    /// The question under way: to be let in, to be let go, or why we were.
    asking: Option<Asking>,
    scene: Scene,
    note: Option<Note>,
    /// The server's last complaint, as long as nothing has come after it.
    complaint: Option<String>,
    /// Has anything come at all, understood or not?
    has_heard: bool,
    /// What was wrong with the shape of the pictures when we said so last.
    misfit: Option<Misfit>,
    /// What the server plays by beyond the documents, in its own words.
    house_rules: Option<String>,
    help_is_open: bool,
    /// What goes by itself; nothing without leave to.
    auto: Option<Auto>,
    script: Script,
    effects: VecDeque<Effect>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The server has told us nothing about the game yet.
    Joining,
    Playing,
    /// We have said that we go.
    Leaving,
    /// We were sent away without a word. The final table goes ahead of such a `QUIT` and may have
    /// been lost: whoever asks is told again.
    Wondering,
    Left,
}

impl App {
    /// A client that asks to join now.
    pub fn new(now: Millis, join: Join) -> Self {
        let mut app = Self {
            join,
            stage: Stage::Joining,
            asking: None,
            scene: Scene::default(),
            note: None,
            complaint: None,
            has_heard: false,
            misfit: None,
            house_rules: None,
            help_is_open: false,
            auto: None,
            script: Script::default(),
            effects: VecDeque::new(),
        };
        app.ask_to_join(now);
        app
    }

    /// Somebody pressed a key.
    pub fn handle_key(&mut self, now: Millis, key: Key) {
        match self.stage {
            Stage::Joining if key.quits() => self.turn_away(Ending::NeverJoined),
            Stage::Playing => self.play(now, key),
            Stage::Leaving if key == Key::Interrupt => self.give_up_asking(),
            Stage::Wondering if key.quits() => self.give_up_asking(),
            Stage::Joining | Stage::Leaving | Stage::Wondering | Stage::Left => {}
        }
    }

    /// A key came out of a pipe. It is kept until the game can take it.
    pub fn handle_script_byte(&mut self, now: Millis, byte: u8) {
        self.script.push(byte);
        self.run_script(now);
    }

    /// The pipe has come to its end. What came out of it before is played first.
    pub fn handle_script_end(&mut self, now: Millis) {
        self.script.end();
        self.run_script(now);
    }

    /// A datagram came from the server. One that is not understood has no effect but a note.
    pub fn handle_message(&mut self, now: Millis, bytes: &[u8]) -> Result<(), Misunderstood> {
        if self.stage == Stage::Left {
            return Ok(());
        }
        self.has_heard = true;
        let heard = match ServerMessage::parse(bytes) {
            Ok(message) => self.hear(now, &message),
            Err(misread) => Err(misread.into()),
        };
        if heard.is_err() {
            self.put_note(now, note::MALFORMED_MESSAGE);
        }
        self.run_script(now);
        heard
    }

    /// The moment that `poll_timeout` spoke of may have come.
    pub fn handle_timeout(&mut self, now: Millis) {
        self.note.take_if(|note| note.until() <= now);
        match self.asking.as_mut().and_then(|asking| asking.due(now)) {
            Some(Due::Again) => self.ask_again(now),
            Some(Due::GiveUp) => self.give_up_asking(),
            None => {}
        }
        self.run_errand(now);
        self.run_script(now);
    }

    /// Somebody who has just arrived may want to know this.
    pub fn handle_hint(&mut self, now: Millis, hint: &str) {
        if self.stage == Stage::Playing {
            self.put_note(now, hint);
        }
    }

    /// The server's port is closed, and there is no other address to try.
    pub fn handle_refused(&mut self, now: Millis) {
        match self.stage {
            Stage::Joining => self.leave(Ending::PortClosed),
            Stage::Playing => self.put_note(now, note::SILENT_SERVER),
            Stage::Leaving | Stage::Wondering => self.give_up_asking(),
            Stage::Left => {}
        }
    }

    /// The shell goes on with another address of the server: we ask there, from the beginning.
    pub fn handle_detour(&mut self, now: Millis) {
        if self.stage == Stage::Joining {
            self.ask_to_join(now);
        }
    }

    /// The terminal is gone: say so to the server and wait for nothing.
    pub fn handle_hangup(&mut self) {
        match self.stage {
            Stage::Joining | Stage::Playing => self.turn_away(Ending::HungUp),
            Stage::Leaving | Stage::Wondering => self.leave(Ending::HungUp),
            Stage::Left => {}
        }
    }

    /// The next thing to do, if there is any.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// When `handle_timeout` wants to be called.
    pub fn poll_timeout(&self) -> Option<Millis> {
        let note = self.note.as_ref().map(Note::until);
        let asking = self.asking.as_ref().map(Asking::next);
        let script = self.script.next_due().filter(|_| self.script_may_run());
        let errand = self.auto.as_ref().and_then(Auto::next_due);
        [note, asking, script, errand].into_iter().flatten().min()
    }

    /// What was asked of whom.
    pub fn join(&self) -> &Join {
        &self.join
    }

    /// Whether we still wait to be let in.
    pub fn is_joining(&self) -> bool {
        self.stage == Stage::Joining
    }

    /// Whether all keys from the pipe so far are played, so that it is time to read more.
    pub fn wants_script(&self) -> bool {
        self.script.wants_more()
    }

    pub(crate) fn scene(&self) -> &Scene {
        &self.scene
    }

    pub(crate) fn note(&self) -> Option<&str> {
        self.note.as_ref().map(Note::text)
    }

    pub(crate) fn house_rules(&self) -> Option<&str> {
        self.house_rules.as_deref()
    }

    pub(crate) fn has_auto(&self) -> bool {
        self.auto.is_some()
    }

    pub(crate) fn help_is_open(&self) -> bool {
        self.help_is_open
    }

    /// The try we are at, as long as nobody has let us in: (third, of six).
    pub(crate) fn join_try(&self) -> Option<(u32, u32)> {
        let asked = self.asking.map_or(JOIN_TRIES, |asking| asking.asked());
        self.is_joining().then_some((asked, JOIN_TRIES))
    }
}
