//! Probing for spots that the server does not show. Some servers never draw the corners of passages, so that a known
//! passage seems to end there; a step into the blank finds out.

use nuggets_atlas::{Direction, DiscoveredMap, KnownTile, Point};

/// The directions around a gridpoint, each beside the next.
const RING: [Direction; 8] = [
    Direction::Up,
    Direction::UpRight,
    Direction::Right,
    Direction::DownRight,
    Direction::Down,
    Direction::DownLeft,
    Direction::Left,
    Direction::UpLeft,
];
/// The known neighbours of an end are at most this many: those of a door in a straight wall.
const MAX_END_NEIGHBOURS: usize = 3;

/// The steps into blanks that were tried.
#[derive(Clone, Debug, Default)]
pub(super) struct Probes {
    /// For every gridpoint a bit for each direction of `Direction::ALL`.
    tried: Vec<u8>,
}

impl Probes {
    /// Returns the best untried step into a blank from here: the one away from the known neighbours.
    pub(super) fn best(&self, map: &DiscoveredMap, at: Point) -> Option<Direction> {
        let size = map.size()?;
        let tried = self.tried.get(size.index(at)).copied().unwrap_or(0);
        let (down, right) = away(map, at);
        let untried =
            Direction::ALL.into_iter().enumerate().filter(|(bit, _)| tried >> bit & 1 == 0);
        let blank = untried.filter(|(_, way)| {
            size.beside(at, *way).is_some_and(|next| map.tile(next) == KnownTile::Rock)
        });
        // Among equal ones, the first wins, which is a straight one.
        let best = blank.max_by_key(|(bit, way)| {
            let offset = way.offset();
            (offset.0 * down + offset.1 * right, std::cmp::Reverse(*bit))
        });
        best.map(|(_, way)| way)
    }

    /// Notes that a step from here was tried.
    pub(super) fn note(&mut self, map: &DiscoveredMap, at: Point, way: Direction) {
        self.tried.resize(map.tiles().len(), 0);
        let bit = Direction::ALL.into_iter().position(|other| other == way);
        if let (Some(size), Some(bit)) = (map.size(), bit) {
            self.tried[size.index(at)] |= 1 << bit;
        }
    }

    /// Allows all steps to be tried again.
    pub(super) fn forget(&mut self) {
        self.tried.fill(0);
    }
}

/// The direction away from all known neighbours together, as steps down and right.
fn away(map: &DiscoveredMap, at: Point) -> (i16, i16) {
    let known = RING.into_iter().filter(|way| map.spot_beside(at, *way).is_some());
    known.map(Direction::offset).fold((0, 0), |sum, offset| (sum.0 - offset.0, sum.1 - offset.1))
}

/// True if the known map seems to end here although it need not: at a passage whose known neighbours are all on
/// one side, or at a room with a blank in its wall.
pub(super) fn is_end(map: &DiscoveredMap, at: Point) -> bool {
    let is_spot = RING.map(|way| map.spot_beside(at, way).is_some());
    if map.tile(at) == KnownTile::Room {
        let is_blank = |way: &Direction| {
            let beside = map.size().and_then(|size| size.beside(at, *way));
            beside.is_some_and(|next| map.tile(next) == KnownTile::Rock)
        };
        return Direction::STRAIGHT.iter().any(is_blank);
    }
    let groups = (0..8).filter(|&index| is_spot[index] && !is_spot[(index + 7) % 8]).count();
    groups <= 1 && is_spot.iter().filter(|is_spot| **is_spot).count() <= MAX_END_NEIGHBOURS
}

#[cfg(test)]
mod tests {
    use nuggets_atlas::Scene;

    use super::*;

    fn discovered(rows: &[&str]) -> DiscoveredMap {
        let mut scene = Scene::default();
        let message = format!("DISPLAY\n{}\n", rows.join("\n"));
        scene.handle_bytes(message.as_bytes()).unwrap();
        let mut map = DiscoveredMap::default();
        map.add_picture(scene.picture().unwrap());
        map
    }

    #[test]
    fn a_passage_ends_where_all_known_neighbours_are_on_one_side() {
        let map = discovered(&["   #  ", " ##@  ", "      "]);
        assert!(!is_end(&map, Point::new(1, 3)), "it turns up here");
        assert!(is_end(&map, Point::new(0, 3)));
        assert!(is_end(&map, Point::new(1, 1)));
        assert!(!is_end(&map, Point::new(1, 2)));
    }

    #[test]
    fn a_room_ends_at_a_blank_in_its_wall() {
        let map = discovered(&["+----+", "|...@ ", "|....|", "+----+"]);
        assert!(is_end(&map, Point::new(1, 4)));
        assert!(!is_end(&map, Point::new(1, 1)) && !is_end(&map, Point::new(2, 4)));
    }

    #[test]
    fn the_first_step_leads_straight_on_and_none_is_tried_twice() {
        let map = discovered(&["      ", " ##@  ", "      "]);
        let at = Point::new(1, 3);
        let mut probes = Probes::default();
        let mut tried = Vec::new();
        while let Some(way) = probes.best(&map, at) {
            probes.note(&map, at, way);
            tried.push(way);
        }
        assert_eq!(tried[..3], [Direction::Right, Direction::UpRight, Direction::DownRight]);
        assert_eq!(tried.len(), 7, "all but the one that we came from");
        probes.forget();
        assert_eq!(probes.best(&map, at), Some(Direction::Right));
    }

    #[test]
    fn walls_and_the_unknown_are_not_tried() {
        let map = discovered(&["+---+", "|.@.|", "+---+"]);
        assert_eq!(Probes::default().best(&map, Point::new(1, 2)), None);
    }
}
