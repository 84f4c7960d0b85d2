//! The miner: weighs the worth of a spot against the keys it takes to get there.
//!
//! It plans in keys, not in steps: a sprint is one key, and takes all gold on its path. Every reachable spot is a goal
//! with a worth (the gold on the path, and possible discoveries) and a number of keys, and the best rate wins.
//!
//! Why it terminates: as long as it learns nothing, worths don't change. A key toward the best goal leaves one key less
//! to it, so its rate and with it the best rate of all rises with every key, and no state repeats. So after finitely
//! many keys it learns something: gold is taken or found to be gone, an unknown gridpoint becomes known, an unobserved
//! spot is observed. There are only finitely many such events; then it tries blanks at the ends of passages, each once,
//! patrols every spot that it has not visited, tries all other blanks, and starts again.

mod board;
mod memory;
mod probes;
mod search;
#[cfg(test)]
mod tests;

use nuggets_atlas::{Direction, DiscoveredMap, KnownTile, Picture, Point, Scene, Stroke};

use crate::Brain;
use crate::deadlock::DeadlockBreaker;
use board::{Board, Place};
use memory::{Find, MinerMemory, Observation};
use probes::{Probes, is_end};
use search::KeySearch;

/// The worth of a pile of gold, the unit of all worths.
const PILE: u32 = 100;
/// Bonus for another pile nearby, before it is divided by the distance.
const NEARBY_PILE: u32 = 100;
const FOOD: u32 = 15;
/// Bounds for the worth of a place with something to discover. It depends on how much gold is
/// still unseen.
const MAX_DISCOVERY: u32 = 90;
const MIN_DISCOVERY: u32 = 10;
/// The assumed number of keys spent at such a place before gold is found.
const DISCOVERY_KEYS: u32 = 3;
/// Bonus for a sprint into the unknown.
const UNKNOWN_SPRINT: u32 = 5;
/// The remaining worth, in percent, of gold that a rival will reach first.
const RACE_PERCENT: u32 = 40;

/// A rival more than this many keys from gold is ignored: its plans are unknown.
const MAX_RIVAL_KEYS: u32 = 2;
/// Limits on leaving gold to a rival: how often, and for how many decisions. A rival that has not taken it by then has
/// other plans.
const MAX_TIMES_LEFT: u8 = 3;
const DECISIONS_LEFT: u64 = 24;

/// The straight directions come first.
const STRAIGHT: usize = Direction::STRAIGHT.len();

/// A brain that plans.
///
/// ```
/// use nuggets_bots::{Brain, Miner};
/// # use nuggets_atlas::Scene;
/// # let mut scene = Scene::default();
/// # scene.handle_bytes(b"DISPLAY\n|.*.@..*..*..|\n").unwrap();
/// // |.*.@..*..*..|
/// assert_eq!(Miner::default().next_key(&scene).map(|stroke| stroke.key()), Some(b'L'));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Miner {
    map: DiscoveredMap,
    memory: MinerMemory,
    board: Board,
    ours: KeySearch,
    theirs: KeySearch,
    /// Our position at the last decision, and the key we pressed.
    last: Option<(Point, Stroke)>,
    /// True if a picture between two decisions has shown something new.
    has_news: bool,
    decisions: u64,
    /// The worth of all finds together.
    total_worth: u32,
    deadlock: DeadlockBreaker,
    probes: Probes,
    /// True if the last key was a step into a blank.
    is_probing: bool,
    /// True if the server does not draw a spot on which we stood: it hides spots, or forgets them.
    hides_spots: bool,
}

/// A goal and its rate: worth over keys.
#[derive(Clone, Copy, Debug)]
struct Goal {
    place: Place,
    worth: u32,
    keys: u32,
}

impl Goal {
    /// Compares without fractions, so that the result is the same on every platform.
    fn is_better_than(self, other: Self) -> bool {
        u64::from(self.worth) * u64::from(other.keys)
            > u64::from(other.worth) * u64::from(self.keys)
    }
}

impl Brain for Miner {
    fn next_key(&mut self, scene: &Scene) -> Option<Stroke> {
        let picture = scene.picture()?;
        let you = picture.you()?;
        self.reset_for_another_map(picture);
        self.decisions += 1;
        self.memory.update_gold(scene.gold());
        self.update(picture, you);
        self.is_probing = false;
        let mut stroke = self.decide(picture, you);
        if !self.is_probing {
            stroke =
                stroke.and_then(|stroke| self.deadlock.replace_blocked(stroke, scene, picture));
        }
        self.last = stroke.map(|stroke| (you, stroke));
        stroke
    }

    fn observe(&mut self, scene: &Scene) {
        if let Some(picture) = scene.picture() {
            self.reset_for_another_map(picture);
            self.has_news |= self.map.add_picture(picture);
        }
    }

    fn is_probing(&self) -> bool {
        self.is_probing
    }
}

impl Miner {
    fn reset_for_another_map(&mut self, picture: &Picture) {
        if self.map.size().is_some_and(|size| size != picture.size()) {
            *self = Self::default();
        }
    }

