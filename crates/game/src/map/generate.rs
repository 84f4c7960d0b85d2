//! Map generation: a blueprint and a seed give one map, the same on every run and platform.
//!
//! The area is divided into one plot for each room (`plots`), each plot gets a floor (`floor_designs`),
//! boundaries follow from the floors (`draft`), and passages are dug through the rest (`passages`, along
//! the routes that `route` finds). The result is checked against the same rules as any map; if it
//! breaks one, the next attempt is made. If all attempts fail there is a plain map that always fits
//! (`plain`). So generation can't fail.

mod area;
mod blueprint;
mod draft;
mod floor;
mod floor_designs;
mod passages;
mod plain;
mod plots;
mod route;

pub use blueprint::{Blueprint, BlueprintError, MapStyle, UnknownStyle};

use self::draft::Draft;
use super::{Map, check};
use crate::{Rng, Rules, Seed};

/// Attempts before the plain map. Later ones fill their plots better.
const MAX_ATTEMPTS: u32 = 24;

/// The map for this blueprint and seed: valid (`check::violations` finds none), with enough room spots
/// for the default rules, and exactly the size and number of rooms of the blueprint.
///
/// ```
/// use nuggets_game::Seed;
/// use nuggets_game::map::{check, generate::{Blueprint, generate}};
///
/// let map = generate(&Blueprint::default(), Seed::new(7));
/// assert_eq!((map.rows(), map.cols()), (21, 79));
/// assert_eq!(check::violations(&map), []);
/// assert_eq!(map, generate(&Blueprint::default(), Seed::new(7)));
/// ```
pub fn generate(blueprint: &Blueprint, seed: Seed) -> Map {
    try_all(*blueprint, seed).unwrap_or_else(|| plain::draw(*blueprint))
}

fn try_all(blueprint: Blueprint, seed: Seed) -> Option<Map> {
    let mut rng = Rng::new(seed);
    (0..MAX_ATTEMPTS).find_map(|turn| draw(blueprint, turn, &mut rng))
}

/// One attempt, `None` if the map is not valid. `turn` counts the attempts from 0.
fn draw(blueprint: Blueprint, turn: u32, rng: &mut Rng) -> Option<Map> {
    let plots = plots::divide(blueprint, rng);
    let mut draft = Draft::new(blueprint, rng);
    for (room, plot) in (0..).zip(&plots) {
        draft.lay(room, plot, &floor_designs::design(blueprint.style(), plot, turn, rng));
    }
    draft.raise_walls();
    passages::dig(&mut draft, &plots, rng);
    let map = draft.map;
    let is_valid = check::violations(&map).is_empty()
        && Rules::default().check_room(&map).is_ok()
        && check::rooms(&map).len() == usize::from(blueprint.rooms());
    is_valid.then_some(map)
}

/// Draws that only map generation needs.
impl Rng {
    /// A whole number from `low` to `high`, both included; `low` if there is none between.
    fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.index(high.saturating_sub(low) + 1)
    }

    /// True with a probability of one in `times`.
    fn once_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }
}

#[cfg(test)]
mod tests;
