//! A recorded game that somebody watches: where it stands, how fast it goes, through whose eyes.
//! It must not know what a terminal is; the time is brought along.

use std::fmt;

use nuggets_atlas::Direction;
use nuggets_client::{Key, Millis};
use nuggets_game::{Game, Letter, Viewer};
use nuggets_record::{BadRecord, Recording, Replay};

use crate::playhead::Playhead;
use crate::{Speed, Timeline};

/// How far one key goes.
const JUMP_MS: u64 = 10_000;
/// No more than about 30 pictures a second.
const FRAME_MS: u64 = 33;

/// A recording that is played: keys and the time go in; `screen::draw` shows it.
///
/// ```
/// use nuggets_client::{Key, Millis};
/// # use nuggets_game::{Name, Rules, Seed, SightRule, shipped};
/// # use nuggets_protocol::Dialect;
/// # use nuggets_record::{Entry, Header, What, Writer};
/// use nuggets_record::Recording;
/// use nuggets_replay::Show;
///
/// # let header = Header {
/// #     rules: Rules::default(),
/// #     seed: Seed::new(7),
/// #     dialect: Dialect::V2021,
/// #     sight: SightRule::DarkPassages,
/// #     map: shipped::ALL[0].map(),
/// #     port: 0,
/// # };
/// # let mut game = header.game().unwrap();
/// # let (mut writer, mut bytes) = Writer::new(&header, &game);
/// # let what = What::Join { name: Name::new(b"Ann").unwrap(), peer: None };
/// # game.apply(what.input().unwrap(), &mut vec![]);
/// # writer.append(&Entry::new(Millis(1500), what), &game, &mut bytes);
/// let mut show = Show::new(Recording::read(&bytes).unwrap().recording).unwrap();
/// assert_eq!(show.poll_timeout(), Some(Millis(1000)), "the clock shows another second");
/// show.handle_timeout(Millis(1500));
/// assert_eq!(show.game().players().len(), 1, "Ann has joined");
/// show.handle_key(Millis(1600), Key::Char('q'));
/// assert!(show.is_over());
/// ```
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Show {
    playhead: Playhead,
    timeline: Timeline,
    /// How many people ever join.
    players: usize,
    viewer: Viewer,
    speed: Speed,
    skips: bool,
    plays: bool,
    /// The time up to which was played, and the quarters of a millisecond that are left over.
    last: Millis,
    rest: u64,
    page: Page,
    note: Option<NobodyThere>,
}

/// What the viewer looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Page {
    Game,
    Help,
    /// Something else: it was enough.
    Nothing,
}

/// Nobody in the recording plays this letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NobodyThere(pub Letter);

impl Show {
    /// A show at its start. It is played through first, so nothing is ever shown that doesn't fit
    /// the recording.
    pub fn new(recording: Recording) -> Result<Self, BadRecord> {
        let mut replay = Replay::new(recording)?;
        let timeline = Timeline::of(&mut replay)?;
        let players = replay.game().players().len();
        let playhead = Playhead::new(replay);
        Ok(Self {
            plays: !playhead.is_at_end(),
            playhead,
            timeline,
            players,
            viewer: Viewer::Spectator,
            speed: Speed::default(),
            skips: false,
            last: Millis(0),
            rest: 0,
            page: Page::Game,
            note: None,
        })
    }

    /// The same through these eyes.
    pub fn with_viewer(mut self, viewer: Viewer) -> Result<Self, NobodyThere> {
        self.look_as(viewer)?;
        Ok(self)
    }

    /// The same without long pauses.
    #[must_use]
    pub fn with_skips(self) -> Self {
        Self { skips: true, ..self }
    }

    /// Somebody pressed a key.
    pub fn handle_key(&mut self, now: Millis, key: Key) {
        self.handle_timeout(now);
        self.note = None;
        match key {
            Key::Interrupt | Key::EndOfInput => self.page = Page::Nothing,
            _ if self.page == Page::Help => self.page = Page::Game,
            Key::Char(typed) => self.handle_char(typed),
            Key::Tab => self.look_further(1),
            Key::BackTab => self.look_further(self.players),
            Key::Step(Direction::Right) => self.step(),
            Key::Step(Direction::Left) => self.step_back(),
            Key::Sprint(Direction::Right) => self.jump(),
            Key::Sprint(Direction::Left) => self.jump_back(),
            // So a keypad, and this game, know Home and End.
            Key::Step(Direction::UpLeft) => self.playhead.go(0),
            Key::Step(Direction::DownLeft) => self.playhead.go_to_end(),
            Key::Step(_) | Key::Sprint(_) | Key::Other => {}
        }
        self.plays &= !self.playhead.is_at_end();
    }

    fn handle_char(&mut self, typed: char) {
        match typed {
            'q' => self.page = Page::Nothing,
            ' ' => self.play_or_pause(),
            '.' => self.step(),
            ',' => self.step_back(),
            'l' => self.jump(),
            'h' => self.jump_back(),
            '+' | '=' => self.speed = self.speed.faster(),
            '-' | '_' => self.speed = self.speed.slower(),
            's' => self.skips = !self.skips,
            'g' => self.go_to_gold(),
            'b' => self.go_back_to_gold(),
            '0' => self.viewer = Viewer::Spectator,
            '?' => (self.page, self.plays) = (Page::Help, false),
            _ => {
                if let Some(letter) = u8::try_from(typed).ok().and_then(Letter::from_char) {
                    self.note = self.look_as(Viewer::Player(letter)).err();
                }
            }
        }
    }

