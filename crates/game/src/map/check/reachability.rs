//! Map reachability: connected components of a map, and the spots that are cut off from the rest.

use crate::{Direction, Map, Point, PointSet, Tile};

/// The first spot of every component but the largest, and its number of gridpoints, by straight
/// steps. Unknown gridpoints can be passed.
pub(super) fn cut_off(map: &Map, unknown: &PointSet) -> Vec<(Point, usize)> {
    let can_pass = |at: Point| {
        map.tile(at).is_some_and(|tile| tile.is_spot() || unknown.contains(map.index(at)))
    };
    let components = components(map, map.spots(), &Direction::STRAIGHT, can_pass);
    let mut sizes: Vec<_> = components.iter().map(|part| (part[0], part.len())).collect();
    let largest = sizes.iter().map(|(_, size)| *size).max();
    let main = sizes.iter().position(|(_, size)| Some(*size) == largest);
    main.map(|main| sizes.remove(main));
    sizes
}

/// The number of components of all spots, by steps in these directions.
pub(in crate::map) fn count_components(map: &Map, directions: &[Direction]) -> usize {
    let is_spot = |at| map.tile(at).is_some_and(Tile::is_spot);
    components(map, map.spots(), directions, is_spot).len()
}

/// The spots of each room: room spots that are connected, in any direction, are one room.
pub(in crate::map) fn rooms(map: &Map) -> Vec<Vec<Point>> {
    let is_room = |at| map.tile(at) == Some(Tile::Room);
    components(map, map.room_spots(), &Direction::ALL, is_room)
}

/// The gridpoints of every component that holds one of the starts; the first of its starts comes first.
fn components(
    map: &Map,
    starts: Vec<Point>,
    directions: &[Direction],
    can_pass: impl Fn(Point) -> bool,
) -> Vec<Vec<Point>> {
    let mut reached = PointSet::empty(map.tiles().len());
    let mut flood = |start: Point| {
        // The gridpoints found so far; those from `next` on have not been looked around from.
        let mut part = vec![];
        let mut reach = |at: Point, part: &mut Vec<Point>| {
            if !reached.contains(map.index(at)) {
                reached.insert(map.index(at));
                part.push(at);
            }
        };
        reach(start, &mut part);
        let mut next = 0;
        while let Some(at) = part.get(next).copied() {
            next += 1;
            let around = directions.iter().filter_map(|direction| at.step(*direction));
            around.filter(|at| can_pass(*at)).for_each(|at| reach(at, &mut part));
        }
        part
    };
    starts.into_iter().map(&mut flood).filter(|part| !part.is_empty()).collect()
}
