//! What goes out: a message on its way to somebody, and what is usually done to it.

use std::fmt;

use nuggets_protocol::{DISPLAY_HEAD, ServerMessage};
use nuggets_server::Peer;

/// A message to somebody.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Datagram {
    pub(crate) to: Peer,
    pub(crate) bytes: Vec<u8>,
}

/// The three numbers of `GOLD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gold {
    pub(crate) found: u32,
    pub(crate) purse: u32,
    pub(crate) remaining: u32,
}

/// Pictures are unreadable as numbers.
impl fmt::Debug for Datagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}> {}", self.to, self.bytes.escape_ascii())
    }
}

impl Datagram {
    pub(crate) fn new(to: Peer, bytes: impl Into<Vec<u8>>) -> Self {
        Self { to, bytes: bytes.into() }
    }

    /// The word that says what it is.
    pub(crate) fn word(&self) -> &[u8] {
        self.bytes.split(|byte| *byte == b' ' || *byte == b'\n').next().unwrap_or_default()
    }

    pub(crate) fn is(&self, word: &str) -> bool {
        self.word() == word.as_bytes()
    }

    pub(crate) fn is_complaint(&self) -> bool {
        self.is("ERROR") || (self.is("NO") && self.bytes != b"NO")
    }

    /// Is it the table, in whichever dialect?
    pub(crate) fn is_table(&self) -> bool {
        self.bytes.starts_with(b"QUIT GAME OVER:") || self.is("GAMEOVER")
    }

    pub(crate) fn gold(&self) -> Option<Gold> {
        match ServerMessage::parse(&self.bytes) {
            Ok(ServerMessage::Gold { found, purse, remaining }) => {
                Some(Gold { found, purse, remaining })
            }
            _ => None,
        }
    }

    pub(crate) fn set_gold(&mut self, Gold { found, purse, remaining }: Gold) {
        self.bytes = ServerMessage::Gold { found, purse, remaining }.to_bytes();
    }

    /// The rows of a picture.
    pub(crate) fn rows(&mut self) -> Option<&mut [u8]> {
        let head = DISPLAY_HEAD.len();
        if self.is("DISPLAY") { self.bytes.get_mut(head..) } else { None }
    }

    pub(crate) fn set_rows(&mut self, rows: &[u8]) {
        self.bytes = [DISPLAY_HEAD, rows].concat();
    }
}

/// Throws some away.
pub(crate) fn leave_out(sent: &mut Vec<Datagram>, which: impl Fn(&Datagram) -> bool) {
    sent.retain(|datagram| !which(datagram));
}

/// Gives some other words.
pub(crate) fn reword(
    sent: &mut [Datagram],
    which: impl Fn(&Datagram) -> bool,
    words: &'static [u8],
) {
    for datagram in sent.iter_mut().filter(|datagram| which(datagram)) {
        datagram.bytes = words.to_vec();
    }
}

/// Sends some twice.
pub(crate) fn double(sent: &mut Vec<Datagram>, which: impl Fn(&Datagram) -> bool) {
    let twice = |datagram: Datagram| {
        let again = which(&datagram).then(|| datagram.clone());
        [Some(datagram), again].into_iter().flatten()
    };
    *sent = std::mem::take(sent).into_iter().flat_map(twice).collect();
}

/// Makes one round of several: all that was found, and the last picture.
pub(crate) fn merge(sent: Vec<Datagram>) -> Vec<Datagram> {
    let (mut gold, mut pictures, mut rest) = (vec![], vec![], vec![]);
    for datagram in sent {
        match datagram.word() {
            b"GOLD" => put(&mut gold, datagram),
            b"DISPLAY" => put(&mut pictures, datagram),
            _ => rest.push(datagram),
        }
    }
    gold.into_iter().chain(pictures).chain(rest).collect()
}

/// In the place of what the same peer was sent before.
fn put(round: &mut Vec<Datagram>, mut datagram: Datagram) {
    let Some(earlier) = round.iter_mut().find(|earlier| earlier.to == datagram.to) else {
        return round.push(datagram);
    };
    if let (Some(before), Some(now)) = (earlier.gold(), datagram.gold()) {
        datagram.set_gold(Gold { found: before.found + now.found, ..now });
    }
    *earlier = datagram;
}
