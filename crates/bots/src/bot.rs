//! One bot in a game, without socket or clock: a session, and a brain that decides its keys.
//!
//! The contract is that of [`Session`]: bytes and timestamps go in through `handle_…`; then drain `poll_effect` until
//! it is empty; `poll_timeout` returns the time for the next `handle_timeout`. Nothing comes out after
//! [`Effect::Leave`].

mod beat;
mod sprints;
#[cfg(test)]
mod tests;

use std::fmt;

use nuggets_atlas::{Direction, MessageError, Picture, Point, Scene, Stroke};
use nuggets_session::{Effect, Session, SessionPolicy, SessionStage, Timestamp, Update};

use crate::Brain;
use crate::rng::BotRng;
use beat::Beat;
use sprints::Sprints;

/// After this many keys without an answer the bot takes random steps.
const MAX_UNANSWERED: u32 = 4;

/// The configuration of a bot.
pub struct BotProfile {
    /// The name that it asks to play under.
    pub name: Vec<u8>,
    /// The decision maker for its keys.
    pub brain: Box<dyn Brain + Send>,
    /// The mean time between two keys, in milliseconds; 0 for as fast as the server answers.
    pub pace_ms: u64,
    /// Fixes the spread of its pace and its random steps.
    pub seed: u64,
    /// Its retry schedules and limits.
    pub policy: SessionPolicy,
}

/// A bot in a game.
///
/// ```
/// use nuggets_bots::{Bot, BotProfile, BrainKind};
/// use nuggets_session::{Effect, SessionPolicy, Timestamp};
///
/// let start = Timestamp(0);
/// let mut bot = Bot::new(start, BotProfile {
///     name: b"scout".to_vec(),
///     brain: BrainKind::Scout.build(1),
///     pace_ms: 250,
///     seed: 1,
///     policy: SessionPolicy::BOT,
/// });
/// assert_eq!(bot.poll_effect(), Some(Effect::Send(b"PLAY scout".to_vec())));
///
/// for message in ["OK A", "GRID 1 5", "GOLD 0 0 250", "DISPLAY\n|@.*|\n"] {
///     bot.handle_message(start, message.as_bytes()).unwrap();
/// }
/// bot.handle_start(start);
/// let first_key = bot.poll_timeout().unwrap();
/// bot.handle_timeout(first_key);
/// assert_eq!(bot.poll_effect(), Some(Effect::Send(b"KEY l".to_vec())));
/// ```
pub struct Bot {
    session: Session,
    brain: Box<dyn Brain + Send>,
    /// True once it may press keys; it still has to join first.
    may_play: bool,
    beat: Beat,
    sprints: Sprints,
    /// The number of keys pressed since the last message about the game.
    unanswered: u32,
    rng: BotRng,
    keys: u64,
}

impl Bot {
    /// Creates a bot that asks to join now.
    pub fn new(now: Timestamp, profile: BotProfile) -> Self {
        let session = Session::new(now, Some(&profile.name), profile.policy);
        Self::with_session(session, profile)
    }

    /// Creates a bot for the next game on the same port, after one that is over. It asks to join until that game
    /// exists.
    pub fn for_next_game(now: Timestamp, profile: BotProfile) -> Self {
        let session = Session::for_next_game(now, Some(&profile.name), profile.policy);
        Self::with_session(session, profile)
    }

    fn with_session(session: Session, profile: BotProfile) -> Self {
        Self {
            session,
            brain: profile.brain,
            may_play: false,
            beat: Beat::new(profile.pace_ms, profile.seed),
            sprints: Sprints::default(),
            unanswered: 0,
            rng: BotRng::new(profile.seed),
            keys: 0,
        }
    }

