//! The wanderer: a random walk that mostly keeps its direction.

use nuggets_atlas::{Direction, Picture, Point, Scene, Stroke};

use crate::Brain;
use crate::rng::BotRng;

/// It turns for no reason once in this many steps.
const TURNS_ONCE_IN: u32 = 6;

/// A brain without a plan.
///
/// ```
/// use nuggets_bots::{Brain, Wanderer};
/// # use nuggets_atlas::Scene;
/// # let mut scene = Scene::default();
/// # scene.handle_bytes(b"DISPLAY\n|@.|\n").unwrap();
/// // |@.|
/// assert_eq!(Wanderer::new(7).next_key(&scene).map(|stroke| stroke.key()), Some(b'l'));
/// ```
#[derive(Clone, Debug)]
pub struct Wanderer {
    rng: BotRng,
    direction: Option<Direction>,
}

impl Wanderer {
    /// A wanderer whose random numbers come from this seed.
    pub fn new(seed: u64) -> Self {
        Self { rng: BotRng::new(seed), direction: None }
    }

    /// A random open direction; any direction if none is open, because the picture may be outdated.
    fn turn(&mut self, picture: &Picture, you: Point) -> Option<Direction> {
        let mut open = Direction::ALL;
        let mut count = 0;
        for direction in Direction::ALL {
            if is_open(picture, you, direction) {
                open[count] = direction;
                count += 1;
            }
        }
        self.rng.pick(&open[..count]).or_else(|| self.rng.pick(&Direction::ALL))
    }
}

impl Brain for Wanderer {
    fn next_key(&mut self, scene: &Scene) -> Option<Stroke> {
        let picture = scene.picture()?;
        let you = picture.you()?;
        let onward = self.direction.filter(|&direction| is_open(picture, you, direction));
        self.direction = match onward {
            Some(direction) if self.rng.below(TURNS_ONCE_IN) > 0 => Some(direction),
            _ => self.turn(picture, you),
        };
        self.direction.map(Stroke::Step)
    }
}

fn is_open(picture: &Picture, you: Point, direction: Direction) -> bool {
    let cell = picture.size().beside(you, direction).map_or(b' ', |next| picture.cell(next));
    !matches!(cell, b' ' | b'-' | b'|' | b'+')
}
