//! The map: a grid of tiles that never changes during a game. It knows no occupants.
//!
//! Around it: `parse` reads map files, `check` checks them against the rules of drawing, `generate`
//! draws new ones, `stats` measures them, `shipped` holds those that come with the game.

use std::fmt;

use crate::{Direction, Point, PointSet};

pub mod check;
pub mod generate;
pub mod parse;
pub mod shipped;
mod sprint_work;
pub mod stats;
mod text;

/// The kind of a gridpoint, fixed for the whole game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tile {
    /// A blank: solid rock.
    Rock,
    /// `-`: a horizontal boundary.
    Horizontal,
    /// `|`: a vertical boundary.
    Vertical,
    /// `+`: a corner boundary.
    Corner,
    /// `.`: a room spot.
    Room,
    /// `#`: a passage spot.
    Passage,
}

impl Tile {
    /// All six tiles.
    pub const ALL: [Self; 6] =
        [Self::Rock, Self::Horizontal, Self::Vertical, Self::Corner, Self::Room, Self::Passage];

    /// The tile for this character of a map file.
    pub fn from_byte(drawn: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|tile| tile.as_byte() == drawn)
    }

    /// The character of this tile in a map file.
    #[inline]
    pub fn as_byte(self) -> u8 {
        match self {
            Self::Rock => b' ',
            Self::Horizontal => b'-',
            Self::Vertical => b'|',
            Self::Corner => b'+',
            Self::Room => b'.',
            Self::Passage => b'#',
        }
    }

    /// True if players can stand here.
    #[inline]
    pub fn is_spot(self) -> bool {
        matches!(self, Self::Room | Self::Passage)
    }

    /// True if the tile is part of the boundary of a room.
    pub fn is_wall(self) -> bool {
        matches!(self, Self::Horizontal | Self::Vertical | Self::Corner)
    }
}

/// A map. Every map that exists has at least one gridpoint and fits a datagram.
///
/// ```
/// use nuggets_game::{Map, Point, Tile};
///
/// let map = Map::parse(b"+--+\n|..#\n+--+\n").unwrap().map;
/// assert_eq!((map.rows(), map.cols()), (3, 4));
/// assert_eq!(map.tile(Point::new(1, 3)), Some(Tile::Passage));
/// assert_eq!(map.to_string(), "+--+\n|..#\n+--+\n");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    rows: u16,
    cols: u16,
    tiles: Box<[Tile]>,
}

impl Map {
    /// Number of rows.
    pub fn rows(&self) -> u16 {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> u16 {
        self.cols
    }

    /// All tiles, row after row.
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// The index of a gridpoint among the tiles.
    #[inline]
    pub fn index(&self, at: Point) -> usize {
        debug_assert!(at.row < self.rows && at.col < self.cols, "{at} is off the map");
        usize::from(at.row) * usize::from(self.cols) + usize::from(at.col)
    }

    /// The tile at a gridpoint; `None` outside the grid.
    #[inline]
    pub fn tile(&self, at: Point) -> Option<Tile> {
        (at.row < self.rows && at.col < self.cols).then(|| self.tiles[self.index(at)])
    }

    /// All gridpoints, row after row.
    pub fn points(&self) -> impl Iterator<Item = Point> + use<> {
        let cols = self.cols;
        (0..self.rows).flat_map(move |row| (0..cols).map(move |col| Point { row, col }))
    }

    /// All room spots, row after row.
    pub fn room_spots(&self) -> Vec<Point> {
        self.points_of(|tile| tile == Tile::Room)
    }

    /// All spots, of rooms and passages, row after row.
    pub fn spots(&self) -> Vec<Point> {
        self.points_of(Tile::is_spot)
    }

    /// The set of all spots.
    pub fn spot_set(&self) -> PointSet {
        let mut spots = PointSet::empty(self.tiles.len());
        self.spots().into_iter().for_each(|at| spots.insert(self.index(at)));
        spots
    }

    /// The spot one step away, if there is one.
    #[inline]
    pub fn spot_beside(&self, at: Point, direction: Direction) -> Option<Point> {
        let next = at.step(direction)?;
        self.tile(next)?.is_spot().then_some(next)
    }

    fn points_of(&self, wanted: impl Fn(Tile) -> bool) -> Vec<Point> {
        self.points()
            .zip(&self.tiles)
            .filter(|(_, tile)| wanted(**tile))
            .map(|(at, _)| at)
            .collect()
    }
}

/// The map as its file: every row with a newline.
impl fmt::Display for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.tiles.chunks(self.cols.into()) {
            let line: String = row.iter().map(|tile| char::from(tile.as_byte())).collect();
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}
