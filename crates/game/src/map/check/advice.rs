//! Advice on how to correct a violation of the drawing.

use super::{Violation, ViolationKind};
use crate::{Map, Point, Tile};

/// Returns advice on how to correct this violation. `there` is a phrase for its place.
pub(super) fn advice(map: &Map, violation: Violation, there: &str) -> String {
    let Violation { at, kind } = violation;
    match kind {
        ViolationKind::OpenRoom if map.tile(at) == Some(Tile::Room) => {
            "Put a boundary here, or add lines or columns to the map and draw it there".to_string()
        }
        ViolationKind::OpenRoom => format!("Put {} {there}", filling(map, at)),
        ViolationKind::SpotInBoundary => {
            format!("Put {} here, or '#' if a passage enters", quoted(map.boundary_through(at)))
        }
        ViolationKind::BrokenBoundary if map.needed(at) == Some(Tile::Corner) => {
            "Lead it on to another boundary, or put '.' here".to_string()
        }
        ViolationKind::BrokenBoundary
        | ViolationKind::CornerMissing
        | ViolationKind::NeedlessCorner => {
            format!("Put {} here", quoted(map.needed(at)))
        }
        ViolationKind::StrayBoundary => {
            "Put a blank here, or draw a room with '.' beside it".to_string()
        }
        ViolationKind::WidePassage => {
            "Leave one line of '#', and put rock or, where it enters a room, boundaries beside it"
                .to_string()
        }
        ViolationKind::BadDoor if map.is_inside(at) => "Put '.' here".to_string(),
        ViolationKind::BadDoor => {
            "Put '+' here, and let the passage enter where the boundary is straight".to_string()
        }
        ViolationKind::CutOff => {
            "Lead a passage of '#' here, through a straight boundary of each room".to_string()
        }
    }
}

/// The tile that closes a hole in a room: a boundary, unless the hole lies inside the room.
fn filling(map: &Map, at: Point) -> String {
    if map.is_inside(at) { "'.'".to_string() } else { quoted(map.needed(at)) }
}

fn quoted(tile: Option<Tile>) -> String {
    format!("'{}'", char::from(tile.unwrap_or(Tile::Rock).as_byte()))
}
