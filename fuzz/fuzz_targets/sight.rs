//! The sweep sees the same as the rule line by line, on whatever map the fuzzer draws.
//!
//! `cargo +nightly fuzz run sight`. The first byte is the number of columns, the second says from
//! where to look, the rest are tiles.

#![no_main]

use libfuzzer_sys::fuzz_target;
use nuggets_game::{Map, Sight, SightRule, is_visible};

const MOST_TILES: usize = 1200;

fuzz_target!(|bytes: &[u8]| {
    let [cols, from, tiles @ ..] = bytes else { return };
    let cols = usize::from(*cols % 60) + 1;
    let drawn: Vec<u8> = tiles.iter().take(MOST_TILES).map(|byte| b"....#|. "[usize::from(byte % 8)]).collect();
    let rows: Vec<&[u8]> = drawn.chunks(cols).collect();
    let Ok(parsed) = Map::parse(&rows.join(&b'\n')) else { return };
    let map = parsed.map;
    let from = map.points().nth(usize::from(*from) * 7 % map.tiles().len()).expect("on the map");
    for rule in [SightRule::DarkPassages, SightRule::StraightPassages] {
        let seen = Sight::new(map.clone(), rule).from(from);
        for (index, to) in map.points().enumerate() {
            let visible = is_visible(&map, rule, from, to);
            assert_eq!(seen.contains(index), visible, "{rule:?} from {from} to {to} on\n{map}");
        }
    }
});
