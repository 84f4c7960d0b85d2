//! A message to a client, and the usual ways to change a list of them.

use std::fmt;

use nuggets_protocol::{DISPLAY_HEAD, ServerMessage};
use nuggets_server::Peer;

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Outbound {
    pub(crate) to: Peer,
    pub(crate) bytes: Vec<u8>,
}

/// The three numbers of `GOLD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GoldNumbers {
    pub(crate) found: u32,
    pub(crate) purse: u32,
    pub(crate) remaining: u32,
}

impl fmt::Debug for Outbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}> {}", self.to.0, self.bytes.escape_ascii())
    }
}

impl Outbound {
    pub(crate) fn new(to: Peer, bytes: impl Into<Vec<u8>>) -> Self {
        Self { to, bytes: bytes.into() }
    }

    /// A `DISPLAY` with these rows.
    pub(crate) fn display(to: Peer, rows: &[u8]) -> Self {
        Self::new(to, [DISPLAY_HEAD, rows].concat())
    }

    /// The first word: the type of the message.
    pub(crate) fn word(&self) -> &[u8] {
        self.bytes.split(|byte| *byte == b' ' || *byte == b'\n').next().unwrap_or_default()
    }

    pub(crate) fn is(&self, word: &str) -> bool {
        self.word() == word.as_bytes()
    }

    pub(crate) fn is_error_reply(&self) -> bool {
        self.is("ERROR") || (self.is("NO") && self.bytes != b"NO")
    }

    /// True for the final table of either dialect.
    pub(crate) fn is_table(&self) -> bool {
        self.bytes.starts_with(b"QUIT GAME OVER:") || self.is("GAMEOVER")
    }

    pub(crate) fn gold(&self) -> Option<GoldNumbers> {
        match ServerMessage::parse(&self.bytes) {
            Ok(ServerMessage::Gold { found, purse, remaining }) => {
                Some(GoldNumbers { found, purse, remaining })
            }
            _ => None,
        }
    }

    pub(crate) fn set_gold(&mut self, GoldNumbers { found, purse, remaining }: GoldNumbers) {
        self.bytes = ServerMessage::Gold { found, purse, remaining }.to_bytes();
    }

    /// The rows of a `DISPLAY`, each with its newline.
    pub(crate) fn rows_mut(&mut self) -> Option<&mut [u8]> {
        if self.is("DISPLAY") { self.bytes.get_mut(DISPLAY_HEAD.len()..) } else { None }
    }
}

pub(crate) fn send_twice(sent: &mut Vec<Outbound>, is_repeated: impl Fn(&Outbound) -> bool) {
    let copies = |datagram: Outbound| {
        let count = if is_repeated(&datagram) { 2 } else { 1 };
        vec![datagram; count]
    };
    *sent = std::mem::take(sent).into_iter().flat_map(copies).collect();
}

/// Merges several rounds into one: the sum of the nuggets found, and the last `DISPLAY`.
pub(crate) fn merge_rounds(sent: Vec<Outbound>) -> Vec<Outbound> {
    let mut gold = vec![];
    let mut displays = vec![];
    let mut rest = vec![];
    for datagram in sent {
        match datagram.word() {
            b"GOLD" => merge_into(&mut gold, datagram),
            b"DISPLAY" => merge_into(&mut displays, datagram),
            _ => rest.push(datagram),
        }
    }
    gold.into_iter().chain(displays).chain(rest).collect()
}

/// Replaces the earlier message to the same peer.
fn merge_into(round: &mut Vec<Outbound>, mut datagram: Outbound) {
    let Some(earlier) = round.iter_mut().find(|earlier| earlier.to == datagram.to) else {
        return round.push(datagram);
    };
    if let (Some(before), Some(now)) = (earlier.gold(), datagram.gold()) {
        datagram.set_gold(GoldNumbers { found: before.found + now.found, ..now });
    }
    *earlier = datagram;
}
