//! Who is who at the door: learned from what the room answers, so that it is never wrong. Some
//! people come under false addresses here.

use std::net::{Ipv4Addr, SocketAddr};

use nuggets_game::{Letter, Viewer};
use nuggets_server::Peer;

use crate::datagram::Datagram;

/// Everybody who has a place, or had one.
#[derive(Debug, Default)]
pub(crate) struct Seats {
    /// By letter.
    pub(crate) players: Vec<Peer>,
    /// The names that they gave, as they gave them.
    pub(crate) names: Vec<Vec<u8>>,
    pub(crate) spectator: Option<Peer>,
    /// Spectators who were replaced.
    pub(crate) replaced: Vec<Peer>,
    /// Spectators who have quit.
    pub(crate) stopped: Vec<Peer>,
    masks: Vec<Mask>,
}

/// An address that stands for another.
#[derive(Debug)]
struct Mask {
    mask: Peer,
    /// Whoever is behind it; nobody if nobody should hear.
    face: Option<Peer>,
}

impl Seats {
    /// Learns from what the room answered to this.
    pub(crate) fn learn(&mut self, from: Peer, heard: &[u8], answers: &[Datagram]) {
        let mut to_them = answers.iter().filter(|answer| answer.to == from);
        match to_them.next() {
            Some(first) if first.is("OK") && !self.players.contains(&from) => {
                self.players.push(from);
                self.names.push(heard.strip_prefix(b"PLAY ").unwrap_or_default().to_vec());
            }
            Some(first) if first.is("GRID") && self.spectator != Some(from) => {
                self.replaced.extend(self.spectator.replace(from));
                self.replaced.retain(|peer| *peer != from);
            }
            Some(first) if first.is("QUIT") && self.spectator == Some(from) => {
                self.stopped.extend(self.spectator.take());
            }
            _ => {}
        }
    }

    pub(crate) fn letter(&self, peer: Peer) -> Option<Letter> {
        self.players.iter().position(|seated| *seated == peer).and_then(Letter::nth)
    }

    pub(crate) fn viewer(&self, peer: Peer) -> Option<Viewer> {
        let watches = self.spectator == Some(peer);
        let player = self.letter(peer).map(Viewer::Player);
        if watches { Some(Viewer::Spectator) } else { player }
    }

    /// Comes here for the first time.
    pub(crate) fn is_stranger(&self, peer: Peer) -> bool {
        self.viewer(peer).is_none()
    }

    /// A new false address.
    pub(crate) fn put_on_mask(&mut self, face: Option<Peer>) -> Peer {
        // Nobody really comes from there: the net is reserved for documents.
        let port = u16::try_from(self.masks.len()).unwrap_or(u16::MAX);
        let mask = Peer::from(SocketAddr::from((Ipv4Addr::new(192, 0, 2, 1), port)));
        self.masks.push(Mask { mask, face });
        mask
    }

    /// From now on somebody is behind another's address.
    pub(crate) fn take_over(&mut self, mask: Peer, face: Peer) {
        self.masks.push(Mask { mask, face: Some(face) });
    }

    /// The address under which somebody came last.
    pub(crate) fn masked(&self, face: Peer) -> Peer {
        let mask = self.masks.iter().rev().find(|mask| mask.face == Some(face));
        mask.map_or(face, |mask| mask.mask)
    }

    /// Whoever hears what is sent to this address.
    pub(crate) fn face(&self, peer: Peer) -> Option<Peer> {
        match self.masks.iter().find(|mask| mask.mask == peer) {
            Some(mask) => mask.face,
            None => Some(peer),
        }
    }
}
