//! Properties of all generated maps, and of most of them.

use super::*;
use crate::{Direction, Point, Tile};

fn blueprint(rows: u16, cols: u16, rooms: Option<u16>, style: MapStyle) -> Blueprint {
    Blueprint::new(rows, cols, rooms, style).unwrap()
}

/// A thousand blueprints with their seeds: all styles, sizes from the minimum up, few rooms and many.
fn thousand() -> impl Iterator<Item = (Blueprint, Seed)> {
    let sizes = [(21, 79), (21, 79), (9, 20), (12, 40), (30, 25), (40, 100), (17, 60), (10, 150)];
    (0..1000).map(move |number: i64| {
        let mut rng = Rng::new(Seed::new(number));
        let (rows, cols) = sizes[rng.index(sizes.len())];
        let max = u32::from(plain::max_rooms(rows, cols));
        let rooms = 1 + u16::try_from(rng.below(max)).unwrap();
        let rooms = (!rng.once_in(2)).then_some(rooms);
        (blueprint(rows, cols, rooms, MapStyle::ALL[rng.index(3)]), Seed::new(number))
    })
}

#[test]
fn a_thousand_seeds_give_a_thousand_valid_maps() {
    for (blueprint, seed) in thousand() {
        let map = generate(&blueprint, seed);
        let what = || format!("{blueprint:?} {seed}\n{map}");
        let report = check::check(map.to_string().as_bytes(), &Rules::default());
        assert!(report.is_valid(), "{:?}\n{}", report.findings, what());
        assert_eq!((map.rows(), map.cols()), (blueprint.rows(), blueprint.cols()));
        assert_eq!(check::rooms(&map).len(), usize::from(blueprint.rooms()), "{}", what());
        let parsed = Map::parse(map.to_string().as_bytes()).unwrap();
        assert_eq!((&parsed.map, parsed.repairs.len()), (&map, 0));
    }
}

#[test]
fn the_plain_map_is_rarely_needed() {
    let is_plain = |(blueprint, seed): &(Blueprint, Seed)| try_all(*blueprint, *seed).is_none();
    let plain = thousand().step_by(5).filter(is_plain).count();
    assert_eq!(plain, 0, "of 200 blueprints");
}

#[test]
fn the_plain_map_is_valid_for_every_size_and_number_of_rooms() {
    for (rows, cols) in [(9, 20), (10, 27), (21, 79), (33, 41), (255, 20), (9, 255)] {
        for rooms in 1..=plain::max_rooms(rows, cols) {
            let map = plain::draw(blueprint(rows, cols, Some(rooms), MapStyle::Rooms));
            assert_eq!(check::violations(&map), [], "{rows}x{cols} {rooms}\n{map}");
            assert_eq!(Rules::default().check_room(&map), Ok(()));
            assert_eq!(check::rooms(&map).len(), usize::from(rooms));
        }
    }
}

#[test]
fn the_same_blueprint_and_seed_give_the_same_map_and_others_another() {
    for style in MapStyle::ALL {
        let blueprint = blueprint(21, 79, None, style);
        let maps: Vec<Map> = (0..20).map(|seed| generate(&blueprint, Seed::new(seed))).collect();
        assert_eq!(maps[7], generate(&blueprint, Seed::new(7)));
        let differs = |at: usize| maps[..at].iter().all(|earlier| *earlier != maps[at]);
        assert!((0..20).all(differs), "{style}");
    }
}

#[test]
fn the_largest_maps_can_be_drawn() {
    for style in MapStyle::ALL {
        for rooms in [None, Some(1), Some(plain::max_rooms(255, 255))] {
            let map = generate(&blueprint(255, 255, rooms, style), Seed::new(1));
            assert_eq!(check::violations(&map), [], "{style} {rooms:?}");
        }
    }
}

/// The number of maps, out of a hundred of the usual size, with some property.
fn count(style: MapStyle, has: impl Fn(&Map) -> bool) -> usize {
    let blueprint = blueprint(21, 79, None, style);
    (0..100).filter(|&seed| has(&generate(&blueprint, Seed::new(seed)))).count()
}

fn passages(map: &Map, fits: impl Fn(Vec<Direction>) -> bool) -> bool {
    let directions = |at: Point| {
        let directions = Direction::STRAIGHT.into_iter();
        directions.filter(|direction| map.spot_beside(at, *direction).is_some()).collect()
    };
    let mut spots = map.spots().into_iter().filter(|at| map.tile(*at) == Some(Tile::Passage));
    spots.any(|at| fits(directions(at)))
}

#[test]
fn passages_bend_and_fork_and_some_are_dead_ends() {
    let bends = |directions: Vec<Direction>| {
        directions.len() == 2 && directions[0].offset().0.abs() != directions[1].offset().0.abs()
    };
    for style in MapStyle::ALL {
        let bending = count(style, |map| passages(map, bends));
        let forking = count(style, |map| passages(map, |directions| directions.len() >= 3));
        let ending = count(style, |map| passages(map, |directions| directions.len() == 1));
        assert!(
            bending >= 85 && forking >= 85 && ending >= 70,
            "{style}: {bending} {forking} {ending}"
        );
    }
}

