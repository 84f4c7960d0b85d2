//! Recordings of games: the format, writing, reading, checking, and playing again.
//!
//! A map, rules, a seed and the inputs with their times are a whole game; so that is what a recording
//! holds, with checksums over it and hashes of the game's state within. This room is pure: bytes
//! in, bytes out. It knows no file, clock or socket, and nothing of how a replay looks. The format is
//! described in `docs/recording.md`.
//!
//! ```
//! use nuggets_game::{Name, Rules, Seed, SightRule, shipped};
//! use nuggets_protocol::Dialect;
//! use nuggets_record::{Ending, Entry, Header, Millis, Recording, What, Writer, verify};
//!
//! let header = Header {
//!     rules: Rules::default(),
//!     seed: Seed::new(7),
//!     dialect: Dialect::V2021,
//!     sight: SightRule::DarkPassages,
//!     map: shipped::find("main").unwrap().map(),
//!     port: 0,
//! };
//! let mut game = header.game().unwrap();
//! let (mut writer, mut bytes) = Writer::new(&header, &game);
//! let happened = [
//!     (1500, What::Join { name: Name::new(b"Ann").unwrap(), peer: None }),
//!     (9000, What::End(Ending::Closed)),
//! ];
//! for (ms, what) in happened {
//!     if let Some(input) = what.input() {
//!         game.apply(input, &mut vec![]);
//!     }
//!     writer.append(&Entry::new(Millis(ms), what), &game, &mut bytes);
//! }
//!
//! let recording = Recording::read(&bytes).unwrap().recording;
//! let verified = verify(&recording).unwrap();
//! assert_eq!(verified.game.state_hash(), game.state_hash());
//! ```

mod bytes;
mod catch_up;
mod entry;
mod head;
mod header;
mod progress;
mod read;
mod record;
mod recording;
mod replay;
mod run;
mod statistics;
mod writer;

pub use catch_up::{CatchUp, CatchUpError};
pub use entry::{Ending, Entry, What};
pub use header::{Header, RULES_VERSION, Unplayable};
pub use nuggets_time::Millis;
pub use read::{ReadError, Reading, Tail};
pub use record::Damage;
pub use recording::{Checkpoint, Record, Recording};
pub use replay::{Replay, Step};
pub use run::{BadRecord, Mismatch, Verified, verify};
pub use statistics::{PlayerStatistics, Statistics};
pub use writer::Writer;

#[cfg(test)]
mod tests;
