//! What a client can know of the world: the last picture and the numbers beside it, the ground that
//! pictures have shown so far, and the ways on it.
//!
//! People's client and bots share this room. It knows the words on the wire and nothing else of the
//! game: whoever decides by it can't cheat. Everything here is pure.
//!
//! ```
//! use nuggets_atlas::{Explorer, Scene};
//! use nuggets_protocol::ServerMessage;
//!
//! let mut scene = Scene::default();
//! let told = ServerMessage::parse(b"DISPLAY\n+-----+\n|@...*|\n+-----+\n").unwrap();
//! scene.take(&told).unwrap();
//! let next = Explorer::default().next_step(scene.picture().unwrap());
//! assert_eq!(next.map(|way| way.letter()), Some(b'l'), "there is gold");
//! ```

mod direction;
mod explorer;
mod ground;
mod look;
mod point;
mod scene;
mod ways;

pub use direction::{Direction, Stroke};
pub use explorer::Explorer;
pub use ground::{Ground, Kind};
pub use look::is_in_sight;
pub use point::{Point, Size};
pub use scene::{Gold, Misfit, Misunderstood, Picture, Scene, clean_byte};
pub use ways::Ways;
