//! The map as discovered from all pictures up to now. The current occupants belong to the picture.
//!
//! A server should draw all that its player remembers, but not every server does: this map keeps every tile once shown.

use crate::{Direction, Picture, Point, Size};

/// The kind of a gridpoint, as shown by the pictures up to now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KnownTile {
    /// Not shown yet.
    #[default]
    Unknown,
    /// Solid rock. Pictures draw it as they draw the unknown, so it is certain only next to where we
    /// stood.
    Rock,
    /// A boundary of a room.
    Wall,
    /// A spot in a room.
    Room,
    /// A spot in a passage.
    Passage,
    /// A spot of a room or a passage that was always occupied when it was shown.
    Covered,
}

/// The known tile of every gridpoint.
#[derive(Clone, Debug, Default)]
pub struct DiscoveredMap {
    size: Option<Size>,
    tiles: Vec<KnownTile>,
}

impl KnownTile {
    /// True if players can stand here.
    #[inline]
    pub fn is_spot(self) -> bool {
        matches!(self, Self::Room | Self::Passage | Self::Covered)
    }

    #[inline]
    fn from_cell(cell: u8) -> Self {
        match cell {
            b'.' => Self::Room,
            b'#' => Self::Passage,
            b'-' | b'|' | b'+' => Self::Wall,
            b' ' => Self::Unknown,
            _ => Self::Covered,
        }
    }
}

impl DiscoveredMap {
    /// Adds the tiles of a picture; true if anything was learned. A picture of another size shows another map, so the
    /// old map is dropped.
    pub fn add_picture(&mut self, picture: &Picture) -> bool {
        let mut is_new = false;
        if self.size != Some(picture.size()) {
            self.size = Some(picture.size());
            self.tiles = vec![KnownTile::Unknown; picture.size().area()];
        }
        for (known, &cell) in self.tiles.iter_mut().zip(picture.cells()) {
            match KnownTile::from_cell(cell) {
                KnownTile::Unknown => {}
                KnownTile::Covered if known.is_spot() => {}
                shown => {
                    is_new |= *known != shown;
                    *known = shown;
                }
            }
        }
        picture.you().is_some_and(|you| self.mark_surroundings_seen(you)) || is_new
    }

    /// Notes that we passed this gridpoint since the last picture, so it is a spot. True if that was
    /// unknown, or if it was taken for rock because the server did not show it.
    pub fn mark_passed(&mut self, at: Point) -> bool {
        let Some(size) = self.size.filter(|size| at.row < size.rows && at.col < size.cols) else {
            return false;
        };
        let is_new = matches!(self.tile(at), KnownTile::Unknown | KnownTile::Rock);
        if is_new {
            self.tiles[size.index(at)] = KnownTile::Covered;
        }
        is_new
    }

    /// Notes that we stand here or passed here: its neighbours were visible, so those that are still
    /// blank are rock. True if any of them was unknown.
    pub fn mark_surroundings_seen(&mut self, you: Point) -> bool {
        let Some(size) = self.size else { return false };
        let mut is_new = false;
        for at in Direction::ALL.into_iter().filter_map(|d| size.beside(you, d)) {
            let tile = &mut self.tiles[size.index(at)];
            if *tile == KnownTile::Unknown {
                *tile = KnownTile::Rock;
                is_new = true;
            }
        }
        is_new
    }

    /// True if a picture draws a spot like this, or an occupant on one.
    pub(crate) fn shows_spot(cell: u8) -> bool {
        KnownTile::from_cell(cell).is_spot()
    }

    /// The size of the map; `None` before the first picture.
    pub fn size(&self) -> Option<Size> {
        self.size
    }

    /// Returns the known tile at a gridpoint; rock beyond the edge.
    pub fn tile(&self, at: Point) -> KnownTile {
        match self.size {
            Some(size) if at.row < size.rows && at.col < size.cols => self.tiles[size.index(at)],
            _ => KnownTile::Rock,
        }
    }

    /// Returns the known tiles, row by row.
    pub fn tiles(&self) -> &[KnownTile] {
        &self.tiles
    }

