//! The words on the wire: what clients and servers say to each other, in both dialects.
//!
//! This room owns the text of every message and nothing else. It must not know the rules of the
//! game, who is playing, or what carries the bytes. Everything here is pure.
//!
//! ```
//! use nuggets_protocol::{ClientMessage, ServerMessage};
//!
//! assert_eq!(ClientMessage::parse(b"KEY h"), Ok(ClientMessage::Key(b'h')));
//! assert!(ClientMessage::parse(b"KEY hh").is_err());
//! assert_eq!(ServerMessage::Grid { rows: 21, cols: 79 }.to_bytes(), b"GRID 21 79");
//! ```

mod client;
mod dialect;
mod server;

pub use client::{ClientMessage, Malformed};
pub use dialect::{Dialect, Farewell, UnknownDialect};
pub use server::{DISPLAY_HEAD, Misread, ServerMessage};

/// The largest payload of one UDP datagram, and so of one message.
pub const MAX_MESSAGE_BYTES: usize = 65_507;

/// A player's name is cut to this many bytes.
pub const MAX_NAME_BYTES: usize = 50;
