//! The interactive client, without terminal, socket or clock: the session with the server, and around it keys, scripts,
//! notes, help and walking.
//!
//! The contract: keys, bytes and timestamps go in through `handle_…`; then drain `poll_effect` until it is empty;
//! `poll_timeout` returns the time for the next `handle_timeout`. Nothing comes out after [`Effect::Leave`]. The module
//! `screen` draws it all.

mod auto;
mod event_log;
mod happenings;
mod note;
mod options;
mod pause;
mod playing;
mod rivals;
mod script;
#[cfg(test)]
mod tests;
mod view;

use nuggets_atlas::{FieldOfView, MessageError, Point, Scene};
use nuggets_session::{Effect, LoggedFlaws, Session, SessionPolicy, SessionStage, Timestamp};
use nuggets_tui::Key;

use crate::layout::Fit;
use auto::{Auto, Errand};
use happenings::{Bell, Silence};
use note::Note;
use pause::Pause;
use rivals::Rivals;
use script::KeyScript;
use view::MapWindow;

pub(crate) use event_log::EventLog;
pub(crate) use happenings::nuggets;
pub use options::{AppOptions, GameStart};
pub(crate) use view::SCROLL_KEY;

/// The server to join, and the name to play under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinTarget {
    /// The server as the user named it: host and port, or the link of a game.
    pub place: String,
    /// The name to play under; `None` to watch.
    pub name: Option<Vec<u8>>,
}

impl JoinTarget {
    /// True if we only watch.
    pub fn is_spectator(&self) -> bool {
        self.name.is_none()
    }
}

/// A client that joins, plays or watches, and leaves.
///
/// ```
/// use nuggets_client::{App, JoinTarget};
/// use nuggets_session::{Effect, SessionOutcome, Timestamp};
/// use nuggets_tui::Key;
///
/// let join = JoinTarget { place: "localhost:1234".into(), name: Some(b"Ann".to_vec()) };
/// let mut app = App::new(Timestamp(0), join);
/// assert_eq!(app.poll_effect(), Some(Effect::Send(b"PLAY Ann".to_vec())));
///
/// app.handle_message(Timestamp(3), b"OK A").unwrap();
/// app.handle_key(Timestamp(900), Key::Char('Q'));
/// assert_eq!(app.poll_effect(), Some(Effect::Send(b"KEY Q".to_vec())));
///
/// app.handle_message(Timestamp(903), b"QUIT Thanks for playing!").unwrap();
/// let outcome = SessionOutcome::Left { farewell: "Thanks for playing!".into() };
/// assert_eq!(app.poll_effect(), Some(Effect::Leave(outcome)));
/// ```
#[derive(Clone, Debug)]
pub struct App {
    join: JoinTarget,
    session: Session,
    note: Option<Note>,
    flaws: LoggedFlaws,
    /// The server's text about its variants of the game.
    pub(crate) house_rules: Option<String>,
    pub(crate) help_is_open: bool,
    /// Exploring and walking; `None` where they are not allowed.
    auto: Option<Auto>,
    script: KeyScript,
    pub(crate) view: MapWindow,
    pub(crate) sight: FieldOfView,
    pub(crate) panel_is_open: bool,
    pub(crate) log: EventLog,
    pub(crate) rivals: Rivals,
    /// Nuggets that we have just lost, until a picture shows the thief.
    robbed_of: Option<u32>,
    bell: Bell,
    silence: Silence,
    /// The pause state of the bots in a game of our own; `None` in a game on another server.
    pause: Option<Pause>,
    is_interrupted: bool,
    /// The final table of the last game on this server, until the next game has accepted us.
    last_table: Option<String>,
}

