//! Getting out of a jam. Two who want to go the same way and step onto each other change places for
//! ever: each step of one undoes that of the other. One of them has to wait, or to run past: a
//! sprint goes on through whoever stands there. Somebody who runs to and fro through us may push us
//! around in circles, too.

use nuggets_atlas::{Direction, Picture, Point, Scene, Stroke};

use crate::chance::Chance;

/// So many of the last places are remembered.
const MEMORY: usize = 6;
/// So often in one place, beside somebody, is no progress.
const STUCK: usize = 3;

/// Notices that somebody is in the way, and that we are in somebody's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patience {
    places: [Option<Point>; MEMORY],
    next: usize,
    chance: Option<Chance>,
}

impl Patience {
    /// What becomes of a key: in a jam it is time to wait, or to run past. By chance, which is
    /// another for every letter, so that not both do the same.
    pub(crate) fn temper(
        &mut self,
        stroke: Stroke,
        scene: &Scene,
        picture: &Picture,
    ) -> Option<Stroke> {
        let you = picture.you()?;
        self.places[self.next % MEMORY] = Some(you);
        self.next += 1;
        let times = self.places.iter().filter(|&&place| place == Some(you)).count();
        if times < STUCK {
            return Some(stroke);
        }
        let letter = u64::from(scene.letter().map_or(0, u32::from));
        let chance = self.chance.get_or_insert_with(|| Chance::new(letter));
        let (Stroke::Step(way) | Stroke::Sprint(way)) = stroke;
        match (chance.below(4), is_beside_somebody(picture, you)) {
            (0 | 1, true) => None,
            (2, true) => Some(Stroke::Sprint(way)),
            // Whoever pushes us around is not here now: anything else is as good.
            (2, false) => chance.pick(&Direction::ALL).map(Stroke::Sprint),
            _ => Some(stroke),
        }
    }
}

fn is_beside_somebody(picture: &Picture, you: Point) -> bool {
    let beside = Direction::ALL.into_iter().filter_map(|way| picture.size().beside(you, way));
    beside.map(|at| picture.cell(at)).any(|cell| cell.is_ascii_uppercase())
}
