//! Shortest ways over the known ground, step by step in all eight directions.

use std::collections::VecDeque;

use crate::{Direction, Ground, Point, Size};

/// How to get from one spot to every other that can be reached, nearest first.
///
/// ```
/// use nuggets_atlas::{Direction, Ground, Point, Scene, Ways};
/// use nuggets_protocol::ServerMessage;
///
/// let mut scene = Scene::default();
/// scene.take(&ServerMessage::parse(b"DISPLAY\n@.-..\n|.-..\n--#--\n").unwrap()).unwrap();
/// let mut ground = Ground::default();
/// ground.take(scene.picture().unwrap());
///
/// let ways = Ways::from(&ground, Point::new(0, 0)).unwrap();
/// assert_eq!(ways.steps_to(Point::new(0, 4)), Some(4));
/// assert_eq!(ways.first_step_to(Point::new(0, 4)), Some(Direction::DownRight));
/// assert_eq!(ways.steps_to(Point::new(0, 2)), None, "a wall");
/// ```
#[derive(Clone, Debug)]
pub struct Ways {
    size: Size,
    /// For each gridpoint that can be reached: how far it is, and the first step there.
    reached: Vec<Option<(u32, Option<Direction>)>>,
    nearest_first: Vec<Point>,
}

impl Ways {
    /// All ways from here; none before anything is known.
    pub fn from(ground: &Ground, start: Point) -> Option<Self> {
        let size = ground.size()?;
        let mut ways = Self { size, reached: vec![None; size.area()], nearest_first: vec![start] };
        ways.reached[size.index(start)] = Some((0, None));
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            let (steps, first) = ways.reached[size.index(at)].expect("it was reached before");
            for way in Direction::ALL {
                let Some(next) = ground.spot_beside(at, way) else { continue };
                let place = &mut ways.reached[size.index(next)];
                if place.is_none() {
                    *place = Some((steps + 1, first.or(Some(way))));
                    ways.nearest_first.push(next);
                    queue.push_back(next);
                }
            }
        }
        Some(ways)
    }

    /// Every spot that can be reached, the start included, the nearest first.
    pub fn nearest_first(&self) -> &[Point] {
        &self.nearest_first
    }

    /// How many steps it takes to get there, if it can be reached.
    pub fn steps_to(&self, to: Point) -> Option<u32> {
        Some(self.reached.get(self.size.index(to)).copied()??.0)
    }

    /// The first of the steps there; none if it can't be reached or is where we are.
    pub fn first_step_to(&self, to: Point) -> Option<Direction> {
        self.reached.get(self.size.index(to)).copied()??.1
    }
}
