//! The server: a pure room that hosts one game, a driver that stores, logs and sends what the room emits, a
//! guard against hostile traffic, and a UDP shell.
//!
//! [`Room`] takes peer ids and bytes and emits records, notices and messages. [`Host`] drives it for every
//! transport: journal, then log, then send. [`udp`] owns the socket and addresses and nothing of the game.
//!
//! ```
//! use nuggets_game::{Rules, Seed, Setup, shipped};
//! use nuggets_protocol::Dialect;
//! use nuggets_server::{Peer, Room, Timestamp};
//!
//! let map = shipped::find("main").unwrap().map();
//! let setup = Setup::new(map, Rules::default(), Seed::new(7), Dialect::V2021);
//! let mut room = Room::new(&setup).unwrap();
//!
//! room.handle_message(Timestamp(0), Peer(1), b"PLAY Ann");
//! assert!(room.poll_record().is_some());
//! assert_eq!(room.poll_transmit().unwrap().payload, b"OK A");
//! assert_eq!(room.poll_transmit().unwrap().payload, b"GRID 21 79");
//! ```

mod guard;
mod host;
mod journal;
mod log_quota;
mod memory;
mod rate_limit;
mod record_file;
mod room;
mod storage;
mod transport;
pub mod udp;

pub use guard::{BadNetwork, Guard, IpNetwork, Limits};
pub use host::Host;
pub use journal::{
    JournalFile, RecordFileError, RecordFileProblem, RecordingFile, SetupDifference,
};
pub use log_quota::LogQuota;
pub use memory::{MemoryStorage, MemoryTransport};
pub use nuggets_time::Timestamp;
pub use rate_limit::{Rate, TokenBucket};
pub use room::{
    Admission, Content, Delivery, ErrorReply, Hosting, MessageKind, Notice, Peer, QuitReason,
    Refusal, Reliability, ResumeError, Room, RoomOptions, RoomRecord, Stalemate, StartRule,
    Transmit, WatchError,
};
pub use storage::{
    Commit, Files, JournalPolicy, NoStorage, OnJournalError, RecordKind, Storage, Stored,
};
pub use transport::Transport;
