//! The wire protocol: every message of both dialects, and the vocabulary that servers and clients
//! share: gridpoints, directions, movement keys, names, limits, house-rule texts. With the feature `web`, the
//! JSON lines of the WebSocket protocol: `web`.
//!
//! This crate depends on no other crate of the workspace. It must not know the rules of the game, the
//! players, or the transport. Everything here is pure.
//!
//! ```
//! use nuggets_protocol::{ClientMessage, ServerMessage};
//!
//! assert_eq!(ClientMessage::parse(b"KEY h"), Ok(ClientMessage::Key(b'h')));
//! assert!(ClientMessage::parse(b"KEY hh").is_err());
//! assert_eq!(ServerMessage::Grid { rows: 21, cols: 79 }.to_bytes(), b"GRID 21 79");
//! ```

mod client;
mod counted;
mod dialect;
pub mod house_rules;
mod lenient;
mod name;
mod point;
mod server;
mod stroke;
mod udp_error;
#[cfg(feature = "web")]
pub mod web;

pub use client::{ClientMessage, ClientMessageError};
pub use counted::counted;
pub use dialect::{Dialect, QuitKind, UnknownDialect};
pub use lenient::{Deviation, LenientMessage};
pub use name::{MAX_NAME_BYTES, Name, name_to_send};
pub use point::Point;
pub use server::{DISPLAY_HEAD, ServerMessage, ServerMessageError};
pub use stroke::{Direction, Stroke};
pub use udp_error::UdpError;

/// The largest payload of one UDP datagram, and so of one message.
pub const MAX_MESSAGE_BYTES: usize = 65_507;
