//! One bot's part in a game, without socket or clock: it joins, presses keys at its
//! pace, and leaves.
//!
//! The law: bytes and moments go in through `handle_…`; then drain `poll_effect` until it is empty
//! and do what it says; `poll_timeout` says when to call `handle_timeout`. Once `Leave` has come
//! out, nothing comes out any more. Moments are counted from any start, as long as it is the same.

mod asking;
mod beat;
mod ending;
mod limits;
mod sprints;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use nuggets_atlas::{Direction, Misunderstood, Picture, Scene, Stroke};
use nuggets_protocol::{ClientMessage, MAX_NAME_BYTES, ServerMessage};

use crate::Brain;
use crate::chance::Chance;
use asking::Asking;
use beat::Beat;
use ending::clean;
use sprints::Sprints;

pub use ending::Ending;
pub use limits::Limits;

/// After so many keys without an answer any step will do.
const UNANSWERED: u32 = 4;

/// How often, and with which pause, to ask why we were sent away without a word. A server that
/// has just ended a game answers for longer than this.
const WONDER_TRIES: u32 = 16;
const WONDER_PAUSE: Duration = Duration::from_millis(250);

/// What the shell has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Send this to the server.
    Send(Vec<u8>),
    /// End like this.
    Leave(Ending),
}

/// A bot in a game.
///
/// ```
/// use std::time::Duration;
/// use nuggets_bots::{BrainKind, Effect, Limits, Session};
///
/// let start = Duration::ZERO;
/// let pace = Duration::from_millis(250);
/// let brain = BrainKind::Scout.build(1);
/// let mut bot = Session::new(start, b"scout", brain, pace, 1, Limits::default());
/// assert_eq!(bot.poll_effect(), Some(Effect::Send(b"PLAY scout".to_vec())));
///
/// for message in ["OK A", "GRID 1 5", "GOLD 0 0 250", "DISPLAY\n|@.*|\n"] {
///     bot.handle_message(start, message.as_bytes()).unwrap();
/// }
/// bot.handle_go(start);
/// let beat = bot.poll_timeout().unwrap();
/// bot.handle_timeout(beat);
/// assert_eq!(bot.poll_effect(), Some(Effect::Send(b"KEY l".to_vec())));
/// ```
pub struct Session {
    name: Vec<u8>,
    brain: Box<dyn Brain + Send>,
    limits: Limits,
    stage: Stage,
    asking: Option<Asking>,
    /// Whether it may press keys once it is in.
    may_go: bool,
    beat: Beat,
    scene: Scene,
    sprints: Sprints,
    /// The first key that nothing has been told after, and how many there are.
    unanswered_since: Option<Duration>,
    unanswered: u32,
    chance: Chance,
    /// The port was closed, and nothing has been told after that.
    refused_at: Option<Duration>,
    /// The server's last complaint.
    complaint: Option<String>,
    /// Has anything come at all, understood or not?
    has_heard: bool,
    keys: u64,
    effects: VecDeque<Effect>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nobody has shown us the map yet.
    Joining,
    Playing,
    /// We have said that we go.
    Leaving,
    /// We were sent away without a word. The final table goes ahead of such a `QUIT`, and may have
    /// been lost: whoever asks is told again.
    Wondering,
    Left,
}

impl Session {
    /// A bot that asks to join now. Its beats are spread a little by chance from the seed, so that
    /// many bots don't beat in step; with no pace at all it goes as fast as the server answers.
    pub fn new(
        now: Duration,
        name: &[u8],
        brain: Box<dyn Brain + Send>,
        pace: Duration,
        seed: u64,
        limits: Limits,
    ) -> Self {
        let cut = name.iter().take(MAX_NAME_BYTES);
        let mut session = Self {
            name: cut.map(|&byte| if byte == b'\n' { b'_' } else { byte }).collect(),
            brain,
            limits,
            stage: Stage::Joining,
            asking: None,
            may_go: false,
            beat: Beat::new(pace, seed),
            scene: Scene::default(),
            sprints: Sprints::default(),
            unanswered_since: None,
            unanswered: 0,
            chance: Chance::new(seed),
            refused_at: None,
            complaint: None,
            has_heard: false,
            keys: 0,
            effects: VecDeque::new(),
        };
        session.ask_to_join(now);
        session
    }

