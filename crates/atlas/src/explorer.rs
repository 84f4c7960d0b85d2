//! Exploring by rote: to the gold in sight, or else to where the known ground ends.
//!
//! It never goes in circles: toward a goal the way gets shorter with every step, a goal is kept until
//! it is reached or seen to be gone, and standing at the end of the known ground makes it larger.
//! When all ground is known and gold is still missing, it walks over every spot that it has not
//! stood on, and then again.

use crate::{Direction, Ground, Picture, Point, Ways, is_in_sight};

/// Somebody who explores, with what it remembers of the map.
///
/// ```
/// use nuggets_atlas::{Direction, Explorer, Scene};
/// use nuggets_protocol::ServerMessage;
///
/// let mut scene = Scene::default();
/// scene.take(&ServerMessage::parse(b"DISPLAY\n+---+\n|@..#\n+---+\n").unwrap()).unwrap();
/// let step = Explorer::default().next_step(scene.picture().unwrap());
/// assert_eq!(step, Some(Direction::Right), "the passage may lead on");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Explorer {
    ground: Ground,
    stood: Vec<bool>,
    goal: Option<Goal>,
}

/// Gold that we go for, and from how far it was seen last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Goal {
    at: Point,
    seen_from_squared: u32,
}

impl Explorer {
    /// Takes in a picture without going anywhere.
    pub fn look(&mut self, picture: &Picture) {
        if self.ground.size() != Some(picture.size()) {
            (self.goal, self.stood) = (None, vec![]);
        }
        self.ground.take(picture);
        self.stood.resize(self.ground.kinds().len(), false);
        if let Some(you) = picture.you() {
            self.stood[picture.size().index(you)] = true;
        }
    }

    /// The ground as far as it is known.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// The step to take now. None where nobody stands in the picture or there is nowhere to go.
    pub fn next_step(&mut self, picture: &Picture) -> Option<Direction> {
        self.look(picture);
        let you = picture.you()?;
        let ways = Ways::from(&self.ground, you)?;
        self.choose_goal(picture, you, &ways);
        let to = self.goal.map(|goal| goal.at).or_else(|| self.next_unknown(&ways))?;
        ways.first_step_to(to)
    }

    fn choose_goal(&mut self, picture: &Picture, you: Point, ways: &Ways) {
        let is_gold = |at: Point| picture.cell(at) == b'*';
        self.goal.take_if(|goal| is_gone(&self.ground, picture, you, *goal));
        if self.goal.is_none() {
            let gold = ways.nearest_first().iter().copied().find(|&at| is_gold(at));
            self.goal = gold.map(|at| Goal { at, seen_from_squared: 0 });
        }
        if let Some(goal) = self.goal.as_mut().filter(|goal| is_gold(goal.at)) {
            goal.seen_from_squared = goal.at.distance_squared(you);
        }
    }

    /// Where the known ground ends; or else somewhere new to stand.
    fn next_unknown(&mut self, ways: &Ways) -> Option<Point> {
        let spots = ways.nearest_first();
        let ends = |ways: &[Direction]| {
            spots.iter().copied().find(|&at| self.ground.borders_unknown(at, ways))
        };
        ends(&Direction::STRAIGHT).or_else(|| ends(&Direction::ALL)).or_else(|| {
            let size = self.ground.size()?;
            let new = |stood: &[bool]| spots.iter().copied().find(|&at| !stood[size.index(at)]);
            new(&self.stood).or_else(|| {
                self.stood.fill(false);
                self.stood[size.index(spots[0])] = true;
                new(&self.stood)
            })
        })
    }
}

/// Somebody has taken it: we stand there, or it would be in sight no farther away than it was seen.
fn is_gone(ground: &Ground, picture: &Picture, you: Point, goal: Goal) -> bool {
    let near = goal.at.distance_squared(you) <= goal.seen_from_squared;
    match picture.cell(goal.at) {
        b'*' => false,
        b'A'..=b'Z' | b'@' => true,
        _ => near && is_in_sight(ground, you, goal.at),
    }
}

#[cfg(test)]
mod tests;
