//! Compares the bright part of a map with the game: the same field of view on every spot of every map, in the page of a player,
//! who is sent what is in sight, and in that of a replay, which computes it from the whole map (`web/sight.js`).

use std::collections::BTreeSet;

use nuggets_game::map::shipped;
use nuggets_game::{
    Direction, Game, Input, Map, Name, Point, Rules, Seed, Setup, Sight, SightRule, Stroke,
};
use nuggets_host::wire::runs_of;
use nuggets_protocol::Dialect;
use nuggets_testkit::Browser;
use serde_json::{Value, json};

use crate::modules::{Pictures, load};

/// For each spot that is asked for: runs of what is visible, as in the field `sight` of the protocol.
const VISIBLE: &str = "(lines, spots, rule) => {
    const cols = lines[0].length;
    const cells = Uint8Array.from([...lines.join('')], (c) => c.charCodeAt(0));
    return spots.map((spot) => runs(sight.visible(cells, lines.length, cols, spot, rule)));
}";

/// Applies the lines of a stream as the page of a player does; for each, where the player is, and runs of what is drawn
/// bright.
const BRIGHT: &str = "(lines) => {
    const game = new state.GameState();
    const view = new map.MapView(document.createElement('canvas'), {mode: 'tile'});
    game.handleHello({rows: lines[0].whole.length, cols: lines[0].whole[0].length, view: 'A', letter: 'A'});
    return lines.map((line) => {
        game.apply(line);
        if (line.whole) view.whole(line.whole);
        if (line.set) view.set(line.set);
        if (line.whole || line.sight) view.setSight(game.ground.sight);
        const bright = view.ground.tiles.map((tile, at) => (tile !== 32 && view.isInSight(at) ? 1 : 0));
        return [game.ground.you, runs(bright)];
    });
}";

/// Runs of the ones in a list: how many to skip, how many there are, and so on.
const RUNS: &str = "window.runs = (list) => {
    const runs = [];
    let end = 0;
    list.forEach((is, at) => {
        if (!is) return;
        if (runs.length && at === end) runs[runs.length - 1]++;
        else runs.push(at - end, 1);
        end = at + 1;
    });
    return runs;
}";

fn point(map: &Map, index: usize) -> Point {
    let part = |part: usize| u16::try_from(part).unwrap();
    Point::new(part(index / usize::from(map.cols())), part(index % usize::from(map.cols())))
}

/// The spots of a map, by their place in it.
fn spots(map: &Map) -> BTreeSet<usize> {
    let tiles = map.tiles().iter().enumerate();
    tiles.filter(|(_, tile)| tile.is_spot()).map(|(index, _)| index).collect()
}

/// What the game says is visible; `is_shown` leaves out what does not count.
fn expected(sight: &Sight, spot: usize, is_shown: impl Fn(usize) -> bool) -> Value {
    let seen = sight.visible_from(point(sight.map(), spot));
    json!(runs_of(seen.iter().filter(|at| is_shown(*at))))
}

#[test]
fn every_spot_of_every_map_has_the_line_of_sight_of_the_game() {
    let browser = Browser::start();
    let page = browser.profile().page("sight");
    load(&page, &["sight"]);
    page.eval(RUNS);
    for shipped in shipped::ALL {
        let map = shipped.map();
        let lines: Vec<&str> = shipped.text.lines().collect();
        let spots = spots(&map);
        for (vision, rule) in [
            (None, SightRule::DarkPassages),
            (Some(5), SightRule::DarkPassages),
            (None, SightRule::StraightPassages),
            (Some(5), SightRule::StraightPassages),
        ] {
            let sight = Sight::new(map.clone(), rule).within(vision);
            let passages = rule == SightRule::StraightPassages;
            let rule = json!({"vision": vision, "passages": passages});
            let args = [json!(lines), json!(spots), rule].map(|value| value.to_string());
            let found = page.eval(&format!("({VISIBLE})({})", args.join(", ")));
            for (spot, found) in spots.iter().zip(found.as_array().unwrap()) {
                let place = format!("spot {spot} of {}, vision {vision:?}", shipped.name);
                assert_eq!(*found, expected(&sight, *spot, |_| true), "{place}, {passages}");
            }
        }
    }
}

/// The lines that a lone player is sent who walks everywhere except onto the only pile: depth first, and back again.
fn walk(map: &Map, vision: Option<u16>, seed: i64) -> Vec<Value> {
    let rules = Rules { vision, min_piles: 1, max_piles: 1, ..Rules::default() };
    let setup = Setup::new(map.clone(), rules, Seed::new(seed), Dialect::V2021);
    let mut game = Game::new(&setup).unwrap();
    game.apply(Input::Join(Name::new(b"walker").unwrap()), &mut vec![]);
    let player = game.players()[0].letter();
    let start = game.player(player).at().unwrap();
    let mut visited: BTreeSet<Point> = game.piles().map(|(pile, _)| pile).chain([start]).collect();
    let mut pictures = Pictures::of(map);
    let mut lines = vec![pictures.next(&game, player)];
    let mut path = vec![(start, None)];
    while let Some(&(at, from)) = path.last() {
        let step = Direction::ALL.into_iter().find_map(|direction| {
            let to = map.spot_beside(at, direction)?;
            visited.insert(to).then_some((to, direction))
        });
        let direction = if let Some((to, direction)) = step {
            path.push((to, Some(direction)));
            direction
        } else {
            path.pop();
            let Some(back) = from.map(opposite) else { break };
            back
        };
        game.apply(Input::Press(player, Stroke::Step(direction)), &mut vec![]);
        lines.push(pictures.next(&game, player));
    }
    lines
}

fn opposite(direction: Direction) -> Direction {
    let start = Point::new(1, 1);
    let there = start.step(direction).unwrap();
    Direction::ALL.into_iter().find(|back| there.step(*back) == Some(start)).unwrap()
}

#[test]
fn a_player_on_any_spot_of_any_map_is_shown_bright_what_the_game_says_is_in_sight() {
    let browser = Browser::start();
    let page = browser.profile().page("sight");
    load(&page, &["state", "map"]);
    page.eval(RUNS);
    for shipped in shipped::ALL {
        let map = shipped.map();
        let mut stood_on = BTreeSet::new();
        for (seed, vision) in [(1, None), (2, None), (3, Some(5))] {
            let sight = Sight::new(map.clone(), SightRule::DarkPassages).within(vision);
            let shown = page.eval(&format!("({BRIGHT})({})", json!(walk(&map, vision, seed))));
            for shown in shown.as_array().unwrap() {
                let spot = usize::try_from(shown[0].as_u64().unwrap()).unwrap();
                let is_shown = |at: usize| map.tiles()[at] != nuggets_game::Tile::Rock;
                let place = format!("spot {spot} of {}, vision {vision:?}", shipped.name);
                assert_eq!(shown[1], expected(&sight, spot, is_shown), "{place}");
                stood_on.insert(spot);
            }
        }
        assert_eq!(stood_on, spots(&map), "{} was walked everywhere", shipped.name);
    }
}
