//! Map reachability: connected components of a map, and the spots that are cut off from the rest.

use crate::{Direction, Map, Point, PointSet, Tile};

/// The first spot of every component but the largest, and its number of gridpoints, by straight
/// steps. Unknown gridpoints can be passed.
pub(super) fn cut_off(map: &Map, unknown: &PointSet) -> Vec<(Point, usize)> {
    let can_pass = |at: Point| {
        map.tile(at).is_some_and(|tile| tile.is_spot() || unknown.contains(map.index(at)))
    };
    let mut components = components(map, map.spots(), &Direction::STRAIGHT, can_pass);
    let largest = components.iter().map(|(_, size)| *size).max();
    let main = components.iter().position(|(_, size)| Some(*size) == largest);
    main.map(|main| components.remove(main));
    components
}

/// The number of components of all spots, by steps in these directions.
pub(in crate::map) fn count_components(map: &Map, directions: &[Direction]) -> usize {
    let is_spot = |at| map.tile(at).is_some_and(Tile::is_spot);
    components(map, map.spots(), directions, is_spot).len()
}

/// The number of rooms: room spots that are connected, in any direction, are one room.
pub(in crate::map) fn count_rooms(map: &Map) -> usize {
    let is_room = |at| map.tile(at) == Some(Tile::Room);
    components(map, map.room_spots(), &Direction::ALL, is_room).len()
}

/// The first of the starts in every component, and its number of gridpoints.
fn components(
    map: &Map,
    starts: Vec<Point>,
    directions: &[Direction],
    can_pass: impl Fn(Point) -> bool,
) -> Vec<(Point, usize)> {
    let mut reached = PointSet::empty(map.tiles().len());
    let mut flood = |start: Point| {
        let mut frontier = vec![start];
        let mut count = 0;
        while let Some(at) = frontier.pop() {
            if !reached.contains(map.index(at)) {
                reached.insert(map.index(at));
                count += 1;
                let next = directions.iter().filter_map(|direction| at.step(*direction));
                frontier.extend(next.filter(|next| can_pass(*next)));
            }
        }
        (start, count)
    };
    starts.into_iter().map(&mut flood).filter(|(_, size)| *size > 0).collect()
}