    /// The time has come that `poll_timeout` told.
    pub fn handle_timeout(&mut self, now: Millis) {
        let passed = now.since(self.last);
        self.last = self.last.max(now);
        if !self.plays {
            self.rest = 0;
            return;
        }
        let quarters = passed.saturating_mul(self.speed.quarters()).saturating_add(self.rest);
        self.rest = quarters % 4;
        self.playhead.advance(quarters / 4, self.skips);
        self.plays = !self.playhead.is_at_end();
    }

    /// Nobody watched until now: what would have been played meanwhile is played from now on.
    pub fn handle_absence(&mut self, now: Millis) {
        self.last = self.last.max(now);
    }

    /// When to wake it: the next entry, or another second to show. None while it is paused.
    pub fn poll_timeout(&self) -> Option<Millis> {
        let wait = self.playhead.wait_ms(self.skips).filter(|_| self.plays)?;
        let recorded = wait.min(1_000 - self.playhead.at().0 % 1_000);
        let ms = (recorded * 4).saturating_sub(self.rest).div_ceil(self.speed.quarters());
        Some(self.last.after(ms.max(FRAME_MS)))
    }

    /// Somebody has seen enough.
    pub fn is_over(&self) -> bool {
        self.page == Page::Nothing
    }

    /// The game as it stands.
    pub fn game(&self) -> &Game {
        self.playhead.replay().game()
    }

    /// How many entries of the recording are behind.
    pub fn position(&self) -> usize {
        self.playhead.replay().position()
    }

    /// The recorded time.
    pub fn at(&self) -> Millis {
        self.playhead.at()
    }

    /// How long the recording goes on.
    pub fn duration(&self) -> Millis {
        self.playhead.duration()
    }

    /// The whole story.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Through whose eyes.
    pub fn viewer(&self) -> Viewer {
        self.viewer
    }

    /// How fast.
    pub fn speed(&self) -> Speed {
        self.speed
    }

    /// Whether long pauses are left out.
    pub fn skips(&self) -> bool {
        self.skips
    }

    /// Whether it goes on by itself.
    pub fn plays(&self) -> bool {
        self.plays
    }

    /// Whether nothing is left to play.
    pub fn is_at_end(&self) -> bool {
        self.playhead.is_at_end()
    }

    /// Whether the page with the keys is open.
    pub fn help_is_open(&self) -> bool {
        self.page == Page::Help
    }

    /// What the last key could not do.
    pub fn note(&self) -> Option<NobodyThere> {
        self.note
    }

    fn look_as(&mut self, viewer: Viewer) -> Result<(), NobodyThere> {
        match viewer {
            Viewer::Player(letter) if letter.index() >= self.players => Err(NobodyThere(letter)),
            _ => {
                self.viewer = viewer;
                Ok(())
            }
        }
    }

    /// So many viewers on, the spectator before the first player.
    fn look_further(&mut self, steps: usize) {
        let here = match self.viewer {
            Viewer::Spectator => 0,
            Viewer::Player(letter) => letter.index() + 1,
        };
        let next = (here + steps) % (self.players + 1);
        let player = next.checked_sub(1).and_then(Letter::nth);
        self.viewer = player.map_or(Viewer::Spectator, Viewer::Player);
    }

    /// At the end, playing begins anew.
    fn play_or_pause(&mut self) {
        if self.playhead.is_at_end() {
            self.playhead.go(0);
        }
        self.plays = !self.plays;
    }

    fn step(&mut self) {
        self.plays = false;
        self.playhead.step();
    }

    fn step_back(&mut self) {
        self.plays = false;
        self.playhead.step_back();
    }

    fn jump(&mut self) {
        self.go_to_ms(self.at().0.saturating_add(JUMP_MS));
    }

    fn jump_back(&mut self) {
        self.go_to_ms(self.at().0.saturating_sub(JUMP_MS));
    }

    fn go_to_ms(&mut self, ms: u64) {
        self.playhead.go_to_time(Millis(ms));
    }

    /// Where the next gold has just been taken; else to the end.
    fn go_to_gold(&mut self) {
        let here = self.position();
        let positions = self.timeline.gold().map(|(moment, ..)| moment.position);
        let next = { positions }.find(|position| *position > here);
        self.playhead.go(next.unwrap_or(usize::MAX));
    }

    fn go_back_to_gold(&mut self) {
        let here = self.position();
        let positions = self.timeline.gold().map(|(moment, ..)| moment.position);
        let before = { positions }.rfind(|position| *position < here);
        self.playhead.go(before.unwrap_or(0));
    }
}

impl fmt::Display for NobodyThere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nobody plays {} in this recording", self.0)
    }
}

#[cfg(test)]
mod tests;
