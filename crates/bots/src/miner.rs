//! The miner: weighs what there is to get against the keys it takes to get there.
//!
//! It plans in keys, not in steps: a sprint is one key, and takes whatever lies on its way. Every
//! spot that can be reached is a goal with a worth (the gold on the way there, and what there may
//! be to discover) and a number of keys, and the best rate wins.
//!
//! Why it never goes in circles: as long as it learns nothing, worths stay as they are. A key
//! toward the best goal leaves one key less to it, so its rate rises, and the best rate of all with
//! it. A number that rises with every key can't come back. So after finitely many keys it learns
//! something: gold is taken or found to be gone, unknown ground becomes known, a spot in the dark
//! is looked at. Of that there is only so much; when there is none left, it walks over every spot
//! that it has not stood on, and then again.

mod board;
mod memory;
mod search;
#[cfg(test)]
mod tests;

use nuggets_atlas::{Direction, Ground, Kind, Picture, Point, Scene, Stroke};

use crate::Brain;
use crate::patience::Patience;
use board::{Board, Place};
use memory::{Find, Look, Memory};
use search::Search;

/// What a pile of gold is worth; everything else is measured by it.
const PILE: u32 = 100;
/// On top for another pile near it, before that is divided by the distance.
const COMPANY: u32 = 100;
const FOOD: u32 = 15;
/// Something to discover, at most and at least: it depends on how much gold is still unseen.
const DISCOVERY: u32 = 90;
const LEAST_DISCOVERY: u32 = 10;
/// So many keys are spent at such a place before there is gold.
const DELAY: u32 = 3;
/// A sprint into the unknown, on top.
const NEWS: u32 = 5;
/// What is left, in percent, of the worth of gold that a rival will reach first.
const RACE_PERCENT: u32 = 40;

/// A rival farther than this many keys from gold, and a sprint over it, is not reckoned with: who
/// knows what it will do.
const NEAR: u32 = 2;
/// How often gold is left to a rival, and for how many decisions. After that the rival may have
/// other plans.
const LEAVE_TIMES: u8 = 3;
const LEAVE_FOR: u64 = 24;

/// The straight directions come first.
const STRAIGHT: usize = Direction::STRAIGHT.len();

/// A brain that plans.
///
/// ```
/// use nuggets_bots::{Brain, Miner};
/// # use nuggets_atlas::Scene;
/// # use nuggets_protocol::ServerMessage;
/// # let mut scene = Scene::default();
/// # scene.take(&ServerMessage::parse(b"DISPLAY\n|.*.@..*..*..|\n").unwrap()).unwrap();
/// // |.*.@..*..*..|
/// assert_eq!(Miner::default().next_key(&scene).map(|stroke| stroke.key()), Some(b'L'));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Miner {
    ground: Ground,
    memory: Memory,
    board: Board,
    ours: Search,
    theirs: Search,
    /// Where we were when we decided last, and what we pressed.
    last: Option<(Point, Stroke)>,
    /// A glance has shown something new.
    news: bool,
    decisions: u64,
    /// The worth of everything that was found.
    most: u32,
    patience: Patience,
}

/// A goal and its rate: worth over keys.
#[derive(Clone, Copy, Debug)]
struct Goal {
    place: Place,
    worth: u32,
    keys: u32,
}

impl Goal {
    /// Compared without fractions, so that it is the same everywhere.
    fn is_better_than(self, other: Self) -> bool {
        u64::from(self.worth) * u64::from(other.keys)
            > u64::from(other.worth) * u64::from(self.keys)
    }
}

impl Brain for Miner {
    fn next_key(&mut self, scene: &Scene) -> Option<Stroke> {
        let picture = scene.picture()?;
        let you = picture.you()?;
        self.forget_another_map(picture);
        self.decisions += 1;
        self.memory.take_gold(scene.gold());
        self.observe(picture, you);
        let stroke = self.decide(picture, you);
        let stroke = stroke.and_then(|stroke| self.patience.temper(stroke, scene, picture));
        self.last = stroke.map(|stroke| (you, stroke));
        stroke
    }

    fn look(&mut self, scene: &Scene) {
        if let Some(picture) = scene.picture() {
            self.forget_another_map(picture);
            self.news |= self.ground.take(picture);
        }
    }
}

