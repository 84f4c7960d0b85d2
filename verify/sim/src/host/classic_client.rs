//! A client of the specification in a simulation, over a network that loses, repeats and reorders datagrams.

use std::net::SocketAddr;

use nuggets_game::Rng;
use nuggets_host::GameId;

use super::screen::{Shown, ShownGold, ShownPicture};

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
    /// The pictures and gold that the server has sent, in the order of sending.
    pub(super) sent: Shown,
    /// The last picture that arrived.
    pub(super) picture: Option<String>,
    /// The letter of its `OK`, once that has arrived.
    pub(super) letter: Option<char>,
    /// True once `QUIT` has arrived.
    pub(super) has_ended: bool,
}

impl ClassicClient {
    /// Creates a client that has not joined yet.
    pub(super) fn new(address: SocketAddr, game: GameId) -> Self {
        Self {
            address,
            game,
            up: vec![],
            down: vec![],
            sent: Shown { is_classic: true, ..Shown::default() },
            picture: None,
            letter: None,
            has_ended: false,
        }
    }

    /// Sends the next message: `PLAY` until it has a letter, then keys.
    pub(super) fn act(&mut self, rng: &mut Rng) {
        let message = match self.letter {
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

    /// Handles a datagram from the server before it enters the network.
    pub(super) fn handle_sent(&mut self, bytes: &[u8]) -> Result<(), String> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        if let Some(letter) = text.strip_prefix("OK ") {
            let letter = letter.chars().next();
            if self.sent.view.is_some() && self.sent.view != letter {
                return Err(format!("was {:?} and is {letter:?} now", self.sent.view));
            }
            self.sent.view = letter;
        } else if let Some(rows) = text.strip_prefix("DISPLAY\n") {
            let rows = rows.trim_end_matches('\n').to_owned();
            self.sent.pictures.push_back(ShownPicture { rows, in_sight: vec![] });
        } else if let Some(numbers) = text.strip_prefix("GOLD ") {
            self.sent.gold.push_back(ShownGold::parse(numbers.trim_end())?);
        }
        self.down.push(bytes.to_vec());
        Ok(())
    }

    /// Handles a datagram that arrives.
    pub(super) fn handle_datagram(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        if let Some(letter) = text.strip_prefix("OK ") {
            self.letter = letter.chars().next();
        } else if let Some(rows) = text.strip_prefix("DISPLAY\n") {
            self.picture = Some(rows.trim_end_matches('\n').to_owned());
        } else if text.starts_with("QUIT") {
            self.has_ended = true;
        }
    }
}
