//! The sweep compared with the sight rule line by line, and that with the rule word for word.

use proptest::prelude::*;

use super::*;
use crate::{is_visible, shipped};

const BOTH: [SightRule; 2] = [SightRule::DarkPassages, SightRule::StraightPassages];

/// The rule word for word: for every line strictly between, take all its gridpoints closer than one
/// to the segment, and check whether one of them is transparent.
fn literally_visible(map: &Map, rule: SightRule, from: Point, to: Point) -> bool {
    let grid = |at: Point| [i64::from(at.row), i64::from(at.col)];
    let start = grid(from);
    let end = grid(to);
    let straight = start[0] == end[0] || start[1] == end[1];
    let transparent = |tile: Tile| {
        let lit_passage = rule == SightRule::StraightPassages && straight;
        tile == Tile::Room || lit_passage && tile == Tile::Passage
    };
    if rule == SightRule::StraightPassages && map.tile(to) == Some(Tile::Rock) {
        return false;
    }
    let blocked_on = |axis: usize, line: i64| {
        let other = 1 - axis;
        let length = (end[axis] - start[axis]).abs();
        // Where the segment crosses the line, and where gridpoints are, both times the length.
        let crossing =
            start[other] * length + (end[other] - start[other]) * (line - start[axis]).abs();
        let near = map.points().filter(|at| {
            grid(*at)[axis] == line && (grid(*at)[other] * length - crossing).abs() < length
        });
        !near.into_iter().any(|at| map.tile(at).is_some_and(transparent))
    };
    (0..2).all(|axis| {
        let low = start[axis].min(end[axis]);
        let high = start[axis].max(end[axis]);
        (low + 1..high).all(|line| !blocked_on(axis, line))
    })
}

/// The sweep and the cache, which rooms share, agree with the sight rule.
fn check_sight(sights: &[Sight; 2], from: Point) {
    for sight in sights {
        let (map, rule) = (sight.map(), sight.rule());
        let (swept, seen) = (sight.field_of_view(from), sight.visible_from(from));
        for (index, to) in map.points().enumerate() {
            let visible = is_visible(map, rule, from, to);
            assert_eq!(swept.contains(index), visible, "{rule:?} from {from} to {to} on\n{map}");
            assert_eq!(seen.contains(index), visible, "{rule:?} from {from} to {to} on\n{map}");
        }
    }
}

fn sights(map: &Map) -> [Sight; 2] {
    BOTH.map(|rule| Sight::new(map.clone(), rule))
}

/// Random tiles, mostly room spots; the more of them, the farther lines of sight reach.
fn any_map(rows: usize, cols: usize) -> impl Strategy<Value = Map> {
    (1..rows, 1..cols, 1..12u32)
        .prop_flat_map(|(rows, cols, rooms)| {
            let tile = prop_oneof![
                4 * rooms => Just(b'.'),
                2 => Just(b'#'),
                2 => Just(b'|'),
                1 => Just(b' '),
            ];
            prop::collection::vec(prop::collection::vec(tile, cols), rows)
        })
        .prop_map(|rows| Map::parse(&rows.join(&b'\n')).unwrap().map)
}

