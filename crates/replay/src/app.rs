//! A replay under the control of a viewer: position, speed, and the view that is shown. It must not know
//! the terminal; time is an argument.

use std::fmt;

use nuggets_game::{Game, Letter, Player, Viewer};
use nuggets_protocol::{Direction, Stroke};
use nuggets_record::{BadRecord, Recording, Replay, Timeline, Timestamp};
use nuggets_tui::{Key, Viewport, drag_offset, stroke_offset};
use ratatui::layout::{Position, Size};

use crate::Speed;
use crate::playhead::Playhead;
use crate::screen;

/// The recorded time that a jump key skips.
const JUMP_MS: u64 = 10_000;
/// Limits drawing to about 30 frames per second.
const FRAME_MS: u64 = 33;

/// A replay with its controls: keys and time go in; `screen::draw` shows it.
///
/// ```
/// use nuggets_record::{Recording, Timestamp};
/// use nuggets_replay::ReplayApp;
/// use nuggets_tui::Key;
///
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../record/tests/kept_v3_journal.nuggets");
/// # let bytes = std::fs::read(file).unwrap();
/// let mut app = ReplayApp::new(Recording::read(&bytes).unwrap().recording).unwrap();
/// assert_eq!(app.game().players().len(), 0);
/// while let Some(then) = app.poll_timeout() {
///     app.handle_timeout(then);
/// }
/// assert!(app.game().players().len() > 1, "the game was played again");
/// app.handle_key(Timestamp(1_000_000), Key::Char('q'));
/// assert!(app.is_closed());
/// ```
#[derive(Clone, Debug)]
pub struct ReplayApp {
    playhead: Playhead,
    /// The notable events of the whole recording.
    pub(crate) timeline: Timeline,
    /// The number of players who ever join.
    players: usize,
    /// The viewer whose view is shown.
    pub(crate) viewer: Viewer,
    pub(crate) speed: Speed,
    /// True if long pauses are shortened.
    pub(crate) skips_pauses: bool,
    /// True unless paused or at the end.
    pub(crate) is_playing: bool,
    /// The real time up to which the recording was advanced.
    last: Timestamp,
    /// Quarters of a recorded millisecond that are not yet advanced: 0 to 3.
    rest: u64,
    page: ReplayPage,
    /// Why the last key had no effect.
    pub(crate) note: Option<NoSuchPlayer>,
    view: ReplayWindow,
}

/// The part of the map in a window that is too small for all of it.
#[derive(Clone, Copy, Debug, Default)]
struct ReplayWindow {
    /// The space for the map; `None` until the window is known.
    window: Option<Size>,
    viewport: Viewport,
    /// True if the viewer has scrolled by hand: the view then follows no player.
    is_held: bool,
}

/// The page on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReplayPage {
    Game,
    Help,
    /// No page: the viewer has left.
    Closed,
}

/// No player in the recording has this letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchPlayer(pub Letter);

impl ReplayApp {
    /// A replay at the start of its recording. The recording is verified first, so that only the
    /// recorded game is ever shown.
    pub fn new(recording: Recording) -> Result<Self, BadRecord> {
        let mut replay = Replay::new(recording)?;
        let timeline = Timeline::of(&mut replay)?;
        let players = replay.game().players().len();
        let playhead = Playhead::new(replay);
        Ok(Self {
            is_playing: !playhead.is_at_end(),
            playhead,
            timeline,
            players,
            viewer: Viewer::Spectator,
            speed: Speed::default(),
            skips_pauses: false,
            last: Timestamp(0),
            rest: 0,
            page: ReplayPage::Game,
            note: None,
            view: ReplayWindow::default(),
        })
    }

    /// The same with another view.
    pub fn with_viewer(mut self, viewer: Viewer) -> Result<Self, NoSuchPlayer> {
        self.set_viewer(viewer)?;
        Ok(self)
    }

    /// The same without long pauses.
    #[must_use]
    pub fn with_pauses_skipped(self) -> Self {
        Self { skips_pauses: true, ..self }
    }

