//! The server: a pure room where one game is hosted, and the shell that gives it a socket.
//!
//! The room takes bytes and gives messages; it owns who sits where and what everybody is told.
//! The shell owns the socket and nothing of the game.
//!
//! ```
//! use std::sync::Arc;
//! use nuggets_game::{Game, Rules, Seed, Sight, shipped};
//! use nuggets_protocol::Dialect;
//! use nuggets_server::{Millis, Peer, Room, sight_rule};
//!
//! let dialect = Dialect::V2021;
//! let sight = Sight::new(shipped::find("main").unwrap().map(), sight_rule(dialect));
//! let game = Game::new(Arc::new(sight), Rules::default(), Seed::new(7)).unwrap();
//! let mut room = Room::new(game, dialect);
//!
//! let ann: Peer = "127.0.0.1:4000".parse::<std::net::SocketAddr>().unwrap().into();
//! room.handle_message(Millis(0), ann, b"PLAY Ann");
//! assert_eq!(room.poll_transmit().unwrap().payload, b"OK A");
//! assert_eq!(room.poll_transmit().unwrap().payload, b"GRID 21 79");
//! ```

mod files;
mod guard;
mod room;
pub mod udp;

pub use files::{Files, OnJournalError, stale_path};
pub use guard::{Guard, Heard, Limits, LogBudget, Refusal};
pub use nuggets_time::Millis;
pub use room::{Care, Level, Notice, Peer, RecordKind, ResumeError, Room, Transmit};

use nuggets_game::SightRule;
use nuggets_protocol::Dialect;

/// How a look passes through passages in the game that a dialect belongs to.
pub fn sight_rule(dialect: Dialect) -> SightRule {
    match dialect {
        Dialect::V2021 => SightRule::DarkPassages,
        Dialect::V2019 => SightRule::StraightPassages,
    }
}
