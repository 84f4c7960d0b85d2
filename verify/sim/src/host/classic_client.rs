//! A client of the specification in a simulation, over a network that loses, repeats and reorders datagrams.

use std::net::SocketAddr;

use nuggets_game::Rng;
use nuggets_host::GameId;

use super::Screen;

/// The keys that it presses; it rarely quits.
const KEYS: &[u8] = b"hjklyubnHJKLYUBN";
const QUITS_ONCE_IN: u32 = 300;

/// A client of the specification. It has no state but its letter: it asks to join until it has one.
#[derive(Debug)]
pub(super) struct ClassicClient {
    pub(super) address: SocketAddr,
    pub(super) game: GameId,
    /// Datagrams on their way to the server.
    pub(super) up: Vec<Vec<u8>>,
    /// Datagrams on their way to the client.
    pub(super) down: Vec<Vec<u8>>,
    /// Everything that the server has sent, in the order of sending.
    pub(super) sent: Screen,
    /// Everything that has arrived.
    pub(super) screen: Screen,
}

impl ClassicClient {
    /// Creates a client that has not joined yet.
    pub(super) fn new(address: SocketAddr, game: GameId) -> Self {
        let (sent, screen) = (Screen::default(), Screen::default());
        Self { address, game, up: vec![], down: vec![], sent, screen }
    }

    /// Sends the next message: `PLAY` until it has a letter, then keys.
    pub(super) fn act(&mut self, rng: &mut Rng) {
        let message = match self.screen.shown.view {
            None => self.join(),
            Some(_) if rng.below(QUITS_ONCE_IN) == 0 => b"KEY Q".to_vec(),
            Some(_) => vec![b'K', b'E', b'Y', b' ', KEYS[rng.index(KEYS.len())]],
        };
        self.up.push(message);
    }

    /// Returns the message that asks for a seat, or for the welcome again.
    pub(super) fn join(&self) -> Vec<u8> {
        format!("PLAY U{}", self.address.port()).into_bytes()
    }
}