    /// Handles a key.
    pub fn handle_key(&mut self, now: Timestamp, key: Key) {
        self.handle_timeout(now);
        self.note = None;
        match key {
            Key::Interrupt | Key::EndOfInput => self.page = ReplayPage::Closed,
            _ if self.page == ReplayPage::Help => self.page = ReplayPage::Game,
            Key::Char(typed) => self.handle_char(typed),
            Key::Tab => self.cycle_viewer(1),
            Key::BackTab => self.cycle_viewer(self.players),
            Key::Step(Direction::Right) => self.step(),
            Key::Step(Direction::Left) => self.step_back(),
            Key::Sprint(Direction::Right) => self.jump(),
            Key::Sprint(Direction::Left) => self.jump_back(),
            // Home and End are mapped to diagonal steps.
            Key::Step(Direction::UpLeft) => self.playhead.go(0),
            Key::Step(Direction::DownLeft) => self.playhead.go_to_end(),
            Key::Step(_) | Key::Sprint(_) | Key::Redraw | Key::Other => {}
        }
        self.is_playing &= !self.playhead.is_at_end();
        self.follow();
    }

    fn handle_char(&mut self, typed: char) {
        match typed {
            'q' => self.page = ReplayPage::Closed,
            ' ' => self.play_or_pause(),
            '.' => self.step(),
            ',' => self.step_back(),
            'l' => self.jump(),
            'h' => self.jump_back(),
            '+' | '=' => self.speed = self.speed.faster(),
            '-' | '_' => self.speed = self.speed.slower(),
            's' => self.skips_pauses = !self.skips_pauses,
            'g' => self.go_to_gold(),
            'b' => self.go_back_to_gold(),
            '0' => self.viewer = Viewer::Spectator,
            '5' => self.view.is_held = false,
            '1'..='9' => self.look(typed),
            '?' => (self.page, self.is_playing) = (ReplayPage::Help, false),
            _ => {
                if let Some(letter) = u8::try_from(typed).ok().and_then(Letter::from_byte) {
                    self.note = self.set_viewer(Viewer::Player(letter)).err();
                }
            }
        }
    }

    /// Advances the recording to this real time.
    pub fn handle_timeout(&mut self, now: Timestamp) {
        let elapsed = now.since(self.last);
        self.last = self.last.max(now);
        if !self.is_playing {
            self.rest = 0;
            return;
        }
        let quarters = elapsed.saturating_mul(self.speed.quarters()).saturating_add(self.rest);
        self.rest = quarters % 4;
        self.playhead.advance(quarters / 4, self.skips_pauses);
        self.is_playing = !self.playhead.is_at_end();
        self.follow();
    }

    /// Handles a new size of the window.
    pub fn handle_resize(&mut self, window: Size) {
        self.view.window = Some(screen::map_window(self, window));
        self.follow();
    }

    /// Drags the map with the mouse from one cell of the window to another.
    pub fn handle_drag(&mut self, from: Position, to: Position) {
        self.pan(drag_offset(from, to));
    }

    /// Continues the replay after the program was suspended until now.
    pub fn handle_continued(&mut self, now: Timestamp) {
        self.last = self.last.max(now);
    }