    /// Updates all knowledge from a picture. Spots that we sprinted past since the last one were visible only in
    /// between.
    fn update(&mut self, picture: &Picture, you: Point) {
        let is_first = self.decisions == 1;
        let mut is_new = self.map.add_picture(picture) | std::mem::take(&mut self.has_news);
        self.hides_spots |= self.last.is_some_and(|(from, _)| picture.cell(from) == b' ');
        let steps = self.steps_of_the_last_key(you);
        is_new |= self.mark_sprint(steps.unwrap_or(0));
        let is_all_visible = is_first || steps.is_some_and(|steps| steps < 2);
        let observation = Observation { map: &self.map, picture, you, is_all_visible };
        self.memory.update_finds(observation);
        if is_new {
            self.memory.note_new_spots(observation);
            self.board.rebuild(&self.map);
        }
        self.memory.note_observed(observation);
    }

    /// Marks the spots of the last sprint. A server that does not show the spots we sprinted over has not shown their
    /// surroundings either. Returns true if something is new.
    fn mark_sprint(&mut self, steps: u16) -> bool {
        let mut is_unshown = false;
        for step in 1..steps {
            if let Some(at) = self.place_after(step) {
                is_unshown |= self.map.mark_passed(at);
                self.memory.visit(&self.map, at);
            }
        }
        let mut is_new = is_unshown;
        for step in 1..if is_unshown { 0 } else { steps } {
            is_new |= self.place_after(step).is_some_and(|at| self.map.mark_surroundings_seen(at));
        }
        is_new
    }

    /// Returns the number of steps that the last key has moved us; `None` if that key alone can't explain our position.
    fn steps_of_the_last_key(&self, you: Point) -> Option<u16> {
        let (from, stroke) = self.last?;
        let steps = from.row.abs_diff(you.row).max(from.col.abs_diff(you.col));
        let is_possible = steps < 2 || matches!(stroke, Stroke::Sprint(_));
        let is_spot = |step| self.place_after(step).is_some_and(|at| self.can_be_spot(at));
        let is_on_the_path = steps == 0 || self.place_after(steps) == Some(you);
        (is_possible && is_on_the_path && (1..steps).all(is_spot)).then_some(steps)
    }

    /// True if this may be a spot: a server that hides spots shows some of them like rock.
    fn can_be_spot(&self, at: Point) -> bool {
        let tile = self.map.tile(at);
        tile.is_spot() || tile == KnownTile::Unknown || tile == KnownTile::Rock && self.hides_spots
    }

    /// Returns our position after this many steps of the last key.
    fn place_after(&self, steps: u16) -> Option<Point> {
        let (from, Stroke::Step(direction) | Stroke::Sprint(direction)) = self.last?;
        let (down, right) = direction.offset();
        let steps = i16::try_from(steps).ok()?;
        let row = from.row.checked_add_signed(down * steps)?;
        Some(Point { row, col: from.col.checked_add_signed(right * steps)? })
    }

    fn decide(&mut self, picture: &Picture, you: Point) -> Option<Stroke> {
        let here = self.board.place(you);
        self.set_worths(picture, here);
        let goal = self.best_goal(here, STRAIGHT);
        let goal = goal.or_else(|| self.best_goal(here, Direction::ALL.len()));
        match goal {
            Some(goal) => self.ours.first_stroke(goal.place),
            None => self.search_known_map(here),
        }
    }

    /// Searches a fully known map without visible gold. A correct server has shown everything, so gold may lie where it
    /// was not visible: visits every spot that we have not visited. But first it tries the ends of passages, since a
    /// server may not show everything, and at last every blank beside a spot.
    fn search_known_map(&mut self, here: Place) -> Option<Stroke> {
        if let Some(stroke) = self.probe(here, is_end) {
            return Some(stroke);
        }
        if let Some(goal) = self.patrol_round(here) {
            return self.ours.first_stroke(goal.place);
        }
        if let Some(stroke) = self.probe(here, |_, _| true) {
            return Some(stroke);
        }
        self.probes.forget();
        self.memory.forget_visits();
        self.memory.visit(&self.map, self.board.point(here));
        let goal = self.patrol_round(here)?;
        self.ours.first_stroke(goal.place)
    }

    /// Returns the path to the nearest of these spots with an untried blank beside it; there, the step into the blank.
    /// All reachable spots have been searched.
    fn probe(
        &mut self,
        here: Place,
        is_candidate: fn(&DiscoveredMap, Point) -> bool,
    ) -> Option<Stroke> {
        let is_untried = |place: &Place| {
            let at = self.board.point(*place);
            is_candidate(&self.map, at) && self.probes.best(&self.map, at).is_some()
        };
        let place = self.ours.reached().iter().copied().find(is_untried)?;
        if place != here {
            return self.ours.first_stroke(place);
        }
        let at = self.board.point(here);
        let way = self.probes.best(&self.map, at)?;
        self.probes.note(&self.map, at, way);
        self.is_probing = true;
        Some(Stroke::Step(way))
    }

