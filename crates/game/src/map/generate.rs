//! Drawing a new map: a blueprint and a seed give one map, the same on every run and platform.
//!
//! The area is divided into one plot for each room (`plots`), each plot gets a floor (`floors`),
//! boundaries follow from the floors (`draft`), and passages are dug through what is left
//! (`tunnels`, by the routes that `route` finds). Whatever comes out is held to the same rules as
//! anybody's map; if it breaks one, the next draw is tried. Should every try fail there is a plain
//! map that always fits (`plain`). So drawing can't fail.

mod area;
mod blueprint;
mod draft;
mod floor;
mod floors;
mod plain;
mod plots;
mod route;
mod tunnels;

pub use blueprint::{Blueprint, BlueprintError, Style, UnknownStyle};

use self::draft::Draft;
use super::Map;
use crate::{Chance, Rules, Seed};

/// So many draws before the plain map. Later ones fill their plots better.
const TRIES: u32 = 24;

/// The map that this blueprint and seed describe: drawn by the rules (`Map::faults` finds nothing),
/// with room for a game by the default rules, of exactly the size and number of rooms asked for.
///
/// ```
/// use nuggets_game::{Blueprint, Seed, generate};
///
/// let map = generate(&Blueprint::default(), Seed::new(7));
/// assert_eq!((map.rows(), map.cols()), (21, 79));
/// assert_eq!(map.faults(), []);
/// assert_eq!(map, generate(&Blueprint::default(), Seed::new(7)));
/// ```
pub fn generate(blueprint: &Blueprint, seed: Seed) -> Map {
    try_all(*blueprint, seed).unwrap_or_else(|| plain::draw(*blueprint))
}

fn try_all(blueprint: Blueprint, seed: Seed) -> Option<Map> {
    let mut chance = Chance::new(seed);
    (0..TRIES).find_map(|turn| draw(blueprint, turn, &mut chance))
}

/// One try. It is thrown away unless everything that is promised holds.
fn draw(blueprint: Blueprint, turn: u32, chance: &mut Chance) -> Option<Map> {
    let plots = plots::divide(blueprint, chance);
    let mut draft = Draft::new(blueprint, chance);
    for (room, plot) in (0..).zip(&plots) {
        draft.lay(room, plot, &floors::design(blueprint.style(), plot, turn, chance));
    }
    draft.raise_walls();
    tunnels::dig(&mut draft, &plots, chance);
    let map = draft.into_map();
    let whole = map.faults().is_empty()
        && Rules::default().check_room(&map).is_ok()
        && map.rooms() == usize::from(blueprint.rooms());
    whole.then_some(map)
}

/// Draws that only a map maker needs.
impl Chance {
    /// A whole number from `low` to `high`, both included; `low` if there is none between.
    fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.index(high.saturating_sub(low) + 1)
    }

    /// True once in so many times.
    fn once_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }
}

#[cfg(test)]
mod tests;