    /// The time of the next call of `handle_timeout`: at the next entry or the next full second. `None` while paused.
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        let wait = self.playhead.wait_ms(self.skips_pauses).filter(|_| self.is_playing)?;
        let recorded = wait.min(1_000 - self.playhead.at().0 % 1_000);
        let ms = (recorded * 4).saturating_sub(self.rest).div_ceil(self.speed.quarters());
        Some(self.last.after(ms.max(FRAME_MS)))
    }

    /// True once the viewer has left.
    pub fn is_closed(&self) -> bool {
        self.page == ReplayPage::Closed
    }

    /// The game at the current position.
    pub fn game(&self) -> &Game {
        self.playhead.replay().game()
    }

    /// The number of entries applied so far.
    pub fn position(&self) -> usize {
        self.playhead.replay().position()
    }

    /// The current time within the recording.
    pub fn at(&self) -> Timestamp {
        self.playhead.at()
    }

    /// The time of the last entry.
    pub fn duration(&self) -> Timestamp {
        self.playhead.duration()
    }

    /// True if no entry is left.
    pub fn is_at_end(&self) -> bool {
        self.playhead.is_at_end()
    }

    /// True if the help page is shown.
    pub fn is_help_open(&self) -> bool {
        self.page == ReplayPage::Help
    }

    fn set_viewer(&mut self, viewer: Viewer) -> Result<(), NoSuchPlayer> {
        match viewer {
            Viewer::Player(letter) if letter.index() >= self.players => Err(NoSuchPlayer(letter)),
            _ => {
                self.viewer = viewer;
                self.view.is_held = false;
                Ok(())
            }
        }
    }

    /// The part of the map in a window with this space for it.
    pub(crate) fn viewport(&self, window: Size) -> Viewport {
        self.view.viewport.within(self.map_size(), window)
    }

    fn map_size(&self) -> Size {
        Size::new(self.game().map().cols(), self.game().map().rows())
    }

    /// Scrolls to the player whose view is shown.
    fn follow(&mut self) {
        let Some(window) = self.view.window else { return };
        let focus = match self.viewer {
            Viewer::Player(letter) => self.game().players().get(letter.index()),
            Viewer::Spectator => None,
        };
        let focus = focus.and_then(Player::at).filter(|_| !self.view.is_held);
        let map = self.map_size();
        self.view.viewport.follow_or_stay(map, window, focus);
    }

    /// Scrolls with the digits as on a keypad, by a quarter of the window.
    fn look(&mut self, digit: char) {
        let stroke = Key::Char(digit).wire().and_then(Stroke::from_key);
        if let (Some(stroke), Some(window)) = (stroke, self.view.window) {
            self.pan(stroke_offset(stroke, window));
        }
    }

    fn pan(&mut self, by: (i32, i32)) {
        if let Some(window) = self.view.window {
            self.view.is_held = true;
            let map = self.map_size();
            self.view.viewport.pan(map, window, by);
        }
    }

    /// Moves on by this many views; the spectator comes before the first player.
    fn cycle_viewer(&mut self, steps: usize) {
        let here = match self.viewer {
            Viewer::Spectator => 0,
            Viewer::Player(letter) => letter.index() + 1,
        };
        let next = (here + steps) % (self.players + 1);
        let player = next.checked_sub(1).and_then(Letter::nth);
        self.viewer = player.map_or(Viewer::Spectator, Viewer::Player);
        self.view.is_held = false;
    }

    /// Toggles the pause; at the end of the recording, restarts it.
    fn play_or_pause(&mut self) {
        if self.playhead.is_at_end() {
            self.playhead.go(0);
        }
        self.is_playing = !self.is_playing;
    }

    fn step(&mut self) {
        self.is_playing = false;
        self.playhead.step();
    }

    fn step_back(&mut self) {
        self.is_playing = false;
        self.playhead.step_back();
    }

    fn jump(&mut self) {
        self.playhead.go_to_time(self.at().after(JUMP_MS));
    }

    fn jump_back(&mut self) {
        self.playhead.go_to_time(Timestamp(self.at().0.saturating_sub(JUMP_MS)));
    }

    /// Goes to the position after the next event in which a player gets gold, or to the end.
    fn go_to_gold(&mut self) {
        let here = self.position();
        let mut positions = self.timeline.gold().map(|(entry, ..)| entry.position);
        let next = positions.find(|position| *position > here);
        self.playhead.go(next.unwrap_or(usize::MAX));
    }

    fn go_back_to_gold(&mut self) {
        let here = self.position();
        let mut positions = self.timeline.gold().map(|(entry, ..)| entry.position);
        let before = positions.rfind(|position| *position < here);
        self.playhead.go(before.unwrap_or(0));
    }
}

impl fmt::Display for NoSuchPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no player {} in this recording", self.0)
    }
}

#[cfg(test)]
mod tests;
