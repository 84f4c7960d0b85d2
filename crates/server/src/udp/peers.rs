//! The mapping between addresses and peers. The room knows only peers, the journal only tokens.
//!
//! The table stays small under spoofed sources: an unknown source gets an id until the next flush, and keeps it only
//! if the room has given it a seat by then.

use std::net::{IpAddr, SocketAddr};

use nuggets_record::PeerToken;

use crate::{Guard, Peer, Room};

/// The peers on UDP, and the guard that limits them.
#[derive(Debug, Default)]
pub struct Peers {
    /// Ordered by id.
    known: Vec<KnownPeer>,
    /// Number of ids issued.
    issued: u64,
    pub(super) guard: Option<Guard>,
}

#[derive(Clone, Copy, Debug)]
struct KnownPeer {
    peer: Peer,
    address: SocketAddr,
}

impl Peers {
    /// Creates an empty table. Without a guard there are no limits.
    pub fn new(guard: Option<Guard>) -> Self {
        Self { guard, ..Self::default() }
    }

    /// Takes the guard out, for the next game on the same port.
    pub fn take_guard(&mut self) -> Option<Guard> {
        self.guard.take()
    }

    /// The peer that a journal identifies by this token; `None` if the peer used another transport.
    pub fn restore(&mut self, token: &PeerToken) -> Option<Peer> {
        super::address(token).map(|address| self.enter(address))
    }

    /// The peer at this address; creates one if the address is unknown.
    pub(super) fn enter(&mut self, address: SocketAddr) -> Peer {
        let address = canonical(address);
        self.find(address).unwrap_or_else(|| {
            let peer = Peer(self.issued);
            self.issued += 1;
            self.known.push(KnownPeer { peer, address });
            peer
        })
    }

    /// The peer at this address, if the address is known.
    pub(super) fn find(&self, address: SocketAddr) -> Option<Peer> {
        let address = canonical(address);
        self.known.iter().find(|known| known.address == address).map(|known| known.peer)
    }

    pub(super) fn address(&self, peer: Peer) -> Option<SocketAddr> {
        let place = self.known.binary_search_by_key(&peer, |known| known.peer).ok()?;
        Some(self.known[place].address)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// Removes all peers without a seat. Every seat has an entry here, so there is nothing to do if there are no more
    /// entries than seats.
    pub(super) fn forget_unseated(&mut self, room: &Room) {
        if self.known.len() <= room.seat_count() {
            return;
        }
        self.known.retain(|known| room.has_seat(known.peer));
    }
}

/// Maps an IPv4 address on an IPv6 socket to its IPv4 form: a journal may be resumed with another kind of socket.
pub fn canonical(address: SocketAddr) -> SocketAddr {
    match (address.ip().to_canonical(), address) {
        (ip @ IpAddr::V4(_), SocketAddr::V6(_)) => SocketAddr::new(ip, address.port()),
        _ => address,
    }
}