proptest! {
    #[test]
    fn line_by_line_equals_the_rule_word_for_word(map in any_map(9, 9), pick: prop::sample::Index) {
        let from = map.points().nth(pick.index(map.tiles().len())).unwrap();
        for rule in BOTH {
            for to in map.points() {
                let (line, word) =
                    (is_visible(&map, rule, from, to), literally_visible(&map, rule, from, to));
                prop_assert_eq!(line, word, "{:?} from {} to {} on\n{}", rule, from, to, map);
            }
        }
    }


    #[test]
    fn sight_is_the_same_in_both_directions(map in any_map(10, 12)) {
        for rule in BOTH {
            let sight = Sight::new(map.clone(), rule);
            for (here, there) in pairs(&map.spots()) {
                let index = |at| map.index(at);
                prop_assert_eq!(
                    sight.visible_from(here).contains(index(there)),
                    sight.visible_from(there).contains(index(here)),
                    "{} and {}", here, there
                );
            }
        }
    }

    #[test]
    fn a_gridpoint_and_its_neighbours_are_always_visible(map in any_map(10, 12)) {
        let sight = Sight::new(map.clone(), SightRule::DarkPassages);
        for at in map.points() {
            let seen = sight.visible_from(at);
            let near = Direction::ALL.into_iter().filter_map(|direction| at.step(direction));
            let near = near.filter(|next| map.tile(*next).is_some()).chain([at]);
            prop_assert!(near.into_iter().all(|next| seen.contains(map.index(next))));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn the_sweep_equals_line_by_line(map in any_map(24, 30), pick: prop::sample::Index) {
        check_sight(&sights(&map), map.points().nth(pick.index(map.tiles().len())).unwrap());
    }
}

fn pairs(points: &[Point]) -> impl Iterator<Item = (Point, Point)> + '_ {
    let earlier = |index: usize| points[..index].iter().copied();
    points.iter().enumerate().flat_map(move |(index, at)| earlier(index).map(|other| (*at, other)))
}

#[test]
fn the_sweep_equals_line_by_line_on_the_shipped_maps() {
    for shipped in shipped::ALL {
        let sights = sights(&shipped.map());
        for from in sights[0].map().spots() {
            check_sight(&sights, from);
        }
    }
}

/// Large enough for large fractions: a field of the maximum size, with pillars.
#[test]
fn the_sweep_equals_line_by_line_on_the_largest_map() {
    let mut rng = crate::Rng::new(crate::Seed::new(1));
    let mut row = || {
        let mut tile = || if rng.below(100) < 3 { '+' } else { '.' };
        (0..255).map(|_| tile()).collect::<String>()
    };
    let field: Vec<String> = (0..255).map(|_| row()).collect();
    let map = Map::parse(field.join("\n").as_bytes()).unwrap().map;
    let sights = sights(&map);
    for from in [Point::new(0, 0), Point::new(127, 3), Point::new(254, 200)] {
        check_sight(&sights, from);
    }
}

/// Small rooms and parts of them, at the edges of the map too: most of their spots share a field of view.
#[test]
fn every_spot_of_every_small_map_has_the_field_of_view_of_the_rule() {
    let mut rng = crate::Rng::new(crate::Seed::new(1));
    for _ in 0..3_000 {
        let mut tile = || b"......|# "[rng.index(9)];
        let rows: Vec<Vec<u8>> = (0..4).map(|_| (0..4).map(|_| tile()).collect()).collect();
        let sights = sights(&Map::parse(&rows.join(&b'\n')).unwrap().map);
        sights[0].map().points().for_each(|from| check_sight(&sights, from));
    }
}

#[test]
fn the_spots_of_a_rectangular_room_share_a_field_of_view_unless_they_see_through_its_door() {
    let map = Map::parse(b"+---+\n|...|\n|...##\n+---+\n").unwrap().map;
    let [dark, straight] = sights(&map);
    let two = [Point::new(1, 1), Point::new(2, 3)];
    let is_shared = |sight: &Sight| {
        let [one, other] = two.map(|at| sight.visible_from(at));
        Arc::ptr_eq(&one, &other)
    };
    assert_eq!([is_shared(&dark), is_shared(&straight)], [true, false]);
}

/// Draws what is visible from `@`, which stands on a room spot; `?` is what is not visible.
fn check(rule: SightRule, map: &str, seen: &str) {
    let at = map.trim_start().lines().enumerate().find_map(|(row, line)| {
        Some(Point::new(u16::try_from(row).unwrap(), u16::try_from(line.find('@')?).unwrap()))
    });
    let at = at.expect("an @ on the map");
    let map = Map::parse(map.trim_start().replace('@', ".").as_bytes()).unwrap().map;
    let sight = Sight::new(map.clone(), rule);
    let view = sight.visible_from(at);
    let mut drawn = String::new();
    for (index, (point, tile)) in map.points().zip(map.tiles()).enumerate() {
        drawn.push(match tile {
            _ if point == at => '@',
            tile if view.contains(index) => tile.as_byte().into(),
            _ => '?',
        });
        if point.col + 1 == map.cols() {
            drawn.push('\n');
        }
    }
    assert_eq!(format!("\n{drawn}"), seen, "{rule:?}");
}

#[test]
fn a_pillar_hides_only_what_is_straight_behind_it() {
    check(
        SightRule::DarkPassages,
        "
+---------+
|.........|
|@..+.....|
|.........|
+---------+
",
        "
+---------+
|.........|
|@..+??????
|.........|
+---------+
",
    );
}

#[test]
fn two_neighbours_that_both_block_hide_what_is_between_them() {
    check(
        SightRule::DarkPassages,
        "
........
@..+....
...+....
........
........
",
        "
........
@..+????
...+????
......??
........
",
    );
}

#[test]
fn passages_are_opaque_but_in_2019_visible_along_row_and_column() {
    let map = "
+----+    +---+
|.@..######...|
+----+    +---+
";
    check(
        SightRule::DarkPassages,
        map,
        "
+----+?????????
|.@..#?????????
+----+?????????
",
    );
    check(
        SightRule::StraightPassages,
        map,
        "
+----+?????????
|.@..######...|
+----+?????????
",
    );
}

#[test]
fn a_field_of_view_is_computed_once_and_shared() {
    let sight = Sight::new(shipped::ALL[0].map(), SightRule::DarkPassages);
    let spot = sight.map().room_spots()[0];
    assert!(Arc::ptr_eq(&sight.visible_from(spot), &sight.visible_from(spot)));
}

#[test]
fn beyond_the_byte_budget_a_field_of_view_is_computed_again() {
    let sight = Sight::new(shipped::ALL[0].map(), SightRule::DarkPassages);
    sight.cached_bytes.store(MAX_CACHED_BYTES, Ordering::Relaxed);
    let spot = sight.map().room_spots()[0];
    let once = sight.visible_from(spot);
    let again = sight.visible_from(spot);
    assert!(!Arc::ptr_eq(&once, &again));
    assert_eq!(once, again);
    assert_eq!(sight.cached_bytes.load(Ordering::Relaxed), MAX_CACHED_BYTES);
}