impl Miner {
    fn forget_another_map(&mut self, picture: &Picture) {
        if self.ground.size().is_some_and(|size| size != picture.size()) {
            *self = Self::default();
        }
    }

    /// Takes in a picture. What we ran past since the last one was in sight for a moment.
    fn observe(&mut self, picture: &Picture, you: Point) {
        let is_first = self.decisions == 1;
        let mut is_new = self.ground.take(picture) | std::mem::take(&mut self.news);
        let steps = self.steps_since_the_last_key(you);
        is_new |= self.take_run(steps.unwrap_or(0));
        let is_all_in_sight = is_first || steps.is_some_and(|steps| steps < 2);
        let look = Look { ground: &self.ground, picture, you, is_all_in_sight };
        self.memory.take_finds(look);
        if is_new {
            self.memory.take_looks(look);
            self.board.lay_out(&self.ground);
        }
        self.memory.look_again(look);
    }

    /// We came by here. A server that does not show what we ran over has not shown what is beside it
    /// either. True if that is new.
    fn take_run(&mut self, steps: u16) -> bool {
        let mut is_untold = false;
        for step in 1..steps {
            if let Some(at) = self.passed(step) {
                is_untold |= self.ground.pass(at);
                self.memory.pass(&self.ground, at);
            }
        }
        let mut is_new = is_untold;
        for step in 1..if is_untold { 0 } else { steps } {
            is_new |= self.passed(step).is_some_and(|at| self.ground.look_around(at));
        }
        is_new
    }

    /// How many steps the last key has brought us. None if it can't have been that key, or not alone.
    fn steps_since_the_last_key(&self, you: Point) -> Option<u16> {
        let (from, stroke) = self.last?;
        let steps = from.row.abs_diff(you.row).max(from.col.abs_diff(you.col));
        let is_possible = steps < 2 || matches!(stroke, Stroke::Sprint(_));
        let is_spot = |step| self.passed(step).is_some_and(|at| self.can_be_spot(at));
        let is_on_the_way = steps == 0 || self.passed(steps) == Some(you);
        (is_possible && is_on_the_way && (1..steps).all(is_spot)).then_some(steps)
    }

    fn can_be_spot(&self, at: Point) -> bool {
        let kind = self.ground.kind(at);
        kind.is_spot() || kind == Kind::Unknown
    }

    /// Where we were after so many steps of the last key.
    fn passed(&self, steps: u16) -> Option<Point> {
        let (from, Stroke::Step(way) | Stroke::Sprint(way)) = self.last?;
        let (down, right) = way.offset();
        let steps = i16::try_from(steps).ok()?;
        let row = from.row.checked_add_signed(down * steps)?;
        Some(Point { row, col: from.col.checked_add_signed(right * steps)? })
    }

    fn decide(&mut self, picture: &Picture, you: Point) -> Option<Stroke> {
        let here = self.board.place(you);
        self.appraise(picture, here);
        let goal = self.best_goal(here, STRAIGHT);
        let goal = goal.or_else(|| self.best_goal(here, Direction::ALL.len()));
        let goal = goal.or_else(|| self.patrol(here))?;
        self.ours.first_stroke(goal.place)
    }

    /// Gives everything that was found its worth.
    fn appraise(&mut self, picture: &Picture, here: Place) {
        self.board.clear_worth();
        let has_rivals = self.watch_rivals(picture, here);
        self.most = 0;
        for index in 0..self.memory.finds().len() {
            let find = self.memory.finds()[index];
            let place = self.board.place(find.at);
            let worth = worth_of(&find) * self.memory.chance_of(&find) / 100;
            let is_theirs = self.is_left_to_a_rival(index, place, has_rivals);
            let worth = if is_theirs { worth * RACE_PERCENT / 100 } else { worth };
            self.board.set_worth(place, worth.max(1));
            self.most += worth.max(1);
        }
        self.board.weigh_runs(NEWS);
    }

