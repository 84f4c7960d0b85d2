//! Pathfinding: shortest paths over the discovered map by breadth-first search, in all eight
//! directions.

use std::collections::VecDeque;

use crate::{Direction, DiscoveredMap, Point, Size};

/// The shortest paths from one spot to every other that can be reached.
///
/// ```
/// use nuggets_atlas::{Direction, DiscoveredMap, Paths, Point, Scene};
///
/// let mut scene = Scene::default();
/// scene.handle_bytes(b"DISPLAY\n@.-..\n|.-..\n--#--\n").unwrap();
/// let mut map = DiscoveredMap::default();
/// map.add_picture(scene.picture().unwrap());
///
/// let paths = Paths::from_spot(&map, Point::new(0, 0)).unwrap();
/// assert_eq!(paths.steps_to(Point::new(0, 4)), Some(4));
/// assert_eq!(paths.first_step_to(Point::new(0, 4)), Some(Direction::DownRight));
/// assert_eq!(paths.steps_to(Point::new(0, 2)), None, "a wall");
/// ```
#[derive(Clone, Debug)]
pub struct Paths {
    size: Size,
    /// For each gridpoint that can be reached: its distance in steps, and the first step there.
    reached: Vec<Option<(u32, Option<Direction>)>>,
    nearest_first: Vec<Point>,
}

impl Paths {
    /// Searches breadth-first from a spot; `None` before the first picture.
    pub fn from_spot(map: &DiscoveredMap, start: Point) -> Option<Self> {
        let size = map.size()?;
        let mut paths = Self { size, reached: vec![None; size.area()], nearest_first: vec![start] };
        paths.reached[size.index(start)] = Some((0, None));
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            let (steps, first) = paths.reached[size.index(at)].expect("queued spots are reached");
            for direction in Direction::ALL {
                let Some(next) = map.spot_beside(at, direction) else { continue };
                let reached = &mut paths.reached[size.index(next)];
                if reached.is_none() {
                    *reached = Some((steps + 1, first.or(Some(direction))));
                    paths.nearest_first.push(next);
                    queue.push_back(next);
                }
            }
        }
        Some(paths)
    }

    /// Every spot that can be reached, nearest first; the start is the first of them.
    pub fn nearest_first(&self) -> &[Point] {
        &self.nearest_first
    }

    /// The length of the path in steps, if there is one.
    pub fn steps_to(&self, to: Point) -> Option<u32> {
        Some(self.reached.get(self.size.index(to)).copied()??.0)
    }

    /// The first step of the path; `None` if there is no path, or for the start itself.
    pub fn first_step_to(&self, to: Point) -> Option<Direction> {
        self.reached.get(self.size.index(to)).copied()??.1
    }
}