    /// True if players can stand here, as far as is known.
    pub fn is_spot(&self, at: Point) -> bool {
        self.tile(at).is_spot()
    }

    /// The spot one step away, if one is known there.
    pub fn spot_beside(&self, at: Point, direction: Direction) -> Option<Point> {
        self.size?.beside(at, direction).filter(|&next| self.is_spot(next))
    }

    /// True if a neighbour in one of these directions is unknown.
    pub fn borders_unknown(&self, at: Point, directions: &[Direction]) -> bool {
        let Some(size) = self.size else { return false };
        let mut beside = directions.iter().filter_map(|&direction| size.beside(at, direction));
        beside.any(|next| self.tile(next) == KnownTile::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::tests::picture;

    fn discovered(pictures: &[&[&str]]) -> DiscoveredMap {
        let mut map = DiscoveredMap::default();
        for rows in pictures {
            map.add_picture(&picture(rows));
        }
        map
    }

    #[test]
    fn what_was_shown_once_is_kept() {
        let map = discovered(&[&["+---", "|@.#"], &["    ", " .@ "]]);
        assert_eq!(map.tile(Point::new(0, 0)), KnownTile::Wall);
        assert_eq!(map.tile(Point::new(1, 3)), KnownTile::Passage);
    }

    #[test]
    fn an_occupant_hides_what_it_stands_on_but_not_that_it_is_a_spot() {
        let covered = discovered(&[&["@*A%"]]);
        assert!(covered.tiles().iter().all(|&tile| tile == KnownTile::Covered && tile.is_spot()));
        let seen_before = discovered(&[&["@.##"], &[".@*A"]]);
        assert_eq!(
            seen_before.tiles()[1..],
            [KnownTile::Room, KnownTile::Passage, KnownTile::Passage]
        );
        let seen_later = discovered(&[&["@*A%"], &[".#@#"]]);
        assert_eq!(seen_later.tiles()[..2], [KnownTile::Room, KnownTile::Passage]);
    }

    #[test]
    fn a_blank_is_rock_only_next_to_where_we_stood() {
        let map = discovered(&[&["#   ", "@   "], &["#   ", ".   "]]);
        assert_eq!(map.tile(Point::new(0, 1)), KnownTile::Rock);
        assert_eq!(map.tile(Point::new(0, 2)), KnownTile::Unknown);
        assert_eq!(map.tile(Point::new(0, 9)), KnownTile::Rock, "beyond the edge");
    }

    #[test]
    fn a_gridpoint_that_we_passed_is_a_spot() {
        let mut map = discovered(&[&["@  ##"]]);
        assert!(map.mark_passed(Point::new(0, 2)));
        assert!(!map.mark_passed(Point::new(0, 2)) && map.is_spot(Point::new(0, 2)));
        assert_eq!(map.tile(Point::new(0, 1)), KnownTile::Rock);
        assert!(map.mark_passed(Point::new(0, 1)), "the server did not show it");
        assert!(map.is_spot(Point::new(0, 1)));
        assert!(!map.mark_passed(Point::new(9, 9)));
    }

    #[test]
    fn adding_a_picture_reports_whether_anything_was_learned() {
        let mut map = DiscoveredMap::default();
        for (rows, is_new) in [
            (["+--+", "|@.|"], true),
            (["+--+", "|@.|"], false),
            (["+--+", "|.@|"], true),
            (["+--+", "|@.|"], false),
            (["    ", " @* "], false),
            (["+--#", "|@.|"], true),
        ] {
            assert_eq!(map.add_picture(&picture(&rows)), is_new, "{rows:?}");
        }
        assert!(map.add_picture(&picture(&["@#  "])), "rock beside us is learned");
        assert!(!map.add_picture(&picture(&["@#  "])));
        assert!(map.mark_surroundings_seen(Point::new(0, 1)));
        assert!(!map.mark_surroundings_seen(Point::new(0, 1)));
    }

    #[test]
    fn a_picture_of_another_size_is_of_another_map() {
        let map = discovered(&[&["@...."], &["@."]]);
        assert_eq!(map.size(), Some(Size { rows: 1, cols: 2 }));
        assert_eq!(map.tiles().len(), 2);
    }
}
