//! A person's client, without terminal, socket or clock: the session with the server, and around it
//! keys, scripts, notes, help and walking.
//!
//! The contract: keys, bytes and timestamps go in through `handle_…`; then drain `poll_effect` until
//! it is empty; `poll_timeout` says when to call `handle_timeout`. Nothing comes out after
//! [`Effect::Leave`]. How all of it looks is the concern of `screen`.

mod auto;
mod event_log;
mod happenings;
mod note;
mod pause;
mod playing;
mod rivals;
mod script;
#[cfg(test)]
mod tests;
mod view;

use std::collections::BTreeSet;

use nuggets_atlas::{FieldOfView, MessageError, Point, Scene, SizeMismatch};
use nuggets_session::{
    Deviation, Effect, MalformedKinds, Session, SessionPolicy, SessionStage, Timestamp,
};
use nuggets_tui::Key;

use crate::layout::Fit;
use auto::{Auto, Errand};
use event_log::EventLog;
use happenings::{Bell, Silence};
use note::Note;
use pause::Pause;
use rivals::Rivals;
use script::Script;
use view::View;

pub(crate) use event_log::LogEntry;
pub(crate) use view::SCROLL_KEY;

/// Which server to join, and as whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    /// The server as the person named it: host and port, or the link of a game.
    pub place: String,
    /// The name to play under; `None` to watch.
    pub name: Option<Vec<u8>>,
}

impl Join {
    /// Whether we only watch.
    pub fn is_spectator(&self) -> bool {
        self.name.is_none()
    }
}

/// A client that joins, plays or watches, and leaves.
///
/// ```
/// use nuggets_client::{App, Join};
/// use nuggets_session::{Effect, SessionOutcome, Timestamp};
/// use nuggets_tui::Key;
///
/// let join = Join { place: "localhost:1234".into(), name: Some(b"Ann".to_vec()) };
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
    join: Join,
    session: Session,
    note: Option<Note>,
    /// The last size mismatch that was noted.
    size_mismatch: Option<SizeMismatch>,
    /// The kinds of malformed messages that were noted.
    malformed_kinds: MalformedKinds,
    /// The deviations of the server's messages that were noted.
    noted_deviations: BTreeSet<Deviation>,
    /// The server's text about its variants of the game.
    house_rules: Option<String>,
    help_is_open: bool,
    /// Exploring and walking; `None` where they are not allowed.
    auto: Option<Auto>,
    script: Script,
    view: View,
    sight: FieldOfView,
    panel_is_open: bool,
    log: EventLog,
    rivals: Rivals,
    /// Nuggets that we have just lost, until a picture shows to whom.
    robbed_of: Option<u32>,
    bell: Bell,
    silence: Silence,
    /// How the bots of a game of our own wait; `None` in a game of others.
    pause: Option<Pause>,
    is_interrupted: bool,
    /// The final table of the last game on this server, until the next has accepted us.
    last_table: Option<String>,
}

