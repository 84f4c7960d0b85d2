//! The ground as pictures have shown it so far. Who stands on it now is the picture's business.
//!
//! A server shows what its player remembers, but not every server does so well: what was once shown
//! is kept here.

use crate::{Direction, Picture, Point, Size};

/// What a gridpoint is, as far as pictures tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Nobody has told.
    #[default]
    Unknown,
    /// Solid rock. Pictures show it as they show the unknown: only next to where we stood it is
    /// certain.
    Rock,
    /// A boundary of a room.
    Wall,
    /// A spot in a room.
    Room,
    /// A spot in a passage.
    Passage,
    /// A spot that has been covered by its occupant as long as it was seen.
    Covered,
}

/// Everything that is known of the map.
#[derive(Clone, Debug, Default)]
pub struct Ground {
    size: Option<Size>,
    kinds: Vec<Kind>,
}

impl Kind {
    /// Can somebody stand here?
    pub fn is_spot(self) -> bool {
        matches!(self, Self::Room | Self::Passage | Self::Covered)
    }

    fn shown_as(cell: u8) -> Self {
        match cell {
            b'.' => Self::Room,
            b'#' => Self::Passage,
            b'-' | b'|' | b'+' => Self::Wall,
            b' ' => Self::Unknown,
            _ => Self::Covered,
        }
    }
}

impl Ground {
    /// Takes in what a picture shows; whether anything is known now that was not before. A picture
    /// of another size is of another map: everything is forgotten.
    pub fn take(&mut self, picture: &Picture) -> bool {
        let mut is_new = false;
        if self.size != Some(picture.size()) {
            self.size = Some(picture.size());
            self.kinds = vec![Kind::Unknown; picture.size().area()];
        }
        for (known, &cell) in self.kinds.iter_mut().zip(picture.cells()) {
            match Kind::shown_as(cell) {
                Kind::Unknown => {}
                Kind::Covered if known.is_spot() => {}
                shown => {
                    is_new |= *known != shown;
                    *known = shown;
                }
            }
        }
        picture.you().is_some_and(|you| self.look_around(you)) || is_new
    }

    /// We came by here since the last picture, whatever that shows: somebody can stand here. True if
    /// that is new.
    pub fn pass(&mut self, at: Point) -> bool {
        let Some(size) = self.size else { return false };
        let is_new = self.kind(at) == Kind::Unknown;
        if is_new {
            self.kinds[size.index(at)] = Kind::Covered;
        }
        is_new
    }

    /// We stand here, or came by here since the last picture: what lies next to it was in sight, and
    /// if it is still blank, it is rock. True if that is new.
    pub fn look_around(&mut self, you: Point) -> bool {
        let Some(size) = self.size else { return false };
        let mut is_new = false;
        for at in Direction::ALL.into_iter().filter_map(|way| size.beside(you, way)) {
            let kind = &mut self.kinds[size.index(at)];
            if *kind == Kind::Unknown {
                *kind = Kind::Rock;
                is_new = true;
            }
        }
        is_new
    }

    /// Does a picture show a spot like this, or somebody who stands on one?
    pub(crate) fn shows_spot(cell: u8) -> bool {
        Kind::shown_as(cell).is_spot()
    }

    /// The size of the map; none before the first picture.
    pub fn size(&self) -> Option<Size> {
        self.size
    }

    /// What is known of a gridpoint; beyond the edge there is rock.
    pub fn kind(&self, at: Point) -> Kind {
        match self.size {
            Some(size) if at.row < size.rows && at.col < size.cols => self.kinds[size.index(at)],
            _ => Kind::Rock,
        }
    }

    /// What is known of every gridpoint, row after row.
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// Can somebody stand here, as far as is known?
    pub fn is_spot(&self, at: Point) -> bool {
        self.kind(at).is_spot()
    }

    /// The spot one step away, if one is known there.
    pub fn spot_beside(&self, at: Point, way: Direction) -> Option<Point> {
        self.size?.beside(at, way).filter(|&next| self.is_spot(next))
    }

    /// Is something next to this gridpoint unknown, in one of these directions?
    pub fn borders_unknown(&self, at: Point, ways: &[Direction]) -> bool {
        let Some(size) = self.size else { return false };
        let mut beside = ways.iter().filter_map(|&way| size.beside(at, way));
        beside.any(|next| self.kind(next) == Kind::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::tests::picture;

    fn ground(pictures: &[&[&str]]) -> Ground {
        let mut ground = Ground::default();
        for rows in pictures {
            ground.take(&picture(rows));
        }
        ground
    }

    #[test]
    fn what_was_shown_once_is_kept() {
        let ground = ground(&[&["+---", "|@.#"], &["    ", " .@ "]]);
        assert_eq!(ground.kind(Point::new(0, 0)), Kind::Wall);
        assert_eq!(ground.kind(Point::new(1, 3)), Kind::Passage);
    }

    #[test]
    fn an_occupant_hides_what_it_stands_on_but_not_that_it_is_a_spot() {
        let covered = ground(&[&["@*A%"]]);
        assert!(covered.kinds().iter().all(|&kind| kind == Kind::Covered && kind.is_spot()));
        let seen_before = ground(&[&["@.##"], &[".@*A"]]);
        assert_eq!(seen_before.kinds()[1..], [Kind::Room, Kind::Passage, Kind::Passage]);
        let seen_later = ground(&[&["@*A%"], &[".#@#"]]);
        assert_eq!(seen_later.kinds()[..2], [Kind::Room, Kind::Passage]);
    }

    #[test]
    fn a_blank_is_rock_only_next_to_where_we_stood() {
        let ground = ground(&[&["#   ", "@   "], &["#   ", ".   "]]);
        assert_eq!(ground.kind(Point::new(0, 1)), Kind::Rock);
        assert_eq!(ground.kind(Point::new(0, 2)), Kind::Unknown);
        assert_eq!(ground.kind(Point::new(0, 9)), Kind::Rock, "beyond the edge");
    }

    #[test]
    fn where_we_came_by_somebody_can_stand() {
        let mut ground = ground(&[&["@  ##"]]);
        assert!(ground.pass(Point::new(0, 2)));
        assert!(!ground.pass(Point::new(0, 2)) && ground.is_spot(Point::new(0, 2)));
        assert!(!ground.pass(Point::new(0, 1)), "rock beside us is rock");
        assert!(!ground.pass(Point::new(9, 9)));
    }

    #[test]
    fn it_says_whether_a_picture_told_anything_new() {
        let mut ground = Ground::default();
        for (rows, is_new) in [
            (["+--+", "|@.|"], true),
            (["+--+", "|@.|"], false),
            (["+--+", "|.@|"], true),
            (["+--+", "|@.|"], false),
            (["    ", " @* "], false),
            (["+--#", "|@.|"], true),
        ] {
            assert_eq!(ground.take(&picture(&rows)), is_new, "{rows:?}");
        }
        assert!(ground.take(&picture(&["@#  "])), "rock beside us is news");
        assert!(!ground.take(&picture(&["@#  "])));
        assert!(ground.look_around(Point::new(0, 1)));
        assert!(!ground.look_around(Point::new(0, 1)));
    }

    #[test]
    fn a_picture_of_another_size_is_of_another_map() {
        let ground = ground(&[&["@...."], &["@."]]);
        assert_eq!(ground.size(), Some(Size { rows: 1, cols: 2 }));
        assert_eq!(ground.kinds().len(), 2);
    }
}