    /// Sets the worth of all finds.
    fn set_worths(&mut self, picture: &Picture, here: Place) {
        self.board.clear_worth();
        let has_rivals = self.count_rival_keys(picture, here);
        self.total_worth = 0;
        for index in 0..self.memory.finds().len() {
            let find = self.memory.finds()[index];
            let place = self.board.place(find.at);
            let worth = worth_of(&find) * self.memory.likelihood_percent(&find) / 100;
            let is_left = self.is_left_to_a_rival(index, place, has_rivals);
            let worth = if is_left { worth * RACE_PERCENT / 100 } else { worth };
            self.board.set_worth(place, worth.max(1));
            self.total_worth += worth.max(1);
        }
        self.board.update_run_worths(UNKNOWN_SPRINT);
    }

    /// Counts our keys and our rivals' to all places nearby; returns false if no rival is visible.
    fn count_rival_keys(&mut self, picture: &Picture, here: Place) -> bool {
        let rivals = picture.points_of(|cell| cell.is_ascii_uppercase());
        let mut places = rivals.map(|at| self.board.place(at)).peekable();
        let has_rivals = places.peek().is_some() && !self.memory.finds().is_empty();
        if has_rivals {
            self.theirs.begin(&self.board, places);
            self.theirs.reach_within(&self.board, MAX_RIVAL_KEYS);
            self.ours.begin(&self.board, std::iter::once(here));
            self.ours.reach_within(&self.board, MAX_RIVAL_KEYS + 1);
        }
        has_rivals
    }

    /// True if a nearer rival will be there first. But it may have other plans and must not keep us away forever, so
    /// gold is left to it for a limited time only.
    fn is_left_to_a_rival(&mut self, index: usize, place: Place, has_rivals: bool) -> bool {
        let is_left = has_rivals && {
            let their_keys = self.theirs.keys_over(&self.board, place);
            their_keys < self.ours.keys_over(&self.board, place)
        };
        let now = self.decisions;
        let find = &mut self.memory.finds_mut()[index];
        if is_left && find.times_left < MAX_TIMES_LEFT && find.left_until <= now {
            find.times_left += 1;
            find.left_until = now + DECISIONS_LEFT;
        }
        now < find.left_until
    }

    /// Returns the goal with the best rate among gold, spots that border the unknown in one of the first `directions`
    /// directions, and spots that we only sprinted past.
    fn best_goal(&mut self, here: Place, directions: usize) -> Option<Goal> {
        let discovery = self.memory.unseen_piles_percent().clamp(MIN_DISCOVERY, MAX_DISCOVERY);
        let mut best = None;
        self.ours.begin(&self.board, std::iter::once(here));
        while let Some(place) = self.ours.next(&self.board) {
            let keys = self.ours.keys(place);
            let worth = self.ours.worth(place);
            if keys == 0 {
                continue;
            }
            if best.is_some_and(|best| self.is_best_from(best, keys, discovery)) {
                break;
            }
            prefer(&mut best, Goal { place, worth, keys });
            if self.has_something_to_discover(place, directions) {
                let worth = worth + discovery;
                let keys = keys + DISCOVERY_KEYS;
                prefer(&mut best, Goal { place, worth, keys });
            }
        }
        best
    }

    fn has_something_to_discover(&self, place: Place, directions: usize) -> bool {
        self.board.borders_unknown(place, directions)
            || self.memory.has_unobserved() && self.memory.is_unobserved(self.picture_index(place))
    }

    /// True if no goal that takes this many keys or more can be better. A path may cross a pile twice and count it
    /// twice, hardly more often.
    fn is_best_from(&self, best: Goal, keys: u32, discovery: u32) -> bool {
        let max_worth = 2 * self.total_worth + keys * UNKNOWN_SPRINT;
        let with_gold = Goal { place: best.place, worth: max_worth, keys };
        let with_discovery =
            Goal { place: best.place, worth: max_worth + discovery, keys: keys + DISCOVERY_KEYS };
        !with_gold.is_better_than(best) && !with_discovery.is_better_than(best)
    }

    /// Returns the best path over spots that we have not visited.
    fn patrol_round(&mut self, here: Place) -> Option<Goal> {
        self.total_worth = 0;
        for index in 0..self.ours.reached().len() {
            let place = self.ours.reached()[index];
            let is_new = !self.memory.has_visited(self.picture_index(place));
            self.board.set_worth(place, u32::from(is_new));
            self.total_worth += u32::from(is_new);
        }
        self.board.update_run_worths(0);
        self.best_goal(here, 0)
    }

    fn picture_index(&self, place: Place) -> usize {
        let size = self.map.size();
        size.map_or(0, |size| size.index(self.board.point(place)))
    }
}

/// Keeps the better goal; of equals the first, which is the nearer one.
fn prefer(best: &mut Option<Goal>, goal: Goal) {
    if goal.worth > 0 && best.is_none_or(|best| goal.is_better_than(best)) {
        *best = Some(goal);
    }
}

fn worth_of(find: &Find) -> u32 {
    match find.cell {
        b'%' => FOOD,
        _ => PILE + find.nearby_gold * NEARBY_PILE / 100,
    }
}
