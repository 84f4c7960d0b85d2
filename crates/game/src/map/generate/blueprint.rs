//! The blueprint of a new map: its parameters, checked once.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::plain;
use crate::map::parse::fits;

/// The minimum size, so that even a single row of rooms has enough room spots.
const MIN_ROWS: u16 = 9;
const MIN_COLS: u16 = 20;

/// The character of a map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MapStyle {
    /// Rooms of many shapes, far apart, and passages between them.
    #[default]
    Rooms,
    /// Many caves close together.
    CavesOfRooms,
    /// A few huge halls with pillars, and chambers at their sides.
    Halls,
}

/// A text that names no style.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a map can be drawn in the style rooms, caves-of-rooms or halls")]
pub struct UnknownStyle;

/// Size, number of rooms and style of a new map. Every blueprint that exists can be drawn.
///
/// ```
/// use nuggets_game::map::generate::{Blueprint, MapStyle};
///
/// let blueprint = Blueprint::new(30, 60, Some(8), MapStyle::Halls).unwrap();
/// assert_eq!((blueprint.rows(), blueprint.cols(), blueprint.rooms()), (30, 60, 8));
/// assert!(Blueprint::new(30, 60, Some(800), MapStyle::Halls).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blueprint {
    rows: u16,
    cols: u16,
    rooms: u16,
    style: MapStyle,
}

/// Why no map can be drawn from these parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BlueprintError {
    /// Too few rows or columns.
    #[error(
        "a map of {rows}x{cols} (lines x columns) is too small for 26 players and 30 piles of gold: \
         ask for {MIN_ROWS} lines and {MIN_COLS} columns at least"
    )]
    TooSmall {
        /// The rows asked for.
        rows: u16,
        /// The columns asked for.
        cols: u16,
    },
    /// Too many gridpoints.
    #[error(
        "a map of {rows}x{cols} (lines x columns) is too large: its picture must fit one datagram. \
         255x255 does"
    )]
    TooLarge {
        /// The rows asked for.
        rows: u16,
        /// The columns asked for.
        cols: u16,
    },
    /// Too many rooms, or none.
    #[error("a map of {rows}x{cols} (lines x columns) can have 1 to {max} rooms, not {rooms}")]
    Rooms {
        /// The rows asked for.
        rows: u16,
        /// The columns asked for.
        cols: u16,
        /// The rooms asked for.
        rooms: u16,
        /// The maximum number of rooms for this size.
        max: u16,
    },
}

impl Blueprint {
    /// Checks the parameters. Without a number of rooms, one is chosen that suits the size.
    pub fn new(
        rows: u16,
        cols: u16,
        rooms: Option<u16>,
        style: MapStyle,
    ) -> Result<Self, BlueprintError> {
        if rows < MIN_ROWS || cols < MIN_COLS {
            return Err(BlueprintError::TooSmall { rows, cols });
        }
        if !fits(rows.into(), cols.into()) {
            return Err(BlueprintError::TooLarge { rows, cols });
        }
        let max = plain::max_rooms(rows, cols);
        let suitable = u32::from(rows) * u32::from(cols) / style.gridpoints_per_room();
        let suitable = u16::try_from(suitable).unwrap_or(max).clamp(1, max);
        let rooms = rooms.unwrap_or(suitable);
        if !(1..=max).contains(&rooms) {
            return Err(BlueprintError::Rooms { rows, cols, rooms, max });
        }
        Ok(Self { rows, cols, rooms, style })
    }

    /// Number of rows.
    pub fn rows(&self) -> u16 {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> u16 {
        self.cols
    }

    /// Number of rooms.
    pub fn rooms(&self) -> u16 {
        self.rooms
    }

    /// The style.
    pub fn style(&self) -> MapStyle {
        self.style
    }
}

/// As large as the classic map: it fits a window of 24 lines and 80 columns.
impl Default for Blueprint {
    fn default() -> Self {
        Self::new(21, 79, None, MapStyle::default()).expect("the default can be drawn")
    }
}

impl MapStyle {
    /// All styles, the default first.
    pub const ALL: [Self; 3] = [Self::Rooms, Self::CavesOfRooms, Self::Halls];

    fn gridpoints_per_room(self) -> u32 {
        match self {
            Self::Rooms => 170,
            Self::CavesOfRooms => 110,
            Self::Halls => 230,
        }
    }
}

impl FromStr for MapStyle {
    type Err = UnknownStyle;

    fn from_str(word: &str) -> Result<Self, UnknownStyle> {
        Self::ALL.into_iter().find(|style| style.to_string() == word).ok_or(UnknownStyle)
    }
}

impl fmt::Display for MapStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rooms => "rooms",
            Self::CavesOfRooms => "caves-of-rooms",
            Self::Halls => "halls",
        })
    }
}
