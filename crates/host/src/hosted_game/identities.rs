//! Maps people, bots, UDP clients and the views behind the streams to peers of the room.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use nuggets_game::{Letter, Viewer};
use nuggets_record::PeerToken;
use nuggets_server::{Peer, Room, udp};

use crate::{PlayerId, Rated};

/// The view of a player, or of the whole map if `None`.
pub(crate) type ViewKey = Option<Letter>;

pub(super) fn viewer(key: ViewKey) -> Viewer {
    key.map_or(Viewer::Spectator, Viewer::Player)
}

/// A peer of the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Identity {
    Person(PlayerId),
    /// By number, from 1.
    Bot(u8),
    Udp(SocketAddr),
    /// A watcher of the room that the stream of this view is written from.
    View(ViewKey),
}

const PERSON_PREFIX: &str = "web:";
const BOT_PREFIX: &str = "bot:";

impl Identity {
    /// Returns the token that identifies this peer in the journal and the log.
    fn token(self) -> PeerToken {
        match self {
            Self::Udp(address) => udp::token(address),
            other => PeerToken::new(other.name().as_bytes()).expect("a short text"),
        }
    }

    /// Returns the identity that a journal names by this token.
    pub(crate) fn of_token(token: &PeerToken) -> Option<Self> {
        let text = std::str::from_utf8(token.as_bytes()).unwrap_or_default();
        let person = text.strip_prefix(PERSON_PREFIX).and_then(|id| id.parse().ok());
        let bot = || text.strip_prefix(BOT_PREFIX)?.parse().ok().map(Self::Bot);
        let udp = || udp::address(token).map(Self::Udp);
        person.map(|id| Self::Person(PlayerId(id))).or_else(bot).or_else(udp)
    }

    /// Returns the owner of the rating of a person or a bot with this brain.
    pub(crate) fn rated(self, brain: &str) -> Option<Rated> {
        match self {
            Self::Person(id) => Some(Rated::Player(id)),
            Self::Bot(_) => Some(Rated::Bot(brain.to_owned())),
            Self::Udp(_) | Self::View(_) => None,
        }
    }

    pub(super) fn name(self) -> String {
        match self {
            Self::Person(PlayerId(id)) => format!("{PERSON_PREFIX}{id}"),
            Self::Bot(number) => format!("{BOT_PREFIX}{number}"),
            Self::Udp(address) => SocketAddr::new(address.ip(), address.port()).to_string(),
            Self::View(None) => "the stream of the whole map".to_owned(),
            Self::View(Some(letter)) => format!("the stream of {letter}"),
        }
    }
}

/// All peers of the room.
#[derive(Debug, Default)]
pub(super) struct Identities {
    peers: BTreeMap<Identity, Peer>,
    known: BTreeMap<Peer, Identity>,
    issued: u64,
}

impl Identities {
    /// Returns the peer of this identity, and issues one if it has none.
    pub(super) fn enter(&mut self, identity: Identity) -> Peer {
        *self.peers.entry(identity).or_insert_with(|| {
            let peer = Peer(self.issued);
            self.issued += 1;
            self.known.insert(peer, identity);
            peer
        })
    }

    /// Returns the peer that a journal identifies by this token, and issues one if it has none.
    pub(super) fn restore(&mut self, token: &PeerToken) -> Option<Peer> {
        Identity::of_token(token).map(|identity| self.enter(identity))
    }

    pub(super) fn find(&self, identity: Identity) -> Option<Peer> {
        self.peers.get(&identity).copied()
    }

    pub(super) fn get(&self, peer: Peer) -> Option<Identity> {
        self.known.get(&peer).copied()
    }

    /// Returns the addresses of all UDP clients with a seat in the room.
    pub(super) fn udp_clients(&self) -> impl Iterator<Item = SocketAddr> + '_ {
        self.peers.keys().filter_map(|identity| match identity {
            Identity::Udp(address) => Some(*address),
            _ => None,
        })
    }

    pub(super) fn token(&self, peer: Peer) -> PeerToken {
        self.get(peer).expect("every peer of the room was issued here").token()
    }

    /// Removes a person or a UDP client without a seat in the room, so that spoofed sources can't fill the table.
    pub(super) fn forget_unseated(&mut self, identity: Identity, room: &Room) {
        if let Some(peer) = self.find(identity).filter(|peer| !room.has_seat(*peer)) {
            self.peers.remove(&identity);
            self.known.remove(&peer);
        }
    }

    /// Returns the letter of a player, even of one who has left.
    pub(super) fn letter(&self, identity: Identity, room: &Room) -> Option<Letter> {
        let peer = self.find(identity)?;
        let index = room.peers().position(|seated| seated == peer)?;
        Letter::nth(index).filter(|_| index < room.game().players().len())
    }

    pub(super) fn of_letter(&self, letter: Letter, room: &Room) -> Option<Identity> {
        room.peers().nth(letter.index()).and_then(|peer| self.get(peer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_in_a_journal_is_found_again() {
        let udp = Identity::Udp("203.0.113.9:4000".parse().unwrap());
        for identity in [Identity::Person(PlayerId(42)), Identity::Bot(3), udp] {
            assert_eq!(Identity::of_token(&identity.token()), Some(identity));
        }
        for bytes in [&b"web:"[..], b"bot:300", b"web:-1", b"cluster:1", &[255; 9]] {
            assert_eq!(Identity::of_token(&PeerToken::new(bytes).unwrap()), None, "{bytes:?}");
        }
    }
}
