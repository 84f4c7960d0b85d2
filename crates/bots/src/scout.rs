//! The scout: steps to the nearest visible gold, or else to the nearest unknown part of the map.

use nuggets_atlas::{Explorer, Scene, Stroke};

use crate::Brain;
use crate::deadlock::DeadlockBreaker;

/// A brain without a plan that explores.
///
/// ```
/// use nuggets_bots::{Brain, Scout};
/// # use nuggets_atlas::Scene;
/// # let mut scene = Scene::default();
/// # scene.handle_bytes(b"DISPLAY\n#.@..*|\n").unwrap();
/// // #.@..*|
/// assert_eq!(Scout::default().next_key(&scene).map(|stroke| stroke.key()), Some(b'l'));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scout {
    explorer: Explorer,
    deadlock: DeadlockBreaker,
}

impl Brain for Scout {
    fn next_key(&mut self, scene: &Scene) -> Option<Stroke> {
        let picture = scene.picture()?;
        let step = self.explorer.next_step(picture)?;
        self.deadlock.replace_blocked(Stroke::Step(step), scene, picture)
    }

    fn observe(&mut self, scene: &Scene) {
        if let Some(picture) = scene.picture() {
            self.explorer.observe(picture);
        }
    }
}
