//! Exploration by a fixed plan: to visible gold, or else to where the discovered map ends.
//!
//! It never goes in circles: every step shortens the path to the goal, a goal is kept until it is reached or seen to be
//! gone, and standing at the edge of the discovered map extends it. If gold is still missing once the whole map is
//! discovered, it visits every spot that it has not stood on, and then starts again.

use crate::{Direction, DiscoveredMap, Paths, Picture, Point, has_line_of_sight};

/// An explorer with its memory of the map.
///
/// ```
/// use nuggets_atlas::{Direction, Explorer, Scene};
///
/// let mut scene = Scene::default();
/// scene.handle_bytes(b"DISPLAY\n+---+\n|@..#\n+---+\n").unwrap();
/// let step = Explorer::default().next_step(scene.picture().unwrap());
/// assert_eq!(step, Some(Direction::Right), "into the passage");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Explorer {
    map: DiscoveredMap,
    /// True for each gridpoint that we have stood on.
    stood: Vec<bool>,
    goal: Option<Goal>,
}

/// A pile of gold to walk to, and the squared distance that it was last seen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Goal {
    at: Point,
    seen_from_squared: u32,
}

impl Explorer {
    /// Adds a picture to the memory without choosing a step.
    pub fn observe(&mut self, picture: &Picture) {
        if self.map.size() != Some(picture.size()) {
            self.goal = None;
            self.stood.clear();
        }
        self.map.add_picture(picture);
        self.stood.resize(self.map.tiles().len(), false);
        if let Some(you) = picture.you() {
            self.stood[picture.size().index(you)] = true;
        }
    }

    /// The map as discovered so far.
    pub fn discovered(&self) -> &DiscoveredMap {
        &self.map
    }

    /// Returns the next step; `None` if the picture does not show us or there is nowhere to go.
    pub fn next_step(&mut self, picture: &Picture) -> Option<Direction> {
        self.observe(picture);
        let you = picture.you()?;
        let paths = Paths::from_spot(&self.map, you)?;
        self.choose_goal(picture, you, &paths);
        let to = self.goal.map(|goal| goal.at).or_else(|| self.next_unknown(&paths))?;
        paths.first_step_to(to)
    }

    fn choose_goal(&mut self, picture: &Picture, you: Point, paths: &Paths) {
        let is_gold = |at: Point| picture.cell(at) == b'*';
        self.goal.take_if(|goal| is_gone(&self.map, picture, you, *goal));
        if self.goal.is_none() {
            let gold = paths.nearest_first().iter().copied().find(|&at| is_gold(at));
            self.goal = gold.map(|at| Goal { at, seen_from_squared: 0 });
        }
        if let Some(goal) = self.goal.as_mut().filter(|goal| is_gold(goal.at)) {
            goal.seen_from_squared = goal.at.distance_squared(you);
        }
    }

    /// Returns the nearest edge of the discovered map, or else the nearest spot that we have not stood on.
    fn next_unknown(&mut self, paths: &Paths) -> Option<Point> {
        let spots = paths.nearest_first();
        let ends = |directions: &[Direction]| {
            spots.iter().copied().find(|&at| self.map.borders_unknown(at, directions))
        };
        ends(&Direction::STRAIGHT).or_else(|| ends(&Direction::ALL)).or_else(|| {
            let size = self.map.size()?;
            let new = |stood: &[bool]| spots.iter().copied().find(|&at| !stood[size.index(at)]);
            new(&self.stood).or_else(|| {
                self.stood.fill(false);
                self.stood[size.index(spots[0])] = true;
                new(&self.stood)
            })
        })
    }
}

/// True if the gold was taken: a player stands there, or the spot is visible from no farther away
/// than the gold was seen from, and the picture shows none.
fn is_gone(map: &DiscoveredMap, picture: &Picture, you: Point, goal: Goal) -> bool {
    let is_near = goal.at.distance_squared(you) <= goal.seen_from_squared;
    match picture.cell(goal.at) {
        b'*' => false,
        b'A'..=b'Z' | b'@' => true,
        _ => is_near && has_line_of_sight(map, you, goal.at),
    }
}

#[cfg(test)]
mod tests;
