//! All that a client can know of the game from the wire: the last picture and the numbers beside it, the map as
//! discovered, paths on it, and a way to explore it.
//!
//! The client and the bots share this crate. It reads messages and knows nothing of the rules, so a bot based on it
//! can't cheat. Everything here is pure.
//!
//! ```
//! use nuggets_atlas::{Explorer, Scene};
//!
//! let mut scene = Scene::default();
//! scene.handle_bytes(b"DISPLAY\n+-----+\n|@...*|\n+-----+\n").unwrap();
//! let next = Explorer::default().next_step(scene.picture().unwrap());
//! assert_eq!(next.map(|direction| direction.key()), Some(b'l'), "toward the gold");
//! ```

mod discovered_map;
mod explorer;
mod field_of_view;
mod line_of_sight;
mod pathfinding;
mod scene;
mod size;

pub use discovered_map::{DiscoveredMap, KnownTile};
pub use explorer::Explorer;
pub use field_of_view::FieldOfView;
pub use line_of_sight::has_line_of_sight;
pub use nuggets_protocol::{Direction, Point, Stroke, counted};
pub use pathfinding::Paths;
pub use scene::{Gold, MessageError, Picture, Scene, SizeMismatch, clean_byte};
pub use size::Size;
