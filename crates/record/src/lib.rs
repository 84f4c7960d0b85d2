//! Recordings of games: the format, writing, reading, verifying and replaying.
//!
//! A setup and the inputs with their times fix a whole game, so a recording holds these, with
//! checksums over them and hashes of the game's state. A journal is a recording that also holds a
//! token for every peer, so that a server can resume its game after a crash.
//!
//! This crate is pure: bytes in, bytes out. It must not know files, clocks, sockets, addresses or
//! the presentation of a replay. The format is described in `docs/recording.md`.
//!
//! ```
//! use nuggets_game::{Name, Rules, Seed, Setup, shipped};
//! use nuggets_protocol::Dialect;
//! use nuggets_record::{Entry, Header, Recording, RecordingEnd, Timestamp, RecordedEvent, Writer, verify};
//!
//! let setup = Setup::new(shipped::ALL[0].map(), Rules::default(), Seed::new(7), Dialect::V2021);
//! let header = Header { setup, port: 0 };
//! let mut game = header.game().unwrap();
//! let (mut writer, mut bytes) = Writer::new(&header, &game);
//! let entries = [
//!     (1500, RecordedEvent::Join { name: Name::new(b"Ann").unwrap(), peer: None }),
//!     (9000, RecordedEvent::End(RecordingEnd::Closed)),
//! ];
//! for (ms, what) in entries {
//!     if let Some(input) = what.input() {
//!         game.apply(input, &mut vec![]);
//!     }
//!     writer.append(&Entry::new(Timestamp(ms), what), &game, &mut bytes);
//! }
//!
//! let recording = Recording::read(&bytes).unwrap().recording;
//! let verified = verify(&recording).unwrap();
//! assert_eq!(verified.game.state_hash(), game.state_hash());
//! ```

mod catch_up;
mod encoding;
mod entry;
mod file_header;
mod peer_token;
mod progress;
mod reader;
mod record_frame;
mod record_prefix;
mod recording;
mod repair;
mod replay;
mod statistics;
mod timeline;
mod verify;
mod window;
mod writer;

pub use catch_up::{CatchUp, CatchUpError};
pub use entry::{Entry, RecordedEvent, RecordingEnd};
pub use file_header::{Header, RULES_VERSION, STALE_MARK, Unplayable};
pub use nuggets_time::Timestamp;
pub use peer_token::PeerToken;
pub use reader::{ReadError, Reading, StreamError, Tail};
pub use record_frame::Damage;
pub use recording::{Checkpoint, Record, Recording};
pub use repair::Repair;
pub use replay::{Replay, ReplayStep};
pub use statistics::{PlayerStatistics, Statistics};
pub use timeline::{EventKind, Timeline, TimelineEntry};
pub use verify::{BadRecord, ReplayMismatch, Verified, verify};
pub use writer::Writer;

#[cfg(test)]
mod tests;