impl App {
    /// A client that asks to join now.
    pub fn new(now: Timestamp, join: Join) -> Self {
        Self {
            session: Session::new(now, join.name.as_deref(), SessionPolicy::PERSON),
            join,
            note: None,
            size_mismatch: None,
            malformed_kinds: MalformedKinds::default(),
            noted_deviations: BTreeSet::new(),
            house_rules: None,
            help_is_open: false,
            auto: None,
            script: Script::default(),
            view: View::default(),
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

    /// The same client, in the game that follows one with this final table on the same port.
    #[must_use]
    pub fn for_next_game(mut self, now: Timestamp, last_table: String) -> Self {
        let name = self.join.name.as_deref();
        self.session = Session::for_next_game(now, name, SessionPolicy::PERSON);
        self.last_table = Some(last_table);
        self
    }

    /// The same client with conveniences for a player: `o` explores, and clicks walk. A spectator
    /// stays as it is.
    ///
    /// ```
    /// use nuggets_client::{App, Join};
    /// use nuggets_session::{Effect, Timestamp};
    /// use nuggets_tui::Key;
    ///
    /// let join = Join { place: "localhost:1234".into(), name: Some(b"Ann".to_vec()) };
    /// let mut app = App::new(Timestamp(0), join).with_auto();
    /// app.handle_message(Timestamp(3), b"DISPLAY\n+-----+\n|@...*|\n+-----+\n").unwrap();
    /// app.handle_key(Timestamp(900), Key::Char('o'));
    /// let sent: Vec<Effect> = std::iter::from_fn(|| app.poll_effect()).collect();
    /// assert_eq!(sent.last(), Some(&Effect::Send(b"KEY l".to_vec())), "toward the gold");
    /// ```
    #[must_use]
    pub fn with_auto(mut self) -> Self {
        self.auto = (!self.join.is_spectator()).then(Auto::default);
        self
    }

    /// The same client with the side panel open, where there is room for it.
    #[must_use]
    pub fn with_panel(self) -> Self {
        Self { panel_is_open: true, ..self }
    }

    /// The same client with a bell that rings when the player is robbed.
    #[must_use]
    pub fn with_bell(self) -> Self {
        Self { bell: Bell::Quiet, ..self }
    }

    /// Takes a key press.
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

    /// Takes a key from a pipe. It waits until the game can take it.
    pub fn handle_script_byte(&mut self, now: Timestamp, byte: u8) {
        self.script.push(byte);
        self.run_script(now);
    }

    /// The pipe has ended. Its remaining keys are played, then we leave.
    pub fn handle_script_end(&mut self, now: Timestamp) {
        self.script.end();
        self.run_script(now);
    }

    /// Takes a click on a gridpoint of the map: the player wants to walk there.
    pub fn handle_click(&mut self, now: Timestamp, goal: Point) {
        let is_seen = !matches!(self.fit(), Some(Fit::TooSmall)) && !self.help_is_open;
        if self.session.stage() == SessionStage::Playing && self.auto.is_some() && is_seen {
            self.clear_note();
            self.pause = self.pause.map(|_| Pause::Running);
            self.start_errand(now, Errand::walk(goal));
        }
    }

    /// The client is suspended: walking stops.
    pub fn handle_pause(&mut self) {
        self.stop_errand();
    }

    /// Takes a datagram from the server. A malformed one has no effect but a note.
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
                if self.malformed_kinds.insert(why, bytes) {
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

    /// Does what is due.
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

    /// Shows a hint to a person who has just joined. What the server says at that time is appended to it.
    pub fn handle_hint(&mut self, now: Timestamp, hint: &str) {
        if self.session.stage() == SessionStage::Playing {
            self.note = Some(Note::lasting(now, hint));
        }
    }

    /// The server's port is closed, and there is no other address to try.
    pub fn handle_port_closed(&mut self, now: Timestamp) {
        if self.session.stage() == SessionStage::Playing {
            self.silence.is_noted = true;
        }
        self.session.handle_port_closed(now);
        self.clear_if_ended();
    }

    /// The shell has fallen back to another address of the server: joining starts again there.
    pub fn handle_address_change(&mut self, now: Timestamp) {
        self.session.handle_address_change(now);
    }

    /// The terminal is gone: tells the server and waits for nothing.
    pub fn handle_hangup(&mut self) {
        self.session.handle_hangup();
        self.clear_if_ended();
    }

    /// The next effect, if there is any.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.session.poll_effect()
    }

    /// When to call `handle_timeout`.
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        let note = self.note.as_ref().map(Note::until);
        let script = self.script.next_due().filter(|_| self.script_may_run());
        let errand = self.auto.as_ref().and_then(Auto::next_due);
        let silent = self.silent_at();
        [note, self.session.poll_timeout(), script, errand, silent].into_iter().flatten().min()
    }

    /// Which server was asked for, and as whom.
    pub fn join(&self) -> &Join {
        &self.join
    }

    /// Whether the server has not accepted us yet.
    pub fn is_joining(&self) -> bool {
        self.session.stage() == SessionStage::Joining
    }

    /// Whether the server has announced another game on the same port.
    pub fn is_next_game_announced(&self) -> bool {
        self.session.is_next_game_announced()
    }

    /// The final table of the last game, until the next has accepted us.
    pub fn last_table(&self) -> Option<&str> {
        self.last_table.as_deref()
    }

    /// Whether all keys from the pipe so far are played, so that more can be read.
    pub fn wants_script(&self) -> bool {
        self.script.wants_more()
    }

    pub(crate) fn scene(&self) -> &Scene {
        self.session.scene()
    }

    /// Whether Ctrl-C was pressed or a signal came.
    pub fn is_interrupted(&self) -> bool {
        self.is_interrupted
    }

    /// The letter that we play as.
    pub fn letter(&self) -> Option<char> {
        self.scene().letter()
    }

    /// Whether the bell is to be rung, since the last call.
    pub fn take_bell(&mut self) -> bool {
        let rings = self.bell == Bell::Rings;
        if rings {
            self.bell = Bell::Quiet;
        }
        rings
    }

    /// The server of this process knows the names of all players.
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

    /// What happened, newest first.
    pub(crate) fn log(&self) -> impl Iterator<Item = &LogEntry> {
        self.log.newest_first()
    }

    /// How many entries the log ever had.
    pub(crate) fn log_count(&self) -> u64 {
        self.log.count()
    }

    pub(crate) fn rivals(&self) -> &Rivals {
        &self.rivals
    }

    /// What is in sight now.
    pub(crate) fn sight(&self) -> &FieldOfView {
        &self.sight
    }

    pub(crate) fn panel_is_open(&self) -> bool {
        self.panel_is_open
    }

    pub(crate) fn house_rules(&self) -> Option<&str> {
        self.house_rules.as_deref()
    }

    /// Whether this is a game of our own, which can be paused.
    pub(crate) fn has_pause(&self) -> bool {
        self.pause.is_some()
    }

    pub(crate) fn has_auto(&self) -> bool {
        self.auto.is_some()
    }

    pub(crate) fn help_is_open(&self) -> bool {
        self.help_is_open
    }

    /// How often we have asked to join, and how often we will at most; `None` once accepted.
    pub(crate) fn join_tries(&self) -> Option<(u32, u32)> {
        self.session.join_tries()
    }
}
