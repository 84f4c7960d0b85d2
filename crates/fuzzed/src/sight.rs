//! Sight on any map: the sweep sees the same as the rule, line by line.

use nuggets_game::{Map, Sight, SightRule, is_visible};

use crate::script::Script;

const MOST_TILES: usize = 1200;

/// The first byte is the number of columns, the second says from where to look, the rest are tiles.
pub fn sight(data: &[u8]) {
    let mut script = Script::new(data);
    let (cols, from) = (usize::from(script.below(60)) + 1, usize::from(script.byte()));
    let tiles = script.take(MOST_TILES).iter().map(|byte| b"....#|. "[usize::from(byte % 8)]);
    let drawn: Vec<u8> = tiles.collect();
    let rows: Vec<&[u8]> = drawn.chunks(cols).collect();
    let Ok(parsed) = Map::parse(&rows.join(&b'\n')) else { return };
    let map = parsed.map;
    let from = map.points().nth(from * 7 % map.tiles().len()).expect("on the map");
    for rule in [SightRule::DarkPassages, SightRule::StraightPassages] {
        let seen = Sight::new(map.clone(), rule).from(from);
        for (index, to) in map.points().enumerate() {
            let visible = is_visible(&map, rule, from, to);
            assert_eq!(seen.contains(index), visible, "{rule:?} from {from} to {to} on\n{map}");
        }
    }
}