    /// A datagram came from the server. One that is not understood has no effect.
    pub fn handle_message(&mut self, now: Duration, bytes: &[u8]) -> Result<(), Misunderstood> {
        if self.stage == Stage::Left {
            return Ok(());
        }
        self.has_heard = true;
        match ServerMessage::parse(bytes)? {
            ServerMessage::GameOver(table) => self.leave(Ending::GameOver(clean(&table))),
            ServerMessage::Quit(text) => self.dismissed(now, &clean(&text)),
            // Said as a complaint only for want of a message.
            ServerMessage::Error(why) | ServerMessage::No(why) if is_news(&why) => {}
            ServerMessage::No(why) if self.stage == Stage::Joining => {
                self.leave(Ending::Refused(clean(&why)));
            }
            ServerMessage::Error(why) | ServerMessage::No(why) => self.scolded(clean(&why)),
            told => {
                self.scene.take(&told)?;
                if matches!(told, ServerMessage::Display(_)) {
                    self.brain.look(&self.scene);
                }
                self.take_in(now);
            }
        }
        Ok(())
    }

    /// The moment that `poll_timeout` spoke of may have come.
    pub fn handle_timeout(&mut self, now: Duration) {
        if self.asking.is_some_and(|asking| asking.next <= now) {
            self.ask_again(now);
        }
        if self.stage != Stage::Playing {
            return;
        }
        if self.lost_at().is_some_and(|moment| moment <= now) {
            return self.leave(Ending::Lost);
        }
        if self.may_go && self.beat.next() <= now {
            self.press(now);
        }
    }

    /// Everybody is ready: it may press keys, at once or as soon as it is in.
    pub fn handle_go(&mut self, now: Duration) {
        if !self.may_go {
            self.may_go = true;
            self.beat.begin(now);
        }
    }

    /// The server's port is closed, and there is no other address to try.
    pub fn handle_refused(&mut self, now: Duration) {
        match self.stage {
            Stage::Joining => self.leave(Ending::NobodyListens),
            // Its last words may still be on the way.
            Stage::Playing => _ = self.refused_at.get_or_insert(now),
            Stage::Leaving | Stage::Wondering => self.give_up_asking(),
            Stage::Left => {}
        }
    }

    /// The shell goes on with another address of the server: we ask there, from the beginning.
    pub fn handle_detour(&mut self, now: Duration) {
        if self.stage == Stage::Joining {
            self.ask_to_join(now);
        }
    }

    /// It is time to go: says so to the server, and waits a little for its goodbye.
    pub fn handle_stop(&mut self, now: Duration) {
        match self.stage {
            // The answer to our question may merely be late: a seat must not stay taken.
            Stage::Joining => {
                self.send_key(b'Q');
                self.leave(Ending::NeverJoined);
            }
            Stage::Playing => {
                self.stage = Stage::Leaving;
                self.complaint = None;
                self.ask(now, self.limits.quit_pause);
                self.send_key(b'Q');
            }
            Stage::Wondering => self.give_up_asking(),
            Stage::Leaving | Stage::Left => {}
        }
    }

    /// The next thing to do, if there is any.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// When `handle_timeout` wants to be called.
    pub fn poll_timeout(&self) -> Option<Duration> {
        let asking = self.asking.map(|asking| asking.next);
        let is_playing = self.stage == Stage::Playing;
        let beat = Some(self.beat.next()).filter(|_| self.may_go);
        let playing = beat.into_iter().chain(self.lost_at()).min();
        asking.into_iter().chain(playing.filter(|_| is_playing)).min()
    }

    /// What the server has told so far.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Whether we still wait to be let in.
    pub fn is_joining(&self) -> bool {
        self.stage == Stage::Joining
    }

    /// How many keys it has pressed, to play.
    pub fn keys(&self) -> u64 {
        self.keys
    }

