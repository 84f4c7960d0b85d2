//! What would mend a fault of a drawing, in words.

use crate::{Fault, FaultKind, Map, Point, Tile};

/// What to do about this fault of this map. `there` says where in the words of the reader.
pub(super) fn advice(map: &Map, fault: Fault, there: &str) -> String {
    let Fault { at, kind } = fault;
    match kind {
        FaultKind::OpenRoom if map.tile(at) == Some(Tile::Room) => {
            "Put a boundary here, or add lines or columns to the map and draw it there".to_string()
        }
        FaultKind::OpenRoom => format!("Put {} {there}", filling(map, at)),
        FaultKind::SpotInBoundary => {
            format!("Put {} here, or '#' if a passage enters", quoted(map.boundary_through(at)))
        }
        FaultKind::BrokenBoundary if map.needed(at) == Some(Tile::Corner) => {
            "Lead it on to another boundary, or put '.' here".to_string()
        }
        FaultKind::BrokenBoundary | FaultKind::CornerMissing | FaultKind::NeedlessCorner => {
            format!("Put {} here", quoted(map.needed(at)))
        }
        FaultKind::StrayBoundary => {
            "Put a blank here, or draw a room with '.' beside it".to_string()
        }
        FaultKind::WidePassage => {
            "Leave one line of '#', and put rock or, where it enters a room, boundaries beside it"
                .to_string()
        }
        FaultKind::BadDoor if map.is_inside(at) => "Put '.' here".to_string(),
        FaultKind::BadDoor => {
            "Put '+' here, and let the passage enter where the boundary is straight".to_string()
        }
        FaultKind::CutOff => {
            "Lead a passage of '#' here, through a straight boundary of each room".to_string()
        }
    }
}

/// What closes a hole in a room: a boundary, unless it lies in the room's midst.
fn filling(map: &Map, at: Point) -> String {
    if map.is_inside(at) { "'.'".to_string() } else { quoted(map.needed(at)) }
}

fn quoted(tile: Option<Tile>) -> String {
    format!("'{}'", char::from(tile.unwrap_or(Tile::Rock).as_char()))
}
