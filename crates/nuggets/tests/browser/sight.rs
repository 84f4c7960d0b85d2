//! `web/sight.js` against the game: the same line of sight from every spot of every map.

use nuggets_game::map::shipped::ALL;
use nuggets_game::{Map, Point, Sight, SightRule};
use serde_json::json;

use crate::browser::Browser;

const SIGHT_JS: &str = include_str!("../../../../web/sight.js");

/// For each spot that is asked for: `1` where something is visible, `0` elsewhere.
const VISIBLE: &str = "(lines, spots, vision) => {
    const cols = lines[0].length;
    const cells = Uint8Array.from([...lines.join('')], (c) => c.charCodeAt(0));
    return spots.map((spot) => sight.visible(cells, lines.length, cols, spot, vision).join(''));
}";

/// The spots of a map, by their place in it.
fn spots(map: &Map) -> Vec<usize> {
    let tiles = map.tiles().iter().enumerate();
    tiles.filter(|(_, tile)| tile.is_spot()).map(|(index, _)| index).collect()
}

/// What the game says, written as `VISIBLE` does.
fn expected(sight: &Sight, spot: usize) -> String {
    let cols = usize::from(sight.map().cols());
    let part = |part: usize| u16::try_from(part).unwrap();
    let seen = sight.visible_from(Point::new(part(spot / cols), part(spot % cols)));
    let cells = 0..sight.map().tiles().len();
    cells.map(|index| if seen.contains(index) { '1' } else { '0' }).collect()
}

#[test]
fn every_spot_of_every_map_has_the_line_of_sight_of_the_game() {
    let browser = Browser::start();
    let page = browser.profile().page("sight");
    let source = serde_json::to_string(SIGHT_JS).unwrap();
    page.eval(&format!(
        "import('data:text/javascript;charset=utf-8,' + encodeURIComponent({source}))
            .then((module) => {{ window.sight = module; }})"
    ));
    for shipped in ALL {
        let map = shipped.map();
        let lines: Vec<&str> = shipped.text.lines().collect();
        let spots = spots(&map);
        for vision in [None, Some(5)] {
            let sight = Sight::new(map.clone(), SightRule::DarkPassages).within(vision);
            let args = [json!(lines), json!(spots), json!(vision)].map(|value| value.to_string());
            let found = page.eval(&format!("({VISIBLE})({})", args.join(", ")));
            for (spot, found) in spots.iter().zip(found.as_array().unwrap()) {
                let place = format!("spot {spot} of {}, vision {vision:?}", shipped.name);
                assert_eq!(found.as_str().unwrap(), expected(&sight, *spot), "{place}");
            }
        }
    }
}
