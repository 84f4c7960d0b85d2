//! A person's client, without terminal, socket or clock: the session with the server, and around it
//! keys, scripts, notes, help and walking.
//!
//! The contract: keys, bytes and timestamps go in through `handle_…`; then drain `poll_effect` until
//! it is empty; `poll_timeout` says when to call `handle_timeout`. Nothing comes out after
//! [`Effect::Leave`]. How all of it looks is the concern of `screen`.

mod auto;
mod note;
mod playing;
mod script;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use nuggets_atlas::{MessageError, Point, Scene, SizeMismatch};
use nuggets_session::{Deviation, Effect, Session, SessionPolicy, SessionStage, Timestamp};
use nuggets_tui::Key;

use auto::{Auto, Errand};
use note::Note;
use script::Script;

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
    /// The deviations of the server's messages that were noted.
    noted_deviations: BTreeSet<Deviation>,
    /// The server's text about its variants of the game.
    house_rules: Option<String>,
    help_is_open: bool,
    /// Exploring and walking; `None` where they are not allowed.
    auto: Option<Auto>,
    script: Script,
}

impl App {
    /// A client that asks to join now.
    pub fn new(now: Timestamp, join: Join) -> Self {
        Self {
            session: Session::new(now, join.name.as_deref(), SessionPolicy::PERSON),
            join,
            note: None,
            size_mismatch: None,
            noted_deviations: BTreeSet::new(),
            house_rules: None,
            help_is_open: false,
            auto: None,
            script: Script::default(),
        }
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

    /// Takes a key press.
    pub fn handle_key(&mut self, now: Timestamp, key: Key) {
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
        if self.session.stage() == SessionStage::Playing && self.auto.is_some() {
            self.clear_note();
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
            return Ok(());
        }
        let result = match self.session.handle_message(now, bytes) {
            Ok(update) => {
                self.note_deviations(now);
                self.handle_update(now, update);
                Ok(())
            }
            Err(why) => {
                self.put_note(now, note::MALFORMED_MESSAGE);
                Err(why)
            }
        };
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
        if self.session.handle_timeout(now) {
            self.put_note(now, note::AWAITING_CONFIRMATION);
        }
        self.clear_if_ended();
        self.run_errand(now);
        self.run_script(now);
    }

    /// Shows a hint to a person who has just joined.
    pub fn handle_hint(&mut self, now: Timestamp, hint: &str) {
        if self.session.stage() == SessionStage::Playing {
            self.put_note(now, hint);
        }
    }

    /// The server's port is closed, and there is no other address to try.
    pub fn handle_port_closed(&mut self, now: Timestamp) {
        if self.session.stage() == SessionStage::Playing {
            self.put_note(now, note::SILENT_SERVER);
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
        [note, self.session.poll_timeout(), script, errand].into_iter().flatten().min()
    }

    /// Which server was asked for, and as whom.
    pub fn join(&self) -> &Join {
        &self.join
    }

    /// Whether the server has not accepted us yet.
    pub fn is_joining(&self) -> bool {
        self.session.stage() == SessionStage::Joining
    }

    /// Whether all keys from the pipe so far are played, so that more can be read.
    pub fn wants_script(&self) -> bool {
        self.script.wants_more()
    }

    pub(crate) fn scene(&self) -> &Scene {
        self.session.scene()
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

    /// How often we have asked to join, and how often we will at most; `None` once accepted.
    pub(crate) fn join_tries(&self) -> Option<(u32, u32)> {
        self.session.join_tries()
    }
}