    fn send_key(&mut self, key: u8) {
        self.effects.push_back(Effect::Send(ClientMessage::Key(key).to_bytes()));
    }

    /// Something about the game was told. With a picture of ourselves we are in, or with our letter:
    /// a picture that was lost comes with the first step.
    fn take_in(&mut self, now: Duration) {
        (self.unanswered_since, self.refused_at, self.complaint) = (None, None, None);
        self.unanswered = 0;
        let you = self.scene.picture().and_then(Picture::you);
        if self.stage == Stage::Joining && (you.is_some() || self.is_let_in()) {
            self.stage = Stage::Playing;
            self.beat.begin(now);
        }
        if let Some(you) = you {
            self.beat.hear(now, you);
            self.sprints.hear(you);
        }
        if self.stage == Stage::Playing && self.scene.letter().is_some() {
            self.asking = None;
        }
    }

    fn press(&mut self, now: Duration) {
        let stroke = self.choose_stroke();
        if let Some(stroke) = stroke {
            self.send_key(stroke.key());
            self.scene.press(stroke);
            self.keys += 1;
            self.unanswered += 1;
            self.unanswered_since.get_or_insert(now);
        }
        let you = self.scene.picture().and_then(Picture::you);
        self.beat.press(now, stroke.and(you));
    }

    /// A key that moves nobody is not answered. If the last picture was lost, we are not where we
    /// think we are, and the brain may want the impossible again and again. Any step that is
    /// possible brings a new picture.
    fn choose_stroke(&mut self) -> Option<Stroke> {
        let you = self.scene.picture().and_then(Picture::you);
        if let Some(you) = you.filter(|_| self.unanswered < UNANSWERED) {
            let stroke = self.brain.next_key(&self.scene)?;
            return Some(self.sprints.temper(stroke, you));
        }
        self.chance.pick(&Direction::ALL).map(Stroke::Step)
    }

    /// When we must believe that the server is gone, if nothing is told before.
    fn lost_at(&self) -> Option<Duration> {
        let silent = self.unanswered_since.map(|moment| moment + self.limits.silence);
        let refused = self.refused_at.map(|moment| moment + self.limits.last_words);
        silent.into_iter().chain(refused).min()
    }

    fn scolded(&mut self, why: String) {
        tracing::debug!("the server complains: {why}");
        let has_said_goodbye_again = self.asking.is_some_and(|asking| asking.asked > 1);
        if self.stage == Stage::Leaving && has_said_goodbye_again {
            return self.leave(Ending::LeftWithoutGoodbye);
        }
        self.sprints.hear_complaint();
        self.complaint = Some(why);
    }

    fn dismissed(&mut self, now: Duration, text: &str) {
        let why = if text.is_empty() { self.complaint.take() } else { Some(text.to_owned()) };
        let why = match (why, self.stage) {
            (None, Stage::Joining | Stage::Playing) => return self.wonder(now),
            (None, Stage::Wondering) => return,
            (why, _) => why.unwrap_or_default(),
        };
        let ending = match (self.stage, why.strip_prefix("GAME OVER:")) {
            (_, Some(table)) => Ending::GameOver(table.trim_start_matches('\n').to_owned()),
            (Stage::Joining, None) => Ending::Refused(why),
            (_, None) => Ending::Quit(why),
        };
        self.leave(ending);
    }

    fn wonder(&mut self, now: Duration) {
        self.stage = Stage::Wondering;
        self.ask(now, WONDER_PAUSE);
        self.send_key(b'Q');
    }

    fn leave(&mut self, ending: Ending) {
        self.stage = Stage::Left;
        self.asking = None;
        self.effects.push_back(Effect::Leave(ending));
    }
}

/// The rules of the house, and how many steps are left.
fn is_news(why: &[u8]) -> bool {
    why.starts_with(b"House rules: ") || why.ends_with(b" steps left")
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Session");
        out.field("name", &self.name).field("stage", &self.stage).field("beat", &self.beat);
        out.field("scene", &self.scene).finish_non_exhaustive()
    }
}
