//! Everything that happens on a stage, in one line: what the program shows and what it sends.

use std::net::SocketAddr;

/// So much may wait to be looked at. More waits with the program.
pub(crate) const CAPACITY: usize = 256;

/// Something happened.
#[derive(Debug)]
pub(crate) enum Event {
    /// The program wrote this to its terminal.
    Shown(Vec<u8>),
    /// Nobody can write to the terminal any more.
    Closed,
    /// A datagram came from there.
    Heard(Vec<u8>, SocketAddr),
    /// All datagrams that had come before we asked have been told.
    Emptied,
}
