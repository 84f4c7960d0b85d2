//! Getting out of a swap deadlock: two players who step onto each other change places, and each
//! step of one undoes the other's. One of them has to wait, or to sprint: a sprint continues
//! through players. A player who sprints back and forth through us can push us around as well.

use nuggets_atlas::{Direction, Picture, Point, Scene, Stroke};

use crate::rng::BotRng;

/// The number of recent places that are remembered.
const REMEMBERED_PLACES: usize = 6;
/// The number of visits to one of them that counts as a lack of progress.
const MAX_VISITS: usize = 3;

/// Detects a player that blocks our path, and changes our key.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeadlockBreaker {
    places: [Option<Point>; REMEMBERED_PLACES],
    next: usize,
    rng: Option<BotRng>,
}

impl DeadlockBreaker {
    /// Returns the key to press in place of this one: in a deadlock nothing or a sprint, at random. Each letter has its
    /// own random numbers, so that two players don't do the same.
    pub(crate) fn replace_blocked(
        &mut self,
        stroke: Stroke,
        scene: &Scene,
        picture: &Picture,
    ) -> Option<Stroke> {
        let you = picture.you()?;
        self.places[self.next % REMEMBERED_PLACES] = Some(you);
        self.next += 1;
        let visits = self.places.iter().filter(|&&place| place == Some(you)).count();
        if visits < MAX_VISITS {
            return Some(stroke);
        }
        let letter = u64::from(scene.letter().map_or(0, u32::from));
        let rng = self.rng.get_or_insert_with(|| BotRng::new(letter));
        let (Stroke::Step(way) | Stroke::Sprint(way)) = stroke;
        match (rng.below(4), is_beside_a_player(picture, you)) {
            (0 | 1, true) => None,
            (2, true) => Some(Stroke::Sprint(way)),
            // The player that pushes us around is not here now: any direction will do.
            (2, false) => rng.pick(&Direction::ALL).map(Stroke::Sprint),
            _ => Some(stroke),
        }
    }
}

fn is_beside_a_player(picture: &Picture, you: Point) -> bool {
    let beside = Direction::ALL.into_iter().filter_map(|way| picture.size().beside(you, way));
    beside.map(|at| picture.cell(at)).any(|cell| cell.is_ascii_uppercase())
}