    /// Handles a datagram from the server. A malformed one changes nothing.
    pub fn handle_message(&mut self, now: Timestamp, bytes: &[u8]) -> Result<(), MessageError> {
        let was_joining = self.is_joining();
        match self.session.handle_message(now, bytes)? {
            update @ (Update::Seat | Update::Gold { .. } | Update::Picture) => {
                if update == Update::Picture {
                    self.brain.observe(self.session.scene());
                }
                self.unanswered = 0;
                if was_joining && !self.is_joining() {
                    self.beat.begin(now);
                }
                if let Some(you) = self.you() {
                    self.beat.handle_picture(now, you);
                    self.sprints.handle_picture(you);
                }
            }
            Update::ErrorReply(text) => {
                self.sprints.handle_error_reply();
                self.brain.handle_error_reply(&text);
            }
            Update::HouseRules(text) | Update::News(text) => self.brain.handle_error_reply(&text),
            Update::Stage => {}
        }
        Ok(())
    }

    /// Executes what is due: resends, gives up, or presses a key.
    pub fn handle_timeout(&mut self, now: Timestamp) {
        self.session.handle_timeout(now);
        if self.next_key_at().is_some_and(|at| at <= now) {
            self.press(now);
        }
    }

    /// Lets the bot press keys, at once or as soon as it has joined: all bots are ready.
    pub fn handle_start(&mut self, now: Timestamp) {
        if !self.may_play {
            self.may_play = true;
            self.beat.begin(now);
        }
    }

    /// Pauses the bot: it presses no keys until `handle_start` is called again.
    pub fn handle_hold(&mut self) {
        self.may_play = false;
    }

    /// Handles a closed port of a server that has no other address to try.
    pub fn handle_port_closed(&mut self, now: Timestamp) {
        self.session.handle_port_closed(now);
    }

    /// Starts joining again after the shell has fallen back to another address of the server.
    pub fn handle_address_change(&mut self, now: Timestamp) {
        self.session.handle_address_change(now);
    }

    /// Asks the bot to leave: it sends its quit and waits briefly for the confirmation.
    pub fn handle_stop(&mut self, now: Timestamp) {
        self.session.handle_quit(now);
    }

    /// Returns the next effect, if there is any.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.session.poll_effect()
    }

    /// Returns the time at which to call `handle_timeout`.
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        self.session.poll_timeout().into_iter().chain(self.next_key_at()).min()
    }

    /// Returns the state of the game as sent by the server.
    pub fn scene(&self) -> &Scene {
        self.session.scene()
    }

    /// Returns the session, to read it.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// True until the server accepts us.
    pub fn is_joining(&self) -> bool {
        self.session.stage() == SessionStage::Joining
    }

    /// Returns the number of game keys that it has pressed.
    pub fn keys(&self) -> u64 {
        self.keys
    }

    fn you(&self) -> Option<Point> {
        self.scene().picture().and_then(Picture::you)
    }

    fn next_key_at(&self) -> Option<Timestamp> {
        let is_playing = self.session.stage() == SessionStage::Playing;
        (is_playing && self.may_play).then(|| self.beat.next())
    }

    fn press(&mut self, now: Timestamp) {
        let stroke = self.choose_stroke();
        if let Some(stroke) = stroke {
            self.session.send_key(now, stroke.key());
            self.keys += 1;
        }
        let expects_answer = stroke.is_some() && !self.brain.is_probing();
        self.unanswered += u32::from(expects_answer);
        self.beat.press(now, self.you().filter(|_| expects_answer));
    }

    /// A key without effect is not answered. If the last picture was lost, we are not where we think we are, and the
    /// brain may choose the same impossible key forever. Any possible step leads to a new picture.
    fn choose_stroke(&mut self) -> Option<Stroke> {
        if self.brain.is_literal() {
            return self.brain.next_key(self.session.scene());
        }
        if let Some(you) = self.you().filter(|_| self.unanswered < MAX_UNANSWERED) {
            let stroke = self.brain.next_key(self.session.scene())?;
            return Some(self.sprints.replace_failed(stroke, you));
        }
        self.rng.pick(&Direction::ALL).map(Stroke::Step)
    }
}

impl fmt::Debug for Bot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Bot");
        out.field("session", &self.session).field("beat", &self.beat).finish_non_exhaustive()
    }
}
