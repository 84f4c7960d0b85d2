//! A naive model of the rules: everything that a server must send, computed as plainly as possible.
//!
//! It is written from the rules alone and depends on no other crate of the workspace: neither on the
//! game, nor on the server, nor on the protocol. Code shared with them would share their mistakes.
//! Speed does not matter. It runs beside the real server, which is compared with it after every
//! datagram. It draws no random numbers: where gold and food lie, and where a new player starts, comes
//! from outside, and the model checks that it is allowed.
//!
//! ```
//! use nuggets_model::{ModelSettings, World, expect_same_per_peer};
//!
//! let map = "+---+\n|...|\n+---+\n";
//! let settings = ModelSettings {
//!     gold: 7,
//!     min_piles: 1,
//!     max_piles: 1,
//!     piles: [((1, 3), 7)].into(),
//!     ..ModelSettings::default()
//! };
//! let mut world = World::new(map, settings);
//!
//! let ann = 1;
//! let answers = world.handle_message(ann, b"PLAY Ann", Some((1, 1)));
//! assert_eq!(answers[0], (ann, b"OK A".to_vec()));
//! assert_eq!(answers[3], (ann, b"DISPLAY\n+---+\n|@.*|\n+---+\n".to_vec()));
//!
//! let answers = world.handle_message(ann, b"KEY L", None);
//! let real = [
//!     (ann, b"GOLD 7 7 0".to_vec()),
//!     (ann, b"DISPLAY\n+---+\n|..@|\n+---+\n".to_vec()),
//!     (ann, b"QUIT GAME OVER:\nA          7 Ann".to_vec()),
//! ];
//! assert_eq!(expect_same_per_peer(&answers, &real), Ok(()));
//! assert!(world.check().is_empty());
//! ```

mod base_map;
mod compare;
mod messages;
mod settings;
mod sight;
mod world;

pub use compare::{Difference, expect_same_per_peer};
pub use settings::{ModelSettings, Year};
pub use world::{ModelPlayer, World};

/// A gridpoint: row and column, counted from 0 at the upper left.
pub type Spot = (i64, i64);

/// A message and the peer that it is sent to.
pub type Outgoing = (u64, Vec<u8>);
