//! The field of view: tells the visible part of the discovered map from the remembered part.
//!
//! A picture draws both alike. The sight rule depends on the map alone, so on a fully discovered map the answer is
//! exact. On a partly discovered one a line of sight may pass between two gridpoints that were never shown: such a line
//! counts as blocked, unless the picture proves it clear.

use crate::{Direction, DiscoveredMap, KnownTile, Picture, Point};

/// The discovered map, and the part of it that our player sees from its position.
///
/// ```
/// use nuggets_atlas::{FieldOfView, Point, Scene};
///
/// let mut scene = Scene::default();
/// scene.handle_bytes(b"DISPLAY\n|@..|##|..|\n").unwrap();
/// let mut sight = FieldOfView::default();
/// sight.observe(scene.picture().unwrap());
/// assert!(sight.contains(Point::new(0, 4)), "the wall");
/// assert!(!sight.contains(Point::new(0, 8)), "the room behind it");
/// ```
#[derive(Clone, Debug, Default)]
pub struct FieldOfView {
    map: DiscoveredMap,
    you: Option<Point>,
    /// The gold in the last picture. It lies in rooms, or in a passage where a player dropped it; then that passage is
    /// known.
    gold: Vec<Point>,
    /// Gridpoints that the last picture proves to be in sight.
    proven: Vec<Point>,
    /// The limit on the straight-line distance, if the server has named one.
    range: Option<u16>,
    /// True if the server plays by the sight rule of 2019: along their own row and column, players see through
    /// passages.
    sees_along_passages: bool,
}

impl FieldOfView {
    /// Adds a new picture.
    pub fn observe(&mut self, picture: &Picture) {
        let you = picture.you();
        let has_stepped = self.map.size() == Some(picture.size())
            && self.you.zip(you).is_some_and(|(was, is)| is.distance_squared(was) <= 2);
        let before = has_stepped.then(|| self.map.tiles().to_vec());
        self.map.add_picture(picture);
        self.you = you;
        self.gold = picture.points_of(|cell| cell == b'*').collect();
        self.proven = picture.points_of(|cell| cell.is_ascii_uppercase()).collect();
        // After a sprint, new ground may lie out of sight again; after a step it is visible.
        if let Some(before) = before {
            let shown = before.iter().zip(picture.cells()).enumerate();
            let new = shown.filter(|(_, (tile, cell))| {
                matches!(tile, KnownTile::Unknown | KnownTile::Rock) && **cell != b' '
            });
            self.proven.extend(new.map(|(index, _)| picture.size().point(index)));
        }
        self.sees_along_passages |= self.proves_passage_visibility();
    }

    /// Sets the vision range that the server has announced.
    pub fn limit_range(&mut self, range: u16) {
        self.range = Some(range);
    }

    /// True if the gridpoint is in sight. Without a position of our own everything is: a spectator sees all.
    pub fn contains(&self, at: Point) -> bool {
        let Some(you) = self.you else { return true };
        if self.range.is_some_and(|range| at.distance_squared(you) > u32::from(range).pow(2)) {
            return false;
        }
        self.has_line(you, at)
            || (self.sees_along_passages && self.is_straight_path(you, at))
            || self.proven.contains(&at)
    }

    /// The map as discovered so far.
    pub fn discovered(&self) -> &DiscoveredMap {
        &self.map
    }

    fn has_line(&self, from: Point, to: Point) -> bool {
        from.has_clear_line(to, |at| match self.map.tile(at) {
            KnownTile::Room => true,
            KnownTile::Covered => self.gold.contains(&at) || self.is_covered_room(at),
            _ => false,
        })
    }

    /// True if the spot under a player is a room spot: it lies between two of them, or beside one and is not a door. A
    /// door has walls on two opposite sides.
    fn is_covered_room(&self, at: Point) -> bool {
        let tile = |direction| at.step(direction).map_or(KnownTile::Rock, |at| self.map.tile(at));
        let is_between = |kind: KnownTile| {
            [(Direction::Left, Direction::Right), (Direction::Up, Direction::Down)]
                .into_iter()
                .any(|(one, other)| tile(one) == kind && tile(other) == kind)
        };
        let is_beside_room =
            || Direction::STRAIGHT.into_iter().any(|at| tile(at) == KnownTile::Room);
        is_between(KnownTile::Room) || (!is_between(KnownTile::Wall) && is_beside_room())
    }

    /// True if both lie in one row or column, and only spots lie between them.
    fn is_straight_path(&self, from: Point, to: Point) -> bool {
        (from.row == to.row || from.col == to.col)
            && from.has_clear_line(to, |at| self.map.is_spot(at))
    }

    /// True if the picture shows something new that only the sight rule of 2019 makes visible.
    fn proves_passage_visibility(&self) -> bool {
        let Some(you) = self.you.filter(|_| !self.sees_along_passages) else { return false };
        self.proven.iter().any(|&at| self.is_straight_path(you, at) && !self.has_line(you, at))
    }
}

#[cfg(test)]
mod tests;
