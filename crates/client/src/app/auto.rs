//! The player's own conveniences: `o` takes one step of exploring, a click walks somewhere.
//!
//! Both come down to ordinary steps, one at a time: the next is chosen when the picture shows what
//! the last has done, or when that seems to be lost. Keys that come faster than pictures therefore
//! never have us run on blindly. It chooses steps and knows no messages: the app sends them.

use nuggets_atlas::{Direction, Explorer, Picture, Point, Stroke, Ways};

use super::{App, Stage, note};
use crate::Millis;

/// The least time between two steps.
const PACE_MS: u64 = 40;
/// How long a step may take to show. Afterwards it counts as lost.
const PATIENCE_MS: u64 = 500;
/// How often a walk tries the same step.
const TRIES: u32 = 2;

/// What we remember of the map, what we did last, and what is to be done next.
#[derive(Clone, Debug, Default)]
pub(super) struct Auto {
    explorer: Explorer,
    last: Option<Last>,
    errand: Option<Errand>,
}

/// The last step that was chosen here.
#[derive(Clone, Copy, Debug)]
struct Last {
    to: Option<Point>,
    at: Millis,
    /// The picture has shown us there.
    is_seen: bool,
}

/// What to do as soon as the last step is over.
#[derive(Clone, Copy, Debug)]
enum Errand {
    /// One step of exploring.
    Explore,
    /// Step after step to the goal.
    Walk(Walk),
}

#[derive(Clone, Copy, Debug)]
struct Walk {
    goal: Point,
    /// Where its last step began, and how often it was tried.
    tried: Option<(Point, u32)>,
}

/// What comes out of an errand.
enum Deed {
    Step(Direction),
    Say(&'static str),
}

impl App {
    /// The same client with conveniences for a player: `o` explores, and clicks are taken. A
    /// spectator stays as it is: it has nowhere to go.
    ///
    /// ```
    /// use nuggets_client::{App, Effect, Join, Key, Millis};
    ///
    /// let join = Join { host: "localhost".into(), port: 1234, name: Some(b"Ann".to_vec()) };
    /// let mut app = App::new(Millis(0), join).with_auto();
    /// app.handle_message(Millis(3), b"DISPLAY\n+-----+\n|@...*|\n+-----+\n").unwrap();
    /// app.handle_key(Millis(900), Key::Char('o'));
    /// let sent: Vec<Effect> = std::iter::from_fn(|| app.poll_effect()).collect();
    /// assert_eq!(sent.last(), Some(&Effect::Send(b"KEY l".to_vec())), "to the gold");
    /// ```
    #[must_use]
    pub fn with_auto(mut self) -> Self {
        self.auto = (!self.join.is_spectator()).then(Auto::default);
        self
    }

    /// Somebody has clicked on this gridpoint of the map and wants to go there.
    pub fn handle_click(&mut self, now: Millis, goal: Point) {
        if self.stage == Stage::Playing && self.auto.is_some() {
            self.forget_the_last_words();
            self.send_on_errand(now, Errand::Walk(Walk { goal, tried: None }));
        }
    }

    /// The game is put aside: nothing goes on by itself.
    pub fn handle_pause(&mut self) {
        self.stand_still();
    }

    pub(super) fn explore(&mut self, now: Millis) {
        self.send_on_errand(now, Errand::Explore);
    }

    pub(super) fn stand_still(&mut self) {
        if let Some(auto) = &mut self.auto {
            auto.errand = None;
        }
    }

    /// There is a new picture.
    pub(super) fn look(&mut self, now: Millis) {
        if let (Some(auto), Some(picture)) = (&mut self.auto, self.scene.picture()) {
            auto.look(picture);
        }
        self.run_errand(now);
    }

    pub(super) fn run_errand(&mut self, now: Millis) {
        let Some(picture) = self.scene.picture() else {
            return self.stand_still();
        };
        match self.auto.as_mut().and_then(|auto| auto.next(now, picture)) {
            Some(Deed::Step(way)) => self.send_key(Stroke::Step(way).key()),
            Some(Deed::Say(words)) => self.put_note(now, words),
            None => {}
        }
    }

    fn send_on_errand(&mut self, now: Millis, errand: Errand) {
        if let Some(auto) = &mut self.auto {
            auto.errand = Some(errand);
        }
        self.run_errand(now);
    }
}

impl Auto {
    /// When the errand wants to go on.
    pub(super) fn next_due(&self) -> Option<Millis> {
        self.errand.and(self.last).map(Last::over)
    }

    fn look(&mut self, picture: &Picture) {
        self.explorer.look(picture);
        let you = picture.you();
        if let Some(last) = self.last.as_mut().filter(|last| last.to == you) {
            last.is_seen = true;
            self.errand.take_if(|errand| errand.ends_at(you));
        }
    }

    /// The next deed, if there is an errand and the last step is over.
    fn next(&mut self, now: Millis, picture: &Picture) -> Option<Deed> {
        if self.last.is_some_and(|last| now < last.over()) {
            return None;
        }
        match self.errand.take()? {
            errand if errand.ends_at(picture.you()) => None,
            Errand::Explore => {
                let way = self.explorer.next_step(picture);
                Some(way.map_or(Deed::Say(note::NOWHERE), |way| self.step(now, picture, way)))
            }
            Errand::Walk(walk) => Some(self.walk_on(now, picture, walk)),
        }
    }

    fn walk_on(&mut self, now: Millis, picture: &Picture, walk: Walk) -> Deed {
        let way = picture.you().and_then(|you| Some((you, self.way_to(walk.goal, you)?)));
        let Some((you, way)) = way else {
            return Deed::Say(note::NO_WAY);
        };
        let tries = match walk.tried {
            Some((at, TRIES)) if at == you => return Deed::Say(note::STUCK),
            Some((at, tries)) if at == you => tries + 1,
            _ => 1,
        };
        self.errand = Some(Errand::Walk(Walk { tried: Some((you, tries)), ..walk }));
        self.step(now, picture, way)
    }

    /// The first step to the goal, if it is a spot that is known and can be reached.
    fn way_to(&self, goal: Point, you: Point) -> Option<Direction> {
        let ground = self.explorer.ground();
        let ways = Ways::from(ground, you).filter(|_| ground.is_spot(goal))?;
        ways.first_step_to(goal)
    }

    fn step(&mut self, now: Millis, picture: &Picture, way: Direction) -> Deed {
        let to = picture.you().and_then(|you| picture.size().beside(you, way));
        self.last = Some(Last { to, at: now, is_seen: false });
        Deed::Step(way)
    }
}

impl Last {
    /// From then on the next step may be chosen.
    fn over(self) -> Millis {
        self.at.after(if self.is_seen { PACE_MS } else { PATIENCE_MS })
    }
}

impl Errand {
    fn ends_at(&self, you: Option<Point>) -> bool {
        matches!(self, Self::Walk(walk) if Some(walk.goal) == you)
    }
}