impl App {
    /// Creates a client that asks to join now.
    pub fn new(now: Timestamp, join: JoinTarget) -> Self {
        Self {
            session: Session::new(now, join.name.as_deref(), SessionPolicy::PERSON),
            join,
            note: None,
            flaws: LoggedFlaws::default(),
            house_rules: None,
            help_is_open: false,
            auto: None,
            script: KeyScript::default(),
            view: MapWindow::default(),
            sight: FieldOfView::default(),
            panel_is_open: false,
            log: EventLog::new(now),
            rivals: Rivals::default(),
            robbed_of: None,
            bell: Bell::Off,
            silence: Silence::default(),
            pause: None,
            is_interrupted: false,
            last_table: None,
        }
    }

    /// Returns the same client for the next game on the same port, after a game with this final table.
    #[must_use]
    pub fn for_next_game(mut self, now: Timestamp, last_table: String) -> Self {
        let name = self.join.name.as_deref();
        self.session = Session::for_next_game(now, name, SessionPolicy::PERSON);
        self.last_table = Some(last_table);
        self
    }

    /// Handles a key press.
    pub fn handle_key(&mut self, now: Timestamp, key: Key) {
        self.is_interrupted |= key == Key::Interrupt;
        match self.session.stage() {
            SessionStage::Joining | SessionStage::AwaitingFinalTable if key.is_quit() => {
                self.session.handle_quit(now);
            }
            SessionStage::Playing => self.play(now, key),
            SessionStage::Leaving if key == Key::Interrupt => self.session.handle_impatience(),
            _ => {}
        }
        self.clear_if_ended();
    }

    /// Queues a key from a pipe until the game can handle it.
    pub fn handle_script_byte(&mut self, now: Timestamp, byte: u8) {
        self.script.push(byte);
        self.run_script(now);
    }

    /// Handles the end of the pipe: plays its remaining keys, then leaves.
    pub fn handle_script_end(&mut self, now: Timestamp) {
        self.script.end();
        self.run_script(now);
    }

    /// Handles a click on a gridpoint of the map: walks there.
    pub fn handle_click(&mut self, now: Timestamp, goal: Point) {
        let is_seen = !matches!(self.fit(), Some(Fit::TooSmall)) && !self.help_is_open;
        if self.session.stage() == SessionStage::Playing && self.auto.is_some() && is_seen {
            self.clear_note();
            self.pause = self.pause.map(|_| Pause::Running);
            self.start_errand(now, Errand::walk(goal));
        }
    }

    /// Stops walking, because the client is being suspended.
    pub fn handle_pause(&mut self) {
        self.stop_errand();
    }

    /// Handles a datagram from the server. A malformed one has no effect but a note.
    pub fn handle_message(&mut self, now: Timestamp, bytes: &[u8]) -> Result<(), MessageError> {
        let stage = self.session.stage();
        if stage == SessionStage::Ended {
            return self.session.handle_message(now, bytes).map(drop);
        }
        let gold_before = self.scene().gold();
        let result = match self.session.handle_message(now, bytes) {
            Ok(update) => {
                self.end_silence(now);
                self.note_deviations(now);
                self.handle_update(now, update, gold_before);
                Ok(())
            }
            Err(why) => {
                if self.flaws.add_malformed(why, bytes) {
                    self.put_note(now, note::MALFORMED_MESSAGE);
                }
                Err(why)
            }
        };
        if self.session.stage() == SessionStage::Playing {
            self.last_table = None;
        }
        let is_dismissed = self.session.stage() == SessionStage::AwaitingFinalTable;
        if is_dismissed && stage != SessionStage::AwaitingFinalTable {
            self.close_help_and_stop();
            self.put_note(now, note::AWAITING_RESULT);
        }
        self.clear_if_ended();
        self.run_script(now);
        result
    }

    /// Executes everything that is due: notes, retries, walking and the script.
    pub fn handle_timeout(&mut self, now: Timestamp) {
        self.note.take_if(|note| note.until() <= now);
        self.note_silence(now);
        if self.session.handle_timeout(now) {
            self.put_note(now, note::AWAITING_CONFIRMATION);
        }
        self.clear_if_ended();
        self.run_errand(now);
        self.run_script(now);
    }

