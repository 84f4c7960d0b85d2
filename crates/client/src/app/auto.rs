//! The player's conveniences: `o` takes one exploring step, a click walks to a spot.
//!
//! Both are ordinary steps, one at a time: the next is chosen when the picture shows the effect of the last, or when
//! that seems to be lost. So even keys that arrive faster than pictures never make us run blindly. This module chooses
//! steps and knows no messages: the app sends them.

use nuggets_atlas::{Direction, Explorer, Paths, Picture, Point, Stroke};
use nuggets_session::Timestamp;

use super::{App, note};

/// The shortest time between two steps.
const PACE_MS: u64 = 40;
/// The time after which a step that no picture shows counts as lost.
const STEP_TIMEOUT_MS: u64 = 500;
/// The number of times that a walk tries the same step.
const MAX_TRIES: u32 = 2;

/// The memory of the map, the last step, and the current errand.
#[derive(Clone, Debug, Default)]
pub(super) struct Auto {
    explorer: Explorer,
    last: Option<LastStep>,
    errand: Option<Errand>,
}

/// The last step that this module has chosen.
#[derive(Clone, Copy, Debug)]
struct LastStep {
    to: Option<Point>,
    at: Timestamp,
    /// True once a picture has shown us there.
    is_seen: bool,
}

/// The action that starts as soon as the last step is over.
#[derive(Clone, Debug)]
pub(super) enum Errand {
    /// One exploring step.
    Explore,
    /// Exploring steps until a player or gold comes into sight that is not among these.
    ExploreOn { known: Vec<(u8, Option<Point>)> },
    /// Step after step to the goal.
    Walk {
        goal: Point,
        /// The start of the walk's last step, and the number of times it was tried.
        last_try: Option<(Point, u32)>,
    },
}

/// The next action of an errand.
enum Action {
    Step(Direction),
    Note(&'static str),
}

impl App {
    pub(super) fn start_errand(&mut self, now: Timestamp, errand: Errand) {
        if let Some(auto) = &mut self.auto {
            auto.errand = Some(errand);
        }
        self.run_errand(now);
    }

    /// Handles `O`: explores on until something new comes into sight.
    pub(super) fn explore_on(&mut self, now: Timestamp) {
        let known = self.scene().picture().map(notable).unwrap_or_default();
        self.start_errand(now, Errand::ExploreOn { known });
    }

    pub(super) fn stop_errand(&mut self) {
        if let Some(auto) = &mut self.auto {
            auto.errand = None;
        }
    }

    /// Adds a new picture, and continues the errand.
    pub(super) fn handle_picture(&mut self, now: Timestamp) {
        if let Some(picture) = self.session.scene().picture() {
            self.sight.observe(picture);
            if let Some(auto) = &mut self.auto {
                auto.observe(picture);
            }
        }
        self.follow_player();
        self.run_errand(now);
    }

    pub(super) fn run_errand(&mut self, now: Timestamp) {
        let Some(picture) = self.session.scene().picture() else {
            return self.stop_errand();
        };
        match self.auto.as_mut().and_then(|auto| auto.next(now, picture)) {
            Some(Action::Step(direction)) => {
                self.session.send_key(now, Stroke::Step(direction).key());
            }
            Some(Action::Note(text)) => self.put_note(now, text),
            None => {}
        }
    }
}

impl Auto {
    /// Returns the time at which the errand can continue.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        self.errand.as_ref().and(self.last).map(LastStep::over_at)
    }

    fn observe(&mut self, picture: &Picture) {
        self.explorer.observe(picture);
        let you = picture.you();
        if let Some(last) = self.last.as_mut().filter(|last| last.to == you) {
            last.is_seen = true;
            self.errand.take_if(|errand| errand.ends_at(you));
        }
    }

    /// Returns the next action, if there is an errand and the last step is over.
    fn next(&mut self, now: Timestamp, picture: &Picture) -> Option<Action> {
        if self.last.is_some_and(|last| now < last.over_at()) {
            return None;
        }
        match self.errand.take()? {
            errand if errand.ends_at(picture.you()) => None,
            Errand::Explore => Some(match self.explorer.next_step(picture) {
                Some(direction) => self.step(now, picture, direction),
                None => Action::Note(note::FULLY_EXPLORED),
            }),
            Errand::ExploreOn { known } => Some(self.explore_on(now, picture, known)),
            Errand::Walk { goal, last_try } => Some(self.walk_on(now, picture, goal, last_try)),
        }
    }

    fn explore_on(
        &mut self,
        now: Timestamp,
        picture: &Picture,
        known: Vec<(u8, Option<Point>)>,
    ) -> Action {
        let seen = notable(picture);
        if seen.iter().any(|thing| !known.contains(thing)) {
            return Action::Note(note::SOMETHING_NEW);
        }
        let Some(direction) = self.explorer.next_step(picture) else {
            return Action::Note(note::FULLY_EXPLORED);
        };
        self.errand = Some(Errand::ExploreOn { known });
        self.step(now, picture, direction)
    }

    fn walk_on(
        &mut self,
        now: Timestamp,
        picture: &Picture,
        goal: Point,
        last_try: Option<(Point, u32)>,
    ) -> Action {
        let step = picture.you().and_then(|you| Some((you, self.first_step(goal, you)?)));
        let Some((you, direction)) = step else {
            return Action::Note(note::NO_PATH);
        };
        let tries = match last_try {
            Some((at, MAX_TRIES)) if at == you => return Action::Note(note::BLOCKED),
            Some((at, tries)) if at == you => tries + 1,
            _ => 1,
        };
        self.errand = Some(Errand::Walk { goal, last_try: Some((you, tries)) });
        self.step(now, picture, direction)
    }

    /// Returns the first step to the goal, if it is a known spot and can be reached.
    fn first_step(&self, goal: Point, you: Point) -> Option<Direction> {
        let map = self.explorer.discovered();
        let paths = Paths::from_spot(map, you).filter(|_| map.is_spot(goal))?;
        paths.first_step_to(goal)
    }

    fn step(&mut self, now: Timestamp, picture: &Picture, direction: Direction) -> Action {
        let to = picture.you().and_then(|you| picture.size().beside(you, direction));
        self.last = Some(LastStep { to, at: now, is_seen: false });
        Action::Step(direction)
    }
}

/// Returns the players in a picture, wherever they stand, and the gold with its positions.
fn notable(picture: &Picture) -> Vec<(u8, Option<Point>)> {
    let notable = picture.points_of(|cell| cell.is_ascii_uppercase() || cell == b'*');
    let thing = |at| (picture.cell(at), Some(at).filter(|_| picture.cell(at) == b'*'));
    notable.map(thing).collect()
}

impl LastStep {
    /// Returns the time from which on the next step may be chosen.
    fn over_at(self) -> Timestamp {
        self.at.after(if self.is_seen { PACE_MS } else { STEP_TIMEOUT_MS })
    }
}

impl Errand {
    pub(super) fn walk(goal: Point) -> Self {
        Self::Walk { goal, last_try: None }
    }

    fn ends_at(&self, you: Option<Point>) -> bool {
        matches!(self, Self::Walk { goal, .. } if Some(*goal) == you)
    }
}
