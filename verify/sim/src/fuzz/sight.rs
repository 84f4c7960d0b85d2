//! Line of sight on any map: the sweep agrees with the literal rule for every gridpoint.

use nuggets_game::{Map, Sight, SightRule, is_visible};

use crate::fuzz::script::FuzzBytes;

const MAX_TILES: usize = 1200;

/// Compares both on one map: the first byte sets the number of columns, the second the viewpoint, the rest are tiles.
pub fn sight(data: &[u8]) {
    let mut script = FuzzBytes::new(data);
    let cols = usize::from(script.below(60)) + 1;
    let from = usize::from(script.byte());
    let tiles = script.take(MAX_TILES).iter().map(|byte| b"....#|. "[usize::from(byte % 8)]);
    let drawn: Vec<u8> = tiles.collect();
    let rows: Vec<&[u8]> = drawn.chunks(cols).collect();
    let Ok(parsed) = Map::parse(&rows.join(&b'\n')) else { return };
    let map = parsed.map;
    let from = map.points().nth(from * 7 % map.tiles().len()).expect("on the map");
    for rule in [SightRule::DarkPassages, SightRule::StraightPassages] {
        let seen = Sight::new(map.clone(), rule).visible_from(from);
        for (index, to) in map.points().enumerate() {
            let visible = is_visible(&map, rule, from, to);
            assert_eq!(seen.contains(index), visible, "{rule:?} from {from} to {to} on\n{map}");
        }
    }
}