    /// Shows a hint to a person who has just joined. Notes from the server at that time are appended to it.
    pub fn handle_hint(&mut self, now: Timestamp, hint: &str) {
        if self.session.stage() == SessionStage::Playing {
            self.note = Some(Note::lasting(now, hint));
        }
    }

    /// Handles a closed port of a server that has no other address to try.
    pub fn handle_port_closed(&mut self, now: Timestamp) {
        if self.session.stage() == SessionStage::Playing {
            self.silence.is_noted = true;
        }
        self.session.handle_port_closed(now);
        self.clear_if_ended();
    }

    /// Starts joining again after the shell has fallen back to another address of the server.
    pub fn handle_address_change(&mut self, now: Timestamp) {
        self.session.handle_address_change(now);
    }

    /// Leaves at once because the terminal is gone: sends the quit and does not wait for an answer.
    pub fn handle_hangup(&mut self) {
        self.session.handle_hangup();
        self.clear_if_ended();
    }

    /// Returns the next effect, if there is any.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.session.poll_effect()
    }

    /// Returns the time at which to call `handle_timeout`.
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        let note = self.note.as_ref().map(Note::until);
        let script = self.script.next_due().filter(|_| self.script_may_run());
        let errand = self.auto.as_ref().and_then(Auto::next_due);
        let silent = self.silent_at();
        [note, self.session.poll_timeout(), script, errand, silent].into_iter().flatten().min()
    }

    /// Returns the requested server and name.
    pub fn join(&self) -> &JoinTarget {
        &self.join
    }

    /// True until the server accepts us.
    pub fn is_joining(&self) -> bool {
        self.session.stage() == SessionStage::Joining
    }

    /// True if the server has announced another game on the same port.
    pub fn is_next_game_announced(&self) -> bool {
        self.session.is_next_game_announced()
    }

    /// The final table of the last game, until the next game has accepted us.
    pub fn last_table(&self) -> Option<&str> {
        self.last_table.as_deref()
    }

    /// True if all keys read from the pipe are played, so that more can be read.
    pub fn wants_script(&self) -> bool {
        self.script.wants_more()
    }

    pub(crate) fn scene(&self) -> &Scene {
        self.session.scene()
    }

    /// True if Ctrl-C was pressed or a signal arrived.
    pub fn is_interrupted(&self) -> bool {
        self.is_interrupted
    }

    /// The letter that we play as.
    pub fn letter(&self) -> Option<char> {
        self.scene().letter()
    }

    /// True if the bell has to ring because of an event since the last call.
    pub fn take_bell(&mut self) -> bool {
        let rings = self.bell == Bell::Rings;
        if rings {
            self.bell = Bell::Quiet;
        }
        rings
    }

    /// Sets the names of all players, which only a server in this process can provide.
    pub fn handle_names(&mut self, names: &[(char, String)]) {
        // Until we know our own letter, we would be among the rivals.
        if !self.join.is_spectator() && self.letter().is_none() {
            return;
        }
        for (letter, name) in names {
            if let Ok(letter) = u8::try_from(*letter)
                && self.scene().letter() != Some(char::from(letter))
            {
                self.rivals.set_name(letter, name);
            }
        }
    }

    /// The short text right of the status line: a note, or a state that lasts.
    pub(crate) fn note(&self) -> Option<&str> {
        let lasting = || {
            let looking = self.view.looks_around().then_some(note::LOOKING_AROUND);
            looking.or_else(|| self.pause_text()).or_else(|| self.session.awaited())
        };
        match &self.note {
            _ if self.silence.is_noted => Some(note::SILENT_SERVER),
            Some(note) => Some(note.text()),
            None => lasting(),
        }
    }

    /// True if this is a game of our own, which can be paused.
    pub(crate) fn has_pause(&self) -> bool {
        self.pause.is_some()
    }

    pub(crate) fn has_auto(&self) -> bool {
        self.auto.is_some()
    }

    /// Returns the number of join requests sent, and their maximum; `None` once accepted.
    pub(crate) fn join_tries(&self) -> Option<(u32, u32)> {
        self.session.join_tries()
    }
}
