//! The wanderer: a random walk that likes to go on the way it goes.

use nuggets_atlas::{Direction, Picture, Point, Scene, Stroke};

use crate::Brain;
use crate::chance::Chance;

/// Out of so many steps it turns once for no reason.
const TURNS_ONCE_IN: u32 = 6;

/// A brain without a plan.
///
/// ```
/// use nuggets_bots::{Brain, Wanderer};
/// # use nuggets_atlas::Scene;
/// # use nuggets_protocol::ServerMessage;
/// # let mut scene = Scene::default();
/// # scene.take(&ServerMessage::parse(b"DISPLAY\n|@.|\n").unwrap()).unwrap();
/// // |@.|
/// assert_eq!(Wanderer::new(7).next_key(&scene).map(|stroke| stroke.key()), Some(b'l'));
/// ```
#[derive(Clone, Debug)]
pub struct Wanderer {
    chance: Chance,
    way: Option<Direction>,
}

impl Wanderer {
    /// A wanderer whose chance comes from this seed.
    pub fn new(seed: u64) -> Self {
        Self { chance: Chance::new(seed), way: None }
    }

    /// Where nothing looks possible it tries its luck: a picture may be of a moment ago.
    fn turn(&mut self, picture: &Picture, you: Point) -> Option<Direction> {
        let mut open = Direction::ALL;
        let mut count = 0;
        for way in Direction::ALL {
            if is_open(picture, you, way) {
                open[count] = way;
                count += 1;
            }
        }
        self.chance.pick(&open[..count]).or_else(|| self.chance.pick(&Direction::ALL))
    }
}

impl Brain for Wanderer {
    fn next_key(&mut self, scene: &Scene) -> Option<Stroke> {
        let picture = scene.picture()?;
        let you = picture.you()?;
        let onward = self.way.filter(|&way| is_open(picture, you, way));
        self.way = match onward {
            Some(way) if self.chance.below(TURNS_ONCE_IN) > 0 => Some(way),
            _ => self.turn(picture, you),
        };
        self.way.map(Stroke::Step)
    }
}

fn is_open(picture: &Picture, you: Point, way: Direction) -> bool {
    let cell = picture.size().beside(you, way).map_or(b' ', |next| picture.cell(next));
    !matches!(cell, b' ' | b'-' | b'|' | b'+')
}