/// True if a room encloses rock or boundary.
fn has_hole(map: &Map) -> bool {
    // Flood from the edge through everything but rooms; anything not reached lies inside a room.
    let mut frontier: Vec<Point> = map
        .points()
        .filter(|at| {
            at.row == 0 || at.col == 0 || at.row + 1 == map.rows() || at.col + 1 == map.cols()
        })
        .collect();
    let mut reached = vec![false; map.tiles().len()];
    while let Some(at) = frontier.pop() {
        if !std::mem::replace(&mut reached[map.index(at)], true) {
            let next = Direction::STRAIGHT.into_iter().filter_map(|direction| at.step(direction));
            frontier.extend(next.filter(|next| map.tile(*next).is_some_and(|t| t != Tile::Room)));
        }
    }
    map.points().any(|at| !reached[map.index(at)] && map.tile(at) != Some(Tile::Room))
}

/// True if a boundary turns at a corner that stands in a room.
fn has_inner_corner(map: &Map) -> bool {
    use Direction::{Down, Left, Right, Up};
    let is_room =
        |at: Point, direction| at.step(direction).and_then(|at| map.tile(at)) == Some(Tile::Room);
    map.points().filter(|at| map.tile(*at) == Some(Tile::Corner)).any(|at| {
        [Up, Down].into_iter().any(|direction| is_room(at, direction))
            && [Left, Right].into_iter().any(|direction| is_room(at, direction))
    })
}

#[test]
fn not_all_rooms_are_rectangles_and_some_have_holes() {
    for (style, bent, holed) in
        [(MapStyle::Rooms, 95, 40), (MapStyle::CavesOfRooms, 95, 40), (MapStyle::Halls, 95, 95)]
    {
        let corners = count(style, has_inner_corner);
        assert!(corners >= bent, "{style}: {corners} of 100 have a room that is no rectangle");
        let holes = count(style, has_hole);
        assert!(holes >= holed, "{style}: {holes} of 100 have a room with a hole");
    }
}

#[test]
fn most_maps_have_loops() {
    for style in MapStyle::ALL {
        let has_loops = |map: &Map| {
            let sight = crate::Sight::new(map.clone(), crate::SightRule::DarkPassages);
            crate::map::stats::measure(&sight).loops > 0
        };
        assert!(count(style, has_loops) >= 95, "{style}");
    }
}

#[test]
fn an_impossible_blueprint_is_rejected_with_its_limits() {
    let rejection = |rows, cols, rooms| {
        Blueprint::new(rows, cols, rooms, MapStyle::Rooms).unwrap_err().to_string()
    };
    assert_eq!(
        rejection(8, 79, None),
        "a map of 8x79 (lines x columns) is too small for 26 players and 30 piles of gold: ask for 9 \
         lines and 20 columns at least"
    );
    assert_eq!(
        rejection(300, 300, None),
        "a map of 300x300 (lines x columns) is too large: its picture must fit one datagram. \
         255x255 does"
    );
    let rooms = "a map of 21x79 (lines x columns) can have 1 to 32 rooms, not ";
    assert_eq!(rejection(21, 79, Some(0)), format!("{rooms}0"));
    assert_eq!(rejection(21, 79, Some(33)), format!("{rooms}33"));
}

#[test]
fn styles_are_read_by_their_names() {
    for style in MapStyle::ALL {
        assert_eq!(style.to_string().parse(), Ok(style));
    }
    assert_eq!("castle".parse::<MapStyle>(), Err(UnknownStyle));
}

fn check_drawing(style: MapStyle, drawing: &str) {
    let map = generate(&blueprint(12, 40, None, style), Seed::new(1)).to_string();
    let lines: Vec<&str> = map.lines().map(str::trim_end).collect();
    assert_eq!(format!("\n{}", lines.join("\n").trim_end()), drawing, "{style}");
}

#[test]
fn rooms_look_like_this() {
    check_drawing(
        MapStyle::Rooms,
        "
                         +----------+
    +---+  +------+      |..........|
    |...|  |......|      |..........|
    |...|  |......|      |...+--+...|
    |...+--+......|      |...|  |...|
    |.............|      |...+--+...|
    |.............########..........|
    |.............|     #|..........|
    |.............|   # #+----------+
    |.............|   # #
    +-------------+   ###",
    );
}

#[test]
fn caves_look_like_this() {
    check_drawing(
        MapStyle::CavesOfRooms,
        "
   +---+       +------------+########
  ++...#########............##  +----+
 ++....|       ++..........++# ++....++
 |.....|        +#---------+ ###......|
 |.....|         #             ++.....|
 |.....|  +------#------+       |....++
++.....|  |.............++    ###....++
|......|  |..............###### |.....|
|....+-+  ++............++      ++....|
+----+     ++...........|        |...++
            +-----------+        +---+",
    );
}

#[test]
fn halls_look_like_this() {
    check_drawing(
        MapStyle::Halls,
        "

  +---------------------+-----------+
  |.....................|...........|
  |.....................#...........|
  |.....................|...........|
  |.....................|...........|
  |...+-------------+...|...........|
  |...+-------------+...|...........|
  |.....................|...........|
  |.....................|...........|
  +---------------------+-----------+",
    );
}
