//! The scout: the nearest gold in sight, or else where the known ground ends, step by step.

use nuggets_atlas::{Explorer, Scene, Stroke};

use crate::Brain;
use crate::patience::Patience;

/// A brain that explores by rote.
///
/// ```
/// use nuggets_bots::{Brain, Scout};
/// # use nuggets_atlas::Scene;
/// # use nuggets_protocol::ServerMessage;
/// # let mut scene = Scene::default();
/// # scene.take(&ServerMessage::parse(b"DISPLAY\n#.@..*|\n").unwrap()).unwrap();
/// // #.@..*|
/// assert_eq!(Scout::default().next_key(&scene).map(|stroke| stroke.key()), Some(b'l'));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scout {
    explorer: Explorer,
    patience: Patience,
}

impl Brain for Scout {
    fn next_key(&mut self, scene: &Scene) -> Option<Stroke> {
        let picture = scene.picture()?;
        let step = self.explorer.next_step(picture)?;
        self.patience.temper(Stroke::Step(step), scene, picture)
    }

    fn look(&mut self, scene: &Scene) {
        if let Some(picture) = scene.picture() {
            self.explorer.look(picture);
        }
    }
}
