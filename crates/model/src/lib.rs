//! A naive model of the rules: everything a server must say, worked out as plainly as possible.
//!
//! It is written from the rules alone and knows nobody else in the workspace: neither the game, nor
//! the server, nor the words of the protocol. It has no regard for speed. It runs beside the real
//! thing, which is compared with it after every datagram. Chance is no part of it: where gold and
//! food lie, and where a newcomer lands, is told from outside, and the model judges whether that is
//! allowed.
//!
//! ```
//! use nuggets_model::{Settings, World, same_per_peer};
//!
//! let map = "+---+\n|...|\n+---+\n";
//! let settings = Settings {
//!     gold: 7,
//!     min_piles: 1,
//!     max_piles: 1,
//!     piles: [((1, 3), 7)].into(),
//!     ..Settings::default()
//! };
//! let mut world = World::new(map, settings);
//!
//! let ann = 1;
//! let answers = world.say(ann, b"PLAY Ann", Some((1, 1)));
//! assert_eq!(answers[0], (ann, b"OK A".to_vec()));
//! assert_eq!(answers[3], (ann, b"DISPLAY\n+---+\n|@.*|\n+---+\n".to_vec()));
//!
//! let answers = world.say(ann, b"KEY L", None);
//! let real = [
//!     (ann, b"GOLD 7 7 0".to_vec()),
//!     (ann, b"DISPLAY\n+---+\n|..@|\n+---+\n".to_vec()),
//!     (ann, b"QUIT GAME OVER:\nA          7 Ann".to_vec()),
//! ];
//! assert_eq!(same_per_peer(&answers, &real), Ok(()));
//! assert!(world.check().is_empty());
//! ```

mod compare;
mod ground;
mod settings;
mod sight;
mod words;
mod world;

pub use compare::same_per_peer;
pub use settings::{Settings, Year};
pub use world::{Player, World};

/// A gridpoint: row and column, counted from 0 at the upper left.
pub type Spot = (i64, i64);

/// A message, and to which peer it goes.
pub type Answer = (u64, Vec<u8>);