    /// Counts the keys to what is near, ours and theirs, if a rival is in sight; false if there is none.
    fn watch_rivals(&mut self, picture: &Picture, here: Place) -> bool {
        let size = picture.size();
        let letters = picture.cells().iter().enumerate();
        let rivals = letters.filter(|(_, cell)| cell.is_ascii_uppercase());
        let mut places = rivals.map(|(index, _)| self.board.place(size.point(index))).peekable();
        let has_rivals = places.peek().is_some() && !self.memory.finds().is_empty();
        if has_rivals {
            self.theirs.begin(&self.board, places);
            self.theirs.reach_within(&self.board, NEAR);
            self.ours.begin(&self.board, std::iter::once(here));
            self.ours.reach_within(&self.board, NEAR + 1);
        }
        has_rivals
    }

    /// A rival who is nearer will be there first. But it may not want to, and then it must not keep
    /// us away for ever: so this is believed for a while only, and not too often.
    fn is_left_to_a_rival(&mut self, index: usize, place: Place, has_rivals: bool) -> bool {
        let is_theirs = has_rivals && {
            let they = self.theirs.keys_over(&self.board, place);
            they < self.ours.keys_over(&self.board, place)
        };
        let now = self.decisions;
        let find = &mut self.memory.finds_mut()[index];
        if is_theirs && find.left_times < LEAVE_TIMES && find.left_until <= now {
            find.left_times += 1;
            find.left_until = now + LEAVE_FOR;
        }
        now < find.left_until
    }

    /// The goal with the best rate: gold, the ends of the known ground toward the first `ways`
    /// directions, and what we only ran past.
    fn best_goal(&mut self, here: Place, ways: usize) -> Option<Goal> {
        let discovery = self.memory.unseen_piles().clamp(LEAST_DISCOVERY, DISCOVERY);
        let mut best = None;
        self.ours.begin(&self.board, std::iter::once(here));
        while let Some(place) = self.ours.next(&self.board) {
            let (keys, worth) = (self.ours.keys(place), self.ours.worth(place));
            if keys == 0 {
                continue;
            }
            if best.is_some_and(|best| self.is_best_from(best, keys, discovery)) {
                break;
            }
            prefer(&mut best, Goal { place, worth, keys });
            if self.is_to_discover(place, ways) {
                let (worth, keys) = (worth + discovery, keys + DELAY);
                prefer(&mut best, Goal { place, worth, keys });
            }
        }
        best
    }

    fn is_to_discover(&self, place: Place, ways: usize) -> bool {
        self.board.borders_unknown(place, ways)
            || self.memory.has_unlooked() && self.memory.is_unlooked(self.picture_index(place))
    }

    /// Can nothing that takes so many keys or more be better? The way to it may cross a pile twice
    /// and count it twice, hardly more often.
    fn is_best_from(&self, best: Goal, keys: u32, discovery: u32) -> bool {
        let most = 2 * self.most + keys * NEWS;
        let with_gold = Goal { place: best.place, worth: most, keys };
        let (worth, keys) = (most + discovery, keys + DELAY);
        let with_news = Goal { place: best.place, worth, keys };
        !with_gold.is_better_than(best) && !with_news.is_better_than(best)
    }

    /// Everything seems known, and there is nothing: over every spot that we have not stood on.
    fn patrol(&mut self, here: Place) -> Option<Goal> {
        self.patrol_round(here).or_else(|| {
            self.memory.forget_where_we_stood();
            self.memory.pass(&self.ground, self.board.point(here));
            self.patrol_round(here)
        })
    }

    fn patrol_round(&mut self, here: Place) -> Option<Goal> {
        self.most = 0;
        for index in 0..self.ours.reached().len() {
            let place = self.ours.reached()[index];
            let is_new = !self.memory.has_stood(self.picture_index(place));
            self.board.set_worth(place, u32::from(is_new));
            self.most += u32::from(is_new);
        }
        self.board.weigh_runs(0);
        self.best_goal(here, 0)
    }

    fn picture_index(&self, place: Place) -> usize {
        let size = self.ground.size();
        size.map_or(0, |size| size.index(self.board.point(place)))
    }
}

/// Keeps the better of the two; the nearer of equals, which comes first.
fn prefer(best: &mut Option<Goal>, goal: Goal) {
    if goal.worth > 0 && best.is_none_or(|best| goal.is_better_than(best)) {
        *best = Some(goal);
    }
}

fn worth_of(find: &Find) -> u32 {
    match find.cell {
        b'%' => FOOD,
        _ => PILE + find.company * COMPANY / 100,
    }
}
